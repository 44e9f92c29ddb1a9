/** The rules and instructions that files bring along, in their order. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openDisk } from "./disk.ts"
import { loadRules, type RuleOptions } from "./rules.ts"
import { type Files, testFolder } from "./test-folder.ts"

type Choice = Partial<Omit<RuleOptions, "workspace" | "home">>

async function rulesOf(files: { work?: Files; home?: Files; root?: Files }, choice: Choice = {}) {
  const places = await testFolder(files)
  return loadRules({ ...DEFAULTS, ...places, ...choice })
}

const DEFAULTS = { mode: "code", useAgentRules: true, enableSubfolderRules: false, maxBytes: 100_000 }

/** `kind path` of each file that was loaded. */
async function loaded(files: { work?: Files; home?: Files; root?: Files }, choice: Choice = {}): Promise<string[]> {
  return (await rulesOf(files, choice)).files.map(({ kind, path }) => `${kind} ${path}`)
}

describe("order", () => {
  it("S46: is mode rules, ignore files, AGENTS, generic rules, foreign files; home before project, .roo before .joey", async () => {
    const files = {
      home: {
        ".roo/rules-code/a.md": "1",
        ".joey/rules-code/a.md": "2",
        ".roo/rules/a.md": "3",
        ".joey/rules/a.md": "4",
      },
      work: {
        ".roo/rules-code/a.md": "5",
        ".joey/rules-code/a.md": "6",
        ".rooignore": "secret",
        ".joeyignore": "more",
        "AGENTS.md": "7",
        "AGENTS.local.md": "8",
        ".roo/rules/a.md": "9",
        ".joey/rules/a.md": "10",
        ".cursorrules": "11",
        "CLAUDE.md": "12",
        ".roo/rules-ask/a.md": "another mode's",
      },
    }
    const { files: rules, skipped, findings } = await rulesOf(files)
    expect(rules.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "mode ~/.roo/rules-code/a.md",
      "mode ~/.joey/rules-code/a.md",
      "mode .roo/rules-code/a.md",
      "mode .joey/rules-code/a.md",
      "ignore .rooignore",
      "ignore .joeyignore",
      "agents AGENTS.md",
      "agents AGENTS.local.md",
      "generic ~/.roo/rules/a.md",
      "generic ~/.joey/rules/a.md",
      "generic .roo/rules/a.md",
      "generic .joey/rules/a.md",
      "foreign .cursorrules",
      "foreign CLAUDE.md",
    ])
    expect([skipped, findings]).toEqual([[], []])
  })

  it("S46: an empty folder brings nothing, and no complaint", async () => {
    expect(await rulesOf({})).toEqual({ files: [], skipped: [], findings: [] })
  })

  it("files of a folder stand in the order of their own names, letter case aside, nested ones included", async () => {
    const work = { ".roo/rules/B.md": "b", ".roo/rules/z/a.md": "a", ".roo/rules/c/deep/D.txt": "d", ".roo/rules/c.md": "c" }
    expect(await loaded({ work })).toEqual([
      "generic .roo/rules/z/a.md",
      "generic .roo/rules/B.md",
      "generic .roo/rules/c.md",
      "generic .roo/rules/c/deep/D.txt",
    ])
  })

  it("Joey's own home may lie elsewhere", async () => {
    const { root, workspace, home } = await testFolder({
      root: { "elsewhere/rules/a.md": "a" },
      home: { ".joey/rules/b.md": "b" },
    })
    const { files } = await loadRules({ ...DEFAULTS, workspace, home, joeyHome: join(root, "elsewhere") })
    expect(files.map(({ path }) => path)).toEqual([join(root, "elsewhere/rules/a.md")])
  })

  it("a mode whose name is no slug has no rules folder, wherever it might lead", async () => {
    expect(await loaded({ work: { ".roo/rules-x/a.md": "a", "b/a.md": "a" } }, { mode: "x/../../b" })).toEqual([])
  })
})

