/** What git says of a folder, asked in repositories whose configuration wants to run something at every step. */
import { execFileSync, spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Host } from "../types/host.ts"
import { type GitText, gitState } from "./git-state.ts"

interface Repository {
  /** Holds the repository and whatever an attack leaves behind. */
  base: string
  folder: string
  write(path: string, text: string): void
  git(...args: string[]): string
}

function repository(): Repository {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "joey-git-")))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const folder = join(base, "repository")
  mkdirSync(folder)
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  git("init", "--quiet", "--initial-branch=main")
  git("config", "user.email", "somebody@example.org")
  git("config", "user.name", "Somebody")
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { base, folder, write, git }
}

function committed(files: Record<string, string>): Repository {
  const made = repository()
  for (const [path, text] of Object.entries(files)) made.write(path, text)
  made.git("add", ".")
  made.git("commit", "--quiet", "-m", "first")
  return made
}

/** As a host runs things, without the rest of a host. */
function stateOf(workspace: string, isIgnored = (_path: string) => false) {
  const run: Host["run"] = (process, options = {}) => {
    if (!("program" in process)) throw new Error("a shell is not needed")
    return new Promise((done, fail) => {
      const child = spawn(process.program, process.args, { cwd: workspace, stdio: ["ignore", "pipe", "pipe"] })
      options.signal?.addEventListener("abort", () => child.kill("SIGKILL"))
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].setEncoding("utf8").on("data", (text: string) => options.onOutput?.(text, stream))
      }
      child.on("error", fail)
      child.on("close", (exitCode) => done({ exitCode, ending: options.signal?.aborted ? "cancelled" : "exited" }))
    })
  }
  return gitState({ host: { run, workspace }, isIgnored })
}

const textOf = (answer: GitText) => ("text" in answer ? answer.text : `unread: ${answer.unread}`)

describe("what changed", () => {
  it("is the short status and the difference to the last commit, with names in any script", async () => {
    const { folder, write, git } = committed({ "a.txt": "one\n", "größe 📏.txt": "1\n", "gone.txt": "x\n" })
    write("a.txt", "two\n")
    write("größe 📏.txt", "2\n")
    write("fresh.txt", "new\n")
    git("rm", "--quiet", "gone.txt")
    const text = textOf(await stateOf(folder).changes())
    expect(text.split("\n").slice(0, 4)).toEqual([" M a.txt", "D  gone.txt", " M größe 📏.txt", "?? fresh.txt"])
    expect(text).toMatch(/^diff --git a\/a\.txt b\/a\.txt$[\s\S]*^-one$\n^\+two$/m)
    expect(text).toMatch(/^\+2$/m)
    expect(text).not.toMatch(/\+new/)
  })

  it("is nothing when nothing changed", async () => {
    expect(await stateOf(committed({ a: "1" }).folder).changes()).toEqual({ text: "" })
  })

  it("is what is staged before the first commit", async () => {
    const { folder, write, git } = repository()
    write("a.txt", "one\n")
    git("add", ".")
    expect(textOf(await stateOf(folder).changes())).toMatch(/^A {2}a\.txt\n[\s\S]*^\+one$/m)
  })

  it("is limited to the workspace when that is a part of the repository", async () => {
    const { folder, write } = committed({ "web/a.txt": "one\n", "other/secret.txt": "one\n" })
    write("web/a.txt", "two\n")
    write("other/secret.txt", "hunter2\n")
    const text = textOf(await stateOf(join(folder, "web")).changes())
    expect(text).toMatch(/^ M a\.txt\ndiff --git a\/a\.txt b\/a\.txt$/m)
    expect(text).not.toMatch(/hunter2|secret/)
  })

  it("leaves out what the project ignores, and says that something is left out", async () => {
    const { folder, write } = committed({ "a.txt": "one\n", ".env": "KEY=1\n" })
    write("a.txt", "two\n")
    write(".env", "KEY=hunter2\n")
    write("secret/key.txt", "hunter2\n")
    const text = textOf(await stateOf(folder, (path) => /^(?:\.env|secret\/?)/.test(path)).changes())
    expect(text).toMatch(/\+two/)
    expect(text).toMatch(/\(2 files kept from you by the project's ignore file\.\)/)
    expect(text).not.toMatch(/hunter2|\.env|secret/)
  })

  it("stays bounded, however much there is", async () => {
    const { folder, write } = committed({
      "a.txt": "",
      ...Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`f/${at}`, "1\n"])),
    })
    write("a.txt", "0123456789\n".repeat(200_000))
    for (let at = 0; at < 250; at++) write(`f/${at}`, "2\n")
    const text = textOf(await stateOf(folder).changes())
    expect(text.length).toBeLessThan(600_000)
    expect(text).toMatch(/The differences of 51 more files are left out/)
  })
})

