// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such are the variables of configuration files.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ConfigPlaces, loadServers, nearestServers } from "./config.ts"

/** A disk that holds these texts, by their path from the workspace or, with `~`, from home. */
function placesWith(files: Record<string, string>, env: Record<string, string> = {}): ConfigPlaces {
  const at = (name: string) => (name.startsWith("~/") ? join("/home/p", name.slice(2)) : join("/work/w", name))
  const texts = new Map(Object.entries(files).map(([name, text]) => [at(name), text]))
  return {
    workspace: "/work/w",
    home: "/home/p",
    joeyHome: "/home/p/.joey",
    env,
    disk: {
      async read(path) {
        const text = texts.get(path)
        return text === undefined ? undefined : { text }
      },
      realPath: async (path) => path,
    },
  }
}

const servers = (record: object) => JSON.stringify({ mcpServers: record })

describe("servers that are configured", () => {
  it("reads what Roo and Claude Code write, comments and trailing commas included", async () => {
    const { entries, findings } = await loadServers(
      placesWith({
        ".roo/mcp.json": `{ // ours
          "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "pkg", "."], "env": { "A": "1" }, "timeout": 5, "alwaysAllow": ["read"], "disabledTools": ["w"], },
            "far": { "type": "streamable-http", "url": "https://a.example/mcp", "headers": { "X-Key": "v" } },
          }
        }`,
        ".mcp.json": servers({ old: { type: "sse", url: "http://b.example/sse" }, plain: { url: "https://c.example" } }),
      }),
    )
    expect(findings).toEqual([])
    expect(entries.map(({ name, start, line }) => [name, start.kind, line])).toEqual([
      ["files", "stdio", 3],
      ["far", "http", 4],
      ["old", "sse", 1],
      ["plain", "http", 1],
    ])
    expect(entries[0]).toMatchObject({
      scope: "project",
      start: { command: "npx", args: ["-y", "pkg", "."], env: { A: "1" }, cwd: "/work/w" },
      timeoutMs: 5_000,
      alwaysAllow: ["read"],
      disabledTools: ["w"],
      disabled: false,
    })
  })

  it("fills in variables, names those it looked at, and asks for those that are not set", async () => {
    const places = placesWith(
      {
        ".joey/mcp.json": servers({
          a: { command: "${workspaceFolder}/run", args: ["${env:TOKEN}", "${TOKEN}", "${PORT:-8080}", "${userHome}", "$TOKEN"] },
          b: { url: "https://x.example/${NOT_SET}" },
          c: { url: "https://x.example/${NOT_SET}", disabled: true },
        }),
      },
      { TOKEN: "t-${PORT}" },
    )
    const { entries, findings } = await loadServers(places)
    expect(entries[0]?.start).toMatchObject({
      command: "/work/w/run",
      args: ["t-${PORT}", "t-${PORT}", "8080", "/home/p", "$TOKEN"],
    })
    expect(entries[0]?.reads).toEqual(["TOKEN", "PORT"])
    expect(entries.map(({ name }) => name)).toEqual(["a", "c"])
    expect(findings).toMatchObject([{ line: 1, reason: expect.stringMatching(/"b" is left out: .*NOT_SET is not set/) }])
  })

  it("tells of a bad entry with its line and goes on with the others", async () => {
    const { entries, findings } = await loadServers(
      placesWith({
        ".joey/mcp.json": `{ "mcpServers": {
          "list": [],
          "neither": {},
          "both": { "command": "a", "url": "https://b.example" },
          "kind": { "type": "carrier-pigeon", "command": "a" },
          "script": { "url": "file:///etc/passwd" },
          "header": { "url": "https://a.example", "headers": { "a\\nb": "c" } },
          "time": { "command": "a", "timeout": 0 },
          "slip": { "command": "a", "agrs": ["b"] },
          "good": { "command": "a" }
        } }`,
        ".mcp.json": "{ nonsense",
        ".roo/mcp.json": "[]",
      }),
    )
    expect(entries.map(({ name }) => name)).toEqual(["slip", "good"])
    const told = findings.map(({ file, line, reason }) => `${file.replace("/work/w/", "")}:${line} ${reason}`)
    expect(told).toEqual([
      expect.stringMatching(/^\.joey\/mcp\.json:2 The server "list" is left out/),
      expect.stringMatching(/:3 The server "neither" is left out: it needs a "command"/),
      expect.stringMatching(/:4 .*either a program .* or an address/),
      expect.stringMatching(/:5 .*"type" is stdio, http/),
      expect.stringMatching(/:6 .*begins with http/),
      expect.stringMatching(/:7 .*header/),
      expect.stringMatching(/:8 .*"timeout" is a number of seconds/),
      expect.stringMatching(/:9 The server "slip": "agrs" is not read; did you mean "args"/),
      expect.stringMatching(/^\.roo\/mcp\.json:1 The file is left out/),
      expect.stringMatching(/^\.mcp\.json:1 The file is left out/),
    ])
  })

  it("finds the person's servers where Roo keeps them in an editor, behind all others", async () => {
    const roo = "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"
    const written = {
      "~/.config/Code/User/globalStorage/other.extension/settings/mcp_settings.json": servers({ foreign: { command: "x" } }),
      [`~/.config/Code/User/${roo}`]: servers({ both: { command: "editor" }, one: { command: "one", disabled: true } }),
      [`~/.vscode-server/data/User/${roo}`]: servers({ far: { command: "far" } }),
      "~/.joey/mcp.json": servers({ both: { command: "joey" } }),
    }
    const found = async (extra: Partial<ConfigPlaces>) =>
      nearestServers((await loadServers({ ...placesWith(written), platform: "linux", ...extra })).entries)
    expect((await found({})).map(({ name, scope, start }) => [name, scope, start.kind === "stdio" && start.command])).toEqual([
      ["both", "global", "joey"],
      ["one", "global", "one"],
      ["far", "global", "far"],
    ])
    expect((await found({ env: { XDG_CONFIG_HOME: "/elsewhere" } })).map(({ name }) => name)).toEqual(["both", "far"])
    expect((await found({ platform: "darwin" })).map(({ name }) => name)).toEqual(["both", "far"])
  })

  it("the nearer replaces the farther by name, and a project's says that it replaces the person's own", async () => {
    const { entries } = await loadServers(
      placesWith({
        ".joey/mcp.json": servers({ a: { command: "near" } }),
        ".mcp.json": servers({ a: { command: "farther" } }),
        "~/.joey/mcp.json": servers({ a: { command: "mine" }, b: { command: "mine" } }),
        "~/.roo/mcp.json": servers({ b: { command: "older" } }),
      }),
    )
    const near = nearestServers(entries)
    expect(
      near.map(({ name, scope, start, replaces }) => [name, scope, start.kind === "stdio" && start.command, replaces]),
    ).toEqual([
      ["a", "project", "near", true],
      ["b", "global", "mine", undefined],
    ])
  })

  it("a workspace that is the home folder brings nothing as a project", async () => {
    const home = mkdtempSync(join(tmpdir(), "joey-mcp-"))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const file = join(home, ".joey", "mcp.json")
    const { entries } = await loadServers({
      ...placesWith({}),
      workspace: home,
      home,
      joeyHome: join(home, ".joey"),
      disk: {
        read: async (path) => (path === file ? { text: servers({ a: { command: "x" } }) } : undefined),
        realPath: async (path) => path,
      },
    })
    expect(entries.map(({ name, scope }) => [name, scope])).toEqual([["a", "global"]])
  })

  it("a name may be anything, __proto__ too", async () => {
    const { entries } = await loadServers(
      placesWith({ ".mcp.json": '{"mcpServers":{"__proto__":{"command":"a"},"a b":{"command":"c"}}}' }),
    )
    expect(entries.map(({ name }) => name)).toEqual(["__proto__", "a b"])
  })
})
