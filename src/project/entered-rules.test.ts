/** AGENTS.md down the tree: told once, when work first comes to its folder. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type EnteredRules, enteredRules, foldersTo } from "./entered-rules.ts"
import { type Files, testFolder, write } from "./test-folder.ts"

const isNeverIgnored = (_path: string): boolean => false

async function opened(work: Files, { maxBytes = 10_000, isIgnored = isNeverIgnored } = {}) {
  const { workspace, home, root } = await testFolder({ work })
  const rules = enteredRules({ workspace, home, maxBytes, isIgnored })
  return { workspace, root, rules, at: (path: string) => join(workspace, path) }
}

async function told(rules: EnteredRules, touched: string[], isTold?: (path: string) => boolean): Promise<string[]> {
  return (await rules.next(touched, isTold)).files.map(({ path, text }) => `${path}: ${text}`)
}

describe("AGENTS.md of a folder below the workspace", () => {
  it("S46: comes when a file in it, or below it, is first touched, outermost first, and never again", async () => {
    const { rules, at } = await opened({
      "AGENTS.md": "root",
      "web/AGENTS.md": "web",
      "web/parts/AGENTS.md": "parts",
      "other/AGENTS.md": "other",
    })
    expect(await told(rules, [at("README.md")])).toEqual([]) // the root's own stands in the prompt
    expect(await told(rules, [at("README.md"), at("web/parts/deep/a.ts")])).toEqual([
      "web/AGENTS.md: web",
      "web/parts/AGENTS.md: parts",
    ])
    expect(await told(rules, [at("README.md"), at("web/parts/deep/a.ts"), at("web/b.ts")])).toEqual([])
    expect(await told(rules, [at("other/x")])).toEqual(["other/AGENTS.md: other"])
  })

  it("S46: the plural is preferred, the local one comes too, and an empty one says nothing", async () => {
    const { rules, at } = await opened({
      "a/AGENT.md": "one",
      "a/AGENTS.local.md": "mine",
      "b/AGENTS.md": "b",
      "b/AGENT.md": "no",
      "c/AGENTS.md": " ",
    })
    expect(await told(rules, [at("a/x"), at("b/x"), at("c/x")])).toEqual([
      "a/AGENT.md: one",
      "a/AGENTS.local.md: mine",
      "b/AGENTS.md: b",
    ])
  })

  it("is not told when the model has read it itself, when it was told in an earlier run, or when it is ignored", async () => {
    const files = { "a/AGENTS.md": "a", "b/AGENTS.md": "b", "c/AGENTS.md": "c", "d/AGENTS.md": "d" }
    const { rules, at } = await opened(files, { isIgnored: (path) => path.startsWith("c/") })
    const touched = [at("a/AGENTS.md"), at("a/x"), at("b/x"), at("c/x"), at("d/x")]
    expect(await told(rules, touched, (path) => path === "b/AGENTS.md")).toEqual(["d/AGENTS.md: d"])
  })

  it("is bounded for the whole task, and says what was cut", async () => {
    const { rules, at } = await opened({ "a/AGENTS.md": "line\n".repeat(60_000), "b/AGENTS.md": "b" }, { maxBytes: 1000 })
    const { files } = await rules.next([at("a/x")])
    expect(files).toMatchObject([{ path: "a/AGENTS.md", cutFrom: 300_000 }])
    expect(files[0]?.text.length).toBeLessThanOrEqual(500)
    expect(await told(rules, [at("b/x")])).toEqual(["b/AGENTS.md: b"])
  })

  it("that is a link to a key outside gives one finding, and the rest is told", async () => {
    const { rules, at, root } = await opened({ "a/AGENTS.md": { to: "../../id_rsa" }, "b/AGENTS.md": "b" })
    await write(root, { id_rsa: "hunter2" })
    const { files, findings } = await rules.next([at("a/x"), at("b/x")])
    expect(files.map(({ text }) => text)).toEqual(["b"])
    expect(findings).toMatchObject([{ file: "a/AGENTS.md", reason: expect.stringContaining("outside the project") }])
  })
})

it("the way to a path has the folders below the workspace only, without those of packages and of git", () => {
  expect(foldersTo("/w", "/w/a/b/c.ts")).toEqual(["/w/a", "/w/a/b"])
  for (const path of ["/w/c.ts", "/w", "/other/a/b", "/w2/a/b", "/w/../x/y"]) expect(foldersTo("/w", path)).toEqual([])
  expect(foldersTo("/w", "/w/a/node_modules/b/c.js")).toEqual(["/w/a"])
  expect(foldersTo("/", "/a/b/c")).toEqual(["/a", "/a/b"])
})
