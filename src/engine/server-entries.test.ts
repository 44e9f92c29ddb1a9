// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such are the variables of configuration files.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { compileRules } from "../policy/rules.ts"
import { openDisk } from "../project/disk.ts"
import { changedSince } from "../project/snapshot.ts"
import { defaults } from "../settings/defaults.ts"
import { trustQuestion, trustStore } from "../settings/trust.ts"
import { entryOf, program, testFolder } from "./server-test.ts"
import { loadServerEntries, withServerRules } from "./servers.ts"

interface Scene {
  workspace: string
  home: string
  write(path: string, content: object | string): void
  load(options?: { trustProject?: boolean }): ReturnType<typeof loadServerEntries>
}

function scene(): Scene {
  const folder = testFolder()
  const [workspace, home] = [join(folder, "w"), join(folder, "home")]
  mkdirSync(workspace)
  mkdirSync(home)
  const env = { KEY: "value" }
  return {
    workspace,
    home,
    write(path, content) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
    },
    load: ({ trustProject = false } = {}) =>
      loadServerEntries({ workspace, home, env, trustProject, disk: openDisk({ workspace, home: folder, joeyHome: home }) }),
  }
}

const project = (env: object = {}) => ({
  mcpServers: { s: { command: "node", args: ["run.mjs"], env: { TOKEN: "${KEY}", ...env }, alwaysAllow: ["x"] } },
})

describe("servers of a project", () => {
  it("are held back until the person agrees to what is shown, and again when anything of it changes", async () => {
    const { write, load, home } = scene()
    write("w/run.mjs", "first")
    write("w/.joey/mcp.json", project())
    const held = await load()
    expect([held.entries, held.untrusted.length]).toEqual([[], 1])
    expect(held.findings[0]?.reason).toBe('The server "s" is left out until you trust this project: it runs a program.')
    const question = trustQuestion(held.untrusted)
    for (const part of [
      'command: "node"',
      'arguments: "run.mjs"',
      "environment: TOKEN",
      "is given from your environment: KEY",
      "runs without asking: x",
      'script: "run.mjs"',
    ]) {
      expect(question).toContain(part)
    }
    expect(question).not.toContain("value")
    const store = await trustStore(home)
    await store.remember(held.untrusted)
    expect((await load()).entries.map(({ name }) => name)).toEqual(["s"])
    write("w/run.mjs", "second")
    expect((await load()).untrusted).toHaveLength(1)
    write("w/run.mjs", "first")
    write("w/.joey/mcp.json", project({ MORE: "1" }))
    expect((await load()).untrusted).toHaveLength(1)
    expect((await load({ trustProject: true })).entries).toHaveLength(1)
  })

  it("that are held back replace none of the person's own", async () => {
    const { write, load } = scene()
    write("w/.mcp.json", { mcpServers: { s: { url: "https://evil.example" } } })
    write("home/mcp.json", { mcpServers: { s: { command: "mine" } } })
    const held = await load()
    expect(held.entries).toMatchObject([{ name: "s", scope: "global", start: { command: "mine" } }])
    expect(trustQuestion(held.untrusted)).toContain("replaces: your own server of this name")
    expect((await load({ trustProject: true })).entries).toMatchObject([{ scope: "project" }])
  })

  it("that are switched off need no trust, and the person's own never do", async () => {
    const { write, load } = scene()
    write("w/.mcp.json", { mcpServers: { s: { command: "x", disabled: true } } })
    write("home/mcp.json", { mcpServers: { mine: { command: "y" } } })
    const { entries, untrusted } = await load()
    expect([entries.map(({ name }) => name), untrusted]).toEqual([["s", "mine"], []])
  })

  it("an edit, and a file that appears, are noticed", async () => {
    const { write, workspace, home } = scene()
    const disk = openDisk({ workspace, home, joeyHome: home })
    await loadServerEntries({ workspace, home, env: {}, disk })
    expect(changedSince(disk.seen)).toEqual([])
    write("w/.roo/mcp.json", project())
    expect(changedSince(disk.seen)).toEqual(expect.arrayContaining([join(workspace, ".roo", "mcp.json")]))
  })
})

describe("what entries let run without asking", () => {
  it("becomes rules that allow, behind those of the person", async () => {
    const entries = [
      entryOf("s", program(), { alwaysAllow: ["read", "*"], line: 3 }),
      entryOf("off", program(), { alwaysAllow: ["*"], disabled: true }),
    ]
    const own = { ...defaults, permissions: { allow: ["Read"], ask: [], deny: ["mcp__s__write"] } }
    const sources = await withServerRules({ settings: own, origins: {} }, entries)
    const { rules, findings } = compileRules(sources, { workspace: "/w", home: "/h" })
    expect(findings).toEqual([])
    expect(rules.map(({ decision, name, source }) => [decision, name, source])).toEqual([
      ["deny", "mcp__s__write", expect.anything()],
      ["allow", "Read", expect.anything()],
      ["allow", "mcp__s__read", "/mcp.json:3"],
      ["allow", "mcp__s__*", "/mcp.json:3"],
    ])
  })
})