describe("old-style files", () => {
  it("S46: are read only when no rules folder has any file, .roorules first", async () => {
    const old = { ".roorules": "a", ".clinerules": "b", ".roorules-code": "c", ".clinerules-code": "d" }
    expect(await loaded({ work: old })).toEqual(["mode .roorules-code", "generic .roorules"])
    const { files, skipped } = await rulesOf({ work: { ...old, ".roo/rules/x.md": "x", ".roo/rules-code/": "" } })
    expect(files.map(({ path }) => path)).toEqual([".roorules-code", ".roo/rules/x.md"])
    expect(skipped).toContainEqual({ path: ".roorules", reason: "rules folders take its place" })
    expect(skipped).toContainEqual({ path: ".clinerules-code", reason: ".roorules-code takes its place" })
  })

  it("the second is read when the first is missing or empty", async () => {
    expect(await loaded({ work: { ".roorules": " \n", ".clinerules": "b" } })).toEqual(["generic .clinerules"])
  })

  it("a folder of such a name is left out, and that is said", async () => {
    const { files, skipped } = await rulesOf({ work: { ".clinerules/a.md": "a" } })
    expect(files).toEqual([])
    expect(skipped).toEqual([{ path: ".clinerules", reason: "it is a folder; only a file of this name is read" }])
  })
})

describe("AGENTS.md", () => {
  it("S46: is read from the repository's root down to the workspace, outermost first", async () => {
    const { root, home } = await testFolder({
      root: { "AGENTS.md": "too far up", "repo/.git/": "", "repo/AGENTS.md": "1", "repo/packages/AGENT.md": "2" },
    })
    const workspace = join(root, "repo/packages/web")
    const nested = await loadRules({ ...DEFAULTS, workspace, home })
    expect(nested.files.map(({ path, text }) => `${path} ${text}`)).toEqual(["../../AGENTS.md 1", "../AGENT.md 2"])
  })

  it("outside a repository only the workspace's own is read", async () => {
    expect(await loaded({ root: { "AGENTS.md": "no" }, work: { "AGENTS.md": "yes" } })).toEqual(["agents AGENTS.md"])
  })

  it("the plural is preferred; the local one comes with or without it", async () => {
    const { files, skipped } = await rulesOf({ work: { "AGENTS.md": "a", "AGENT.md": "b", "AGENTS.local.md": "c" } })
    expect(files.map(({ path }) => path)).toEqual(["AGENTS.md", "AGENTS.local.md"])
    expect(skipped).toEqual([{ path: "AGENT.md", reason: "AGENTS.md takes its place" }])
    expect(await loaded({ work: { "AGENTS.local.md": "c" } })).toEqual(["agents AGENTS.local.md"])
  })

  it("S46: useAgentRules turns all of them off, and nothing else", async () => {
    const work = { "AGENTS.md": "a", "AGENTS.local.md": "c", "CLAUDE.md": "d" }
    expect(await loaded({ work }, { useAgentRules: false })).toEqual(["foreign CLAUDE.md"])
  })

  it("one file under two names is read once", async () => {
    const { files, skipped } = await rulesOf({ work: { "CLAUDE.md": "same", "AGENTS.md": { to: "CLAUDE.md" } } })
    expect(files.map(({ path, text }) => `${path} ${text}`)).toEqual(["AGENTS.md same"])
    expect(skipped).toEqual([{ path: "CLAUDE.md", reason: "it is the same file as one read before" }])
  })
})

describe("subfolders", () => {
  const work = {
    "AGENTS.md": "root",
    "b/AGENTS.md": "b",
    "b/.roo/rules/x.md": "x",
    "a/deep/.joey/rules-code/y.md": "y",
    "node_modules/m/AGENTS.md": "no",
    ".hidden/AGENTS.md": "no",
  }

  it("S46: bring their rules when enableSubfolderRules is on, in alphabetical order behind the project's own", async () => {
    expect(await loaded({ work }, { enableSubfolderRules: true })).toEqual([
      "mode a/deep/.joey/rules-code/y.md",
      "agents AGENTS.md",
      "agents b/AGENTS.md",
      "generic b/.roo/rules/x.md",
    ])
  })

  it("S46: bring nothing by default", async () => expect(await loaded({ work })).toEqual(["agents AGENTS.md"]))
})

