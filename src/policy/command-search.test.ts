import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CommandPorts, judgeCommand } from "./command-judge.ts"
import { readIndex, trackedFiles } from "./command-tracked.ts"
import { ALLOW_ONLY, ports, WORKSPACE } from "./shell/corpus/rules.ts"

const NAMES = ["README.md", "src/a.ts", "src/b.ts"]

function tracking(names: readonly string[] | undefined, options: Partial<CommandPorts> = {}): CommandPorts {
  return ports({ tracked: async () => ({ root: WORKSPACE, names }), ...options })
}

const TELL = [
  "git grep TOKEN",
  "git grep -n TOKEN",
  "git grep src",
  "git grep -A 1 src",
  "git grep -e TOKEN src",
  "git grep TOKEN -- .",
  "git grep TOKEN -- ':!src'",
  "git grep TOKEN -- '*'",
  "git grep TOKEN HEAD",
  "git diff",
  "git diff HEAD~1",
  "git diff --stat -p",
  "git diff -I src",
  "git show",
  "git show HEAD",
  "git show HEAD:src/a.ts HEAD",
  "git log -p",
  "git log --patch -3",
  "git log --patc",
  "git log -u",
  "git log -p -S src",
  "git log -p -G src",
  "git log -U5",
  "git stash show -p",
  "git whatchanged -p",
  "git diff-tree -p HEAD",
  "git cat-file -p abc123",
  "git cat-file blob abc123",
  "git -C src diff",
  "cd src && git show",
  "git diff | head",
  "GIT_PAGER=cat git log -p",
]

describe("git, where it tracks what is kept from the agent", () => {
  it.each(TELL)("%s asks about secrets", async (line) => {
    for (const rules of [[], ALLOW_ONLY]) {
      const verdict = await judgeCommand({ line }, rules, tracking([...NAMES, ".env"]))
      expect(verdict).toMatchObject({ verdict: "ask", grave: true })
      expect(verdict.parts.map(({ reason }) => reason).join()).toContain("it would read .env too")
    }
  })

  it.each(TELL)("%s is fine where it tracks nothing of the kind", async (line) => {
    expect(await judgeCommand({ line }, [], tracking(NAMES))).toMatchObject({ verdict: "allow" })
  })

  it("what the ignore file or a rule keeps counts just so", async () => {
    const deniesRead = (relative: string) => relative.startsWith("docs/")
    for (const line of ["git grep x", "git show", "git log -p"]) {
      expect(await judgeCommand({ line }, [], tracking([...NAMES, "private.txt"]))).toMatchObject({ verdict: "ask" })
      expect(await judgeCommand({ line }, [], tracking([...NAMES, "docs/a"], { deniesRead }))).toMatchObject({ verdict: "ask" })
    }
    const line = "cd src && git show HEAD:private.txt"
    expect((await judgeCommand({ line }, [], tracking(NAMES))).verdict).not.toBe("allow")
  })

  it.each([
    "git status",
    "git log --oneline",
    "git log --stat",
    "git diff --stat",
    "git diff --name-only",
    "git show --stat HEAD",
    "git diff src/a.ts",
    "git diff HEAD~1 -- src",
    "git log -p -3 src",
    "git show HEAD:src/a.ts",
    "git grep -n x src",
    "git grep x -- src README.md",
    "git grep x -- '*.ts'",
    "git blame src/a.ts",
    "git ls-files",
    "git stash list",
  ])("%s tells nothing of it", async (line) => {
    expect(await judgeCommand({ line }, [], tracking([...NAMES, ".env"]))).toMatchObject({ verdict: "allow" })
  })

  it("an index that cannot be read: what lies there may be tracked", async () => {
    expect(await judgeCommand({ line: "git diff" }, [], tracking(undefined))).toMatchObject({ verdict: "ask" })
  })

  it("grep -r asks for what a rule keeps from being read", async () => {
    const deniesRead = (relative: string) => relative === "src/b.ts"
    expect(await judgeCommand({ line: "grep -r x src" }, [], ports({ deniesRead }))).toMatchObject({ verdict: "ask" })
  })
})

describe("the index of git", () => {
  let folder: string
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], { cwd: folder })
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-index-")))
    git("init", "-q")
    mkdirSync(join(folder, "src/deep"), { recursive: true })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("is empty before anything is added, and there is none outside a repository", async () => {
    expect(await trackedFiles(join(folder, "src"))).toEqual({ root: folder, names: [] })
  })

  it.each(["2", "3", "4"])("gives the names that git gives, version %s", async (version) => {
    const long = `src/${"n".repeat(150)}`
    for (const name of [".env", "a", "src/a.ts", "src/ab.ts", "src/deep/é.txt", long]) writeFileSync(join(folder, name), version)
    git("add", "-f", ".")
    git("update-index", "--index-version", version)
    const names = git("ls-files", "-z").toString().split("\0").filter(Boolean)
    expect(await trackedFiles(join(folder, "src/deep"))).toEqual({ root: folder, names })
    expect(names).toContain(".env")
  })

  it("is not guessed when it is split, cut or none", () => {
    expect(readIndex(Buffer.from("DIRC"))).toBeUndefined()
    expect(readIndex(Buffer.from("x".repeat(200)))).toBeUndefined()
    expect(readIndex(Buffer.concat([Buffer.from("DIRC\0\0\0\x02\0\0\0\x05"), Buffer.alloc(100)]))).toBeUndefined()
  })

  it("a split one is not read as if it were whole", async () => {
    git("update-index", "--split-index")
    expect((await trackedFiles(folder))?.names).toBeUndefined()
    git("update-index", "--no-split-index")
  })
})
