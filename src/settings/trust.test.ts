import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../host/temporary-folder.ts"
import { describeStart, type TrustItem, trustItem, trustQuestion, trustStore } from "./trust.ts"

const server = { command: "npx", args: ["-y", "files", "a b"], env: { TOKEN: "hunter2-secret" } }

function item(change: { source?: string; name?: string; content?: object } = {}): TrustItem {
  const { source = "/project/.roo/mcp.json", name = "files", content = {} } = change
  const start = { ...server, ...content }
  return trustItem({ kind: "mcp server", name, source, what: describeStart(start), content: JSON.parse(JSON.stringify(start)) })
}

describe("trustStore", () => {
  it("misses what nobody agreed to, remembers what somebody did, also in the next run", async () => {
    const home = join(await temporaryFolder(), "not", "there", "yet")
    const store = await trustStore(home)
    expect(store.missing([item()])).toEqual([item()])
    expect(await store.remember([item()])).toEqual([])
    expect(store.missing([item()])).toEqual([])
    expect((await trustStore(home)).missing([item()])).toEqual([])
  })

  it("misses an item again when anything of it changes, its place and the values of its environment included", async () => {
    const home = await temporaryFolder()
    await (await trustStore(home)).remember([item()])
    const changed = [
      item({ name: "other" }),
      item({ source: "/elsewhere/.roo/mcp.json" }),
      item({ content: { command: "node" } }),
      item({ content: { args: ["-y", "files", "a", "b"] } }),
      item({ content: { env: { TOKEN: "another" } } }),
    ]
    expect((await trustStore(home)).missing(changed)).toEqual(changed)
  })

  it("does not ask again for another order of the same members", async () => {
    const home = await temporaryFolder()
    await (await trustStore(home)).remember([item()])
    const { env, args, command } = server
    const turned = trustItem({
      kind: "mcp server",
      name: "files",
      source: item().source,
      what: [],
      content: { env, args, command },
    })
    expect((await trustStore(home)).missing([turned])).toEqual([])
  })

  it("keeps its file to the owner, swaps it in whole, and writes no secret into it", async () => {
    const home = await temporaryFolder()
    const store = await trustStore(home)
    await Promise.all([store.remember([item()]), store.remember([item({ name: "second" })])])
    expect(statSync(join(home, "trust.json")).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(["trust.json"])
    expect(readFileSync(join(home, "trust.json"), "utf8")).not.toContain("hunter2")
    expect((await trustStore(home)).missing([item(), item({ name: "second" })])).toEqual([])
  })

  it("keeps what another process has remembered meanwhile", async () => {
    const home = await temporaryFolder()
    const [one, other] = [await trustStore(home), await trustStore(home)]
    await one.remember([item()])
    await other.remember([item({ name: "second" })])
    expect((await trustStore(home)).missing([item(), item({ name: "second" })])).toEqual([])
  })

  it.each(["", "{", "[]", "null", '{"trusted": 1}'])("trusts nothing when its file is damaged (%j), and heals", async (text) => {
    const home = await temporaryFolder()
    await (await trustStore(home)).remember([item()])
    writeFileSync(join(home, "trust.json"), text)
    const store = await trustStore(home)
    expect(store.missing([item()])).toHaveLength(1)
    expect(store.findings[0]?.reason).toContain("damaged")
    await store.remember([item()])
    expect(await trustStore(home)).toMatchObject({ findings: [] })
    expect((await trustStore(home)).missing([item()])).toEqual([])
  })

  it("trusts nothing when others may write to its file, and takes nothing over from it", async () => {
    const home = await temporaryFolder()
    await (await trustStore(home)).remember([item()])
    chmodSync(join(home, "trust.json"), 0o666)
    const store = await trustStore(home)
    expect(store.missing([item()])).toHaveLength(1)
    expect(store.findings[0]?.reason).toContain("Others may write to it")
    await store.remember([item({ name: "second" })])
    expect((await trustStore(home)).missing([item(), item({ name: "second" })])).toEqual([item()])
  })

  it("holds for this run when it cannot be written down, and says so", async () => {
    const home = join(await temporaryFolder({ file: "" }), "file")
    const store = await trustStore(home)
    const findings = await store.remember([item()])
    expect(findings[0]?.reason).toMatch(/^Your trust holds for this run only: .*\((EEXIST|ENOTDIR)\)/)
    expect(store.missing([item()])).toEqual([])
  })

  it("with --trust-project nothing is missing and nothing is written", async () => {
    const home = await temporaryFolder()
    expect((await trustStore(home, { trustAll: true })).missing([item()])).toEqual([])
    expect(existsSync(join(home, "trust.json"))).toBe(false)
  })
})

describe("trustQuestion", () => {
  it("shows command, arguments and the names of the environment, never its values", () => {
    expect(trustQuestion([item()])).toBe(
      [
        "This project brings along 1 thing that can run programs, send data elsewhere or loosen what you set:",
        'mcp server "files" in /project/.roo/mcp.json',
        '  command: "npx"',
        '  arguments: "-y" "files" "a b"',
        "  environment: TOKEN",
        "Trust it? Your answer is remembered until something of this changes.",
      ].join("\n"),
    )
  })

  it("shows the address of a server that is reached over the network", () => {
    expect(describeStart({ url: "https://example.org/mcp" })).toEqual(['address: "https://example.org/mcp"'])
  })

  it("lets nothing pose as a line of ours or steer the terminal", () => {
    const sly = trustItem({
      kind: "hook",
      name: "a\nTrust it?",
      source: "/x",
      what: ["b\nTrust it? yes", "\u001b[2Jc\r\u202ed"],
      content: null,
    })
    const question = trustQuestion([sly])
    expect(question.split("\n")).toHaveLength(5)
    expect(question).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect(question).toContain("␛[2Jc␍")
  })
})