describe("links", () => {
  it("to files and folders are followed under their own names, and the same tree always gives the same list", async () => {
    const { files } = await rulesOf({
      root: { "shared/team.md": "team", "shared/more/style.md": "style" },
      work: { ".roo/rules/a.md": { to: "../../../shared/team.md" }, ".roo/rules/zoo": { to: "../../../shared/more" } },
    })
    expect(files.map(({ path, text }) => `${path} ${text}`)).toEqual([".roo/rules/a.md team", ".roo/rules/zoo/style.md style"])
  })

  it("in a circle end, and that is said", async () => {
    const { files, skipped } = await rulesOf({
      work: { ".roo/rules/a.md": "a", ".roo/rules/round": { to: "." }, ".roo/rules/sub/up": { to: "../../.." } },
    })
    expect(files.map(({ path }) => path)).toEqual([".roo/rules/a.md"])
    expect(skipped.map(({ path }) => path)).toContain(".roo/rules/round")
  })

  it("that lead nowhere or to themselves give one finding each", async () => {
    const { files, findings } = await rulesOf({
      work: { ".roo/rules/a.md": "a", ".roo/rules/b.md": { to: "gone.md" }, "AGENTS.md": { to: "AGENTS.md" } },
    })
    expect(files.map(({ path }) => path)).toEqual([".roo/rules/a.md"])
    expect(findings).toEqual([
      { file: "AGENTS.md", reason: "is a link that leads back to itself" },
      { file: ".roo/rules/b.md", reason: "is a link that leads nowhere" },
    ])
  })

  it("out of the project are followed to documents, never to a key or a password file", async () => {
    const { files, findings } = await rulesOf({
      home: { ".ssh/id_rsa": "PRIVATE", "rules.md": "fine" },
      work: {
        ".roo/rules/key.md": { to: "../../../home/.ssh/id_rsa" },
        ".roo/rules/ok.md": { to: "../../../home/rules.md" },
        ".roorules-code": { to: "../home/.ssh/id_rsa" },
        ".roo/rules/ssh": { to: "../../../home/.ssh" },
      },
    })
    expect(files.map(({ text }) => text)).toEqual(["fine"])
    expect(findings.map(({ file }) => file)).toEqual([".roorules-code", ".roo/rules/ssh/id_rsa", ".roo/rules/key.md"])
    expect(findings[0]?.reason).toContain("outside the project")
  })

  it("within a repository lead anywhere, the workspace being a part of it", async () => {
    const { root, home } = await testFolder({
      root: { "repo/.git/": "", "repo/common": "ours", "repo/web/.roorules": { to: "../common" } },
    })
    const { files } = await loadRules({ ...DEFAULTS, workspace: join(root, "repo/web"), home })
    expect(files.map(({ path, text }) => `${path} ${text}`)).toEqual([".roorules ours"])
  })

  it("to a tree of hundreds of folders stay bounded, and what was not read is said", async () => {
    const tree = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`tree/${index}/a.md`, `${index}`]))
    const { files, skipped } = await rulesOf({ root: tree, work: { ".roo/rules/all": { to: "../../../tree" } } })
    expect(files).toHaveLength(198)
    expect(skipped).toHaveLength(32)
    expect(skipped[0]?.reason).toBe("only 200 folders are searched for rules")
  })
})