describe("a commit", () => {
  it("comes with who, why, which files and the difference, the ignored ones left out", async () => {
    const { folder, write, git } = committed({ "a.txt": "one\n", ".env": "KEY=1\n" })
    write("a.txt", "two\n")
    write(".env", "KEY=hunter2\n")
    git("commit", "--quiet", "-a", "-m", "change both")
    const hash = git("rev-parse", "--short=7", "HEAD").trim()
    const text = textOf(await stateOf(folder, (path) => path === ".env").commit(hash))
    expect(text).toMatch(/^commit [0-9a-f]{40}\nAuthor: Somebody <somebody@example\.org>/)
    expect(text).toMatch(/change both[\s\S]*1 file kept from you[\s\S]* a\.txt \| 2 \+-[\s\S]*^\+two$/m)
    expect(text).not.toMatch(/hunter2|\.env/)
  })

  it.each(["0123456789abcdef", "--output=/tmp/x", "HEAD", ""])("%j is none", async (hash) => {
    expect(await stateOf(committed({ a: "1" }).folder).commit(hash)).toEqual({ unread: "there is no such commit" })
  })
})

describe("a hostile repository", () => {
  /** Every setting of git that is known to start a program on the way to a status, a difference or a commit. */
  const traps = (mark: (name: string) => string) => `
[core]
	fsmonitor = "${mark("fsmonitor")}"
	hooksPath = .hooks
	pager = "${mark("pager")}"
	sshCommand = "${mark("ssh")}"
	repositoryformatversion = 1
[filter "trap"]
	clean = "${mark("clean")}; cat"
	smudge = "${mark("smudge")}; cat"
	required = true
[filter "long"]
	process = "${mark("process")}"
[filter "with space"]
	clean = "${mark("space")}; cat"
[diff]
	external = "${mark("external")}"
[diff "trap"]
	command = "${mark("command")}"
	textconv = "${mark("textconv")}; cat"
[log]
	showSignature = true
[gpg]
	program = "${mark("gpg")}"
[pager]
	status = "${mark("pager2")}"
	diff = "${mark("pager3")}"
	show = "${mark("pager4")}"
[extensions]
	partialClone = origin
[remote "origin"]
	url = "ext::sh -c ${mark("fetch").replaceAll(" ", "% ")}"
	promisor = true
[protocol "ext"]
	allow = always
`

  function trapped(): Repository & { sprung(): string[] } {
    const made = committed({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" })
    const names: string[] = []
    const mark = (name: string) => {
      names.push(name)
      return `touch ${join(made.base, `sprung-${name}`)}`
    }
    appendFileSync(join(made.folder, ".git/config"), traps(mark))
    made.write(".gitattributes", "a.txt filter=trap diff=trap\nb.txt filter=long\nc.txt filter=with\n")
    made.write(".hooks/post-index-change", `#!/bin/sh\n${mark("hook")}\n`)
    execFileSync("chmod", ["+x", join(made.folder, ".hooks/post-index-change")])
    for (const name of ["a.txt", "b.txt", "c.txt"]) made.write(name, "two\n")
    return { ...made, sprung: () => names.filter((name) => existsSync(join(made.base, `sprung-${name}`))) }
  }

  it("runs nothing when its changes are looked at, while git itself would run it", async () => {
    const { folder, sprung, git } = trapped()
    const text = textOf(await stateOf(folder).changes())
    expect(sprung()).toEqual([])
    expect(text).toMatch(/^ M a\.txt$[\s\S]*^-one$\n^\+two$/m)
    try {
      git("diff", "HEAD")
    } catch {}
    expect(sprung()).toEqual(expect.arrayContaining(["fsmonitor", "clean"])) // the traps are real
  })

  it("runs nothing when a commit is looked at, also when it is missing and would have to be fetched", async () => {
    const { folder, sprung, git, base } = trapped()
    const hash = git("-c", "core.fsmonitor=false", "rev-parse", "HEAD").trim()
    rmSync(join(base, "sprung-fsmonitor"), { force: true })
    expect(textOf(await stateOf(folder).commit(hash))).toMatch(/^commit /)
    expect(await stateOf(folder).commit("0123456789abcdef0123456789abcdef01234567")).toMatchObject({ unread: expect.any(String) })
    expect(sprung()).toEqual([])
    try {
      git("show", "0123456789abcdef0123456789abcdef01234567")
    } catch {}
    expect(sprung()).toContain("fetch")
  })

  it("is not looked at when a name in its settings cannot be switched off", async () => {
    const { folder, base, write } = committed({ "a.txt": "one\n" })
    appendFileSync(join(folder, ".git/config"), `[filter "a=b"]\n\tclean = "touch ${join(base, "sprung")}; cat"\n`)
    write(".gitattributes", "* filter=a=b\n")
    write("a.txt", "two\n")
    expect(textOf(await stateOf(folder).changes())).toMatch(/^unread: could not be read: .*cannot be kept from running/)
    expect(existsSync(join(base, "sprung"))).toBe(false)
  })

  it("with settings from an included file is no different", async () => {
    const { folder, base, write } = committed({ "a.txt": "one\n" })
    appendFileSync(join(folder, ".git/config"), "[include]\n\tpath = ../included\n")
    write("included", `[filter "in"]\n\tclean = "touch ${join(base, "sprung")}; cat"\n`)
    write(".gitattributes", "*.txt filter=in\n")
    write("a.txt", "two\n")
    expect(textOf(await stateOf(folder).changes())).toMatch(/\+two/)
    expect(existsSync(join(base, "sprung"))).toBe(false)
  })

  it("cannot lead git to the files of another folder", async () => {
    const { folder, base, git } = committed({ "keys/id": "x\n" })
    mkdirSync(join(base, "private/keys"), { recursive: true })
    writeFileSync(join(base, "private/keys/id"), "hunter2\n")
    git("config", "core.worktree", join(base, "private"))
    expect(textOf(await stateOf(folder).changes())).toMatch(/^unread: .*another folder/)
    git("config", "core.worktree", base)
    expect(textOf(await stateOf(folder).changes())).toMatch(/^unread: .*another folder/)
  })

  it("does not reach into its submodules, and a workspace behind a link is still its own", async () => {
    const { folder, base, write, git } = committed({ "a.txt": "one\n" })
    const inner = join(folder, "inner")
    execFileSync("git", ["init", "--quiet", inner])
    execFileSync("git", [
      "-C",
      inner,
      "-c",
      "user.name=a",
      "-c",
      "user.email=b@c",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "x",
    ])
    git("add", "inner")
    git("commit", "--quiet", "-m", "with a module")
    appendFileSync(join(inner, ".git/config"), `[core]\n\tfsmonitor = "touch ${join(base, "sprung")}"\n`)
    write("inner/new.txt", "x")
    write("a.txt", "two\n")
    symlinkSync(folder, join(base, "link"))
    expect(textOf(await stateOf(join(base, "link")).changes())).toMatch(/^ M a\.txt$/m)
    expect(existsSync(join(base, "sprung"))).toBe(false)
  })
})

it("a folder outside of any repository, and one that only looks like a bare one, are none", async () => {
  const { base, git } = repository()
  const plain = join(base, "plain")
  mkdirSync(plain)
  expect(await stateOf(plain).changes()).toEqual({ unread: "is not in a git repository" })
  git("init", "--quiet", "--bare", join(base, "bare"))
  expect(await stateOf(join(base, "bare")).commit("abcdef1")).toEqual({ unread: "is not in a git repository" })
})