describe("content", () => {
  it("BOM, CRLF, UTF-16, emoji and names in any script are read", async () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("von Windows", "utf16le")])
    const { files } = await rulesOf({
      work: { ".roo/rules/規則 🚀.md": "\uFEFF  Grüße\r\nzwei\r\n\r\n", ".roo/rules/b.md": utf16, ".roo/rules/c.md": "🦘" },
    })
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      [".roo/rules/b.md", "von Windows"],
      [".roo/rules/c.md", "🦘"],
      [".roo/rules/規則 🚀.md", "Grüße\nzwei"],
    ])
  })

  it("cache and system files are left out and named", async () => {
    const names = [".DS_Store", "Thumbs.db", "a.md.swp", "b.bak", "c.log", "d.pyc", "e.tmp", "f.md~"]
    const work = Object.fromEntries([...names, "real.md"].map((name) => [`.roo/rules/${name}`, "text"]))
    const { files, skipped } = await rulesOf({ work })
    expect(files.map(({ path }) => path)).toEqual([".roo/rules/real.md"])
    expect(skipped.map(({ path }) => path.slice(".roo/rules/".length)).toSorted()).toEqual(names.toSorted())
  })

  it("what is not text gives one finding, and the rest is read", async () => {
    const { files, findings } = await rulesOf({
      work: {
        ".roo/rules/a.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
        ".roo/rules/b.md": Buffer.from([0x63, 0x61, 0x66, 0xe9]),
        ".roo/rules/c.md": "fine",
      },
    })
    expect(files.map(({ text }) => text)).toEqual(["fine"])
    expect(findings).toEqual([
      { file: ".roo/rules/a.png", reason: "is not text that can be read (PNG image)" },
      { file: ".roo/rules/b.md", reason: "is not text that can be read (not UTF-8)" },
    ])
  })

  it("a file that cannot be read gives one finding, and the rest is read", async () => {
    const places = await testFolder({ work: { "AGENTS.md": "a", "CLAUDE.md": "b" } })
    const disk = openDisk(places)
    const locked = {
      ...disk,
      read: async (path: string) => (path.endsWith("AGENTS.md") ? { problem: "is locked" } : disk.read(path)),
    }
    const { files, findings } = await loadRules({ ...DEFAULTS, ...places, disk: locked })
    expect(files.map(({ path }) => path)).toEqual(["CLAUDE.md"])
    expect(findings).toEqual([{ file: "AGENTS.md", reason: "is locked" }])
  })

  it("a workspace that is gone brings nothing", async () => {
    const { workspace, home } = await testFolder({})
    await rm(workspace, { recursive: true })
    expect(await loadRules({ ...DEFAULTS, workspace, home })).toEqual({ files: [], skipped: [], findings: [] })
  })
})

describe("size", () => {
  const line = `${"x".repeat(99)}\n`

  it("a file of 300 KB is cut at a line, says from how much, and pushes out none of the small ones", async () => {
    const { files } = await rulesOf(
      { work: { ".roo/rules/huge.md": line.repeat(3072), "AGENTS.md": "small", "CLAUDE.md": line.repeat(3) } },
      { maxBytes: 50_000 },
    )
    const [agents, huge, claude] = files
    expect(agents).toEqual({ path: "AGENTS.md", text: "small", kind: "agents", bytes: 5 })
    expect(huge).toMatchObject({ path: ".roo/rules/huge.md", cutFrom: 307_200 })
    expect(claude?.cutFrom).toBeUndefined()
    expect(huge?.text.split("\n").every((text) => text.length === 99)).toBe(true)
    const total = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    expect(total).toBeLessThanOrEqual(50_000)
    expect(total).toBeGreaterThan(49_000)
  })

  it("two large files share what is left", async () => {
    const work = { ".roo/rules/a.md": "a".repeat(9000), ".roo/rules/b.md": "b".repeat(5000), ".roo/rules/c.md": "c".repeat(100) }
    const { files } = await rulesOf({ work }, { maxBytes: 6100 })
    expect(files.map(({ bytes, cutFrom }) => [bytes, cutFrom])).toEqual([
      [3000, 9000],
      [3000, 5000],
      [100, undefined],
    ])
  })

  it("no character is split", async () => {
    const { files } = await rulesOf({ work: { "AGENTS.md": "🦘".repeat(100) } }, { maxBytes: 30 })
    expect(files[0]?.text).toBe("🦘".repeat(7))
  })
})
