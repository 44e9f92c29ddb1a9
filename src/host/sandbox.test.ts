import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JobStart } from "../types/job.ts"
import { ripgrep, sleepers, uniqueSleep } from "./job-test.ts"
import { openJobs } from "./jobs.ts"
import { clearSandbox, confine, sandboxProblem, sandboxWords } from "./sandbox.ts"
import { mountsOf, type SandboxRules } from "./sandbox-mounts.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const problem = await sandboxProblem()
const needed = "(needs bubblewrap; skipped where it cannot make a sandbox)"

interface Scene {
  base: string
  workspace: string
  rules: SandboxRules
  run(line: string, start?: Partial<JobStart>, rules?: Partial<SandboxRules>): Promise<{ text: string; code: number | null }>
  jobs: ReturnType<typeof openJobs>
}

async function scene(files: Record<string, string> = {}): Promise<Scene> {
  const base = await temporaryFolder({
    "home/key": "SECRET",
    "home/skills/x/run.sh": "echo skilled",
    "ws/a.txt": "a\n",
    ...files,
  })
  const workspace = join(base, "ws")
  const rules = { workspace, joeyHome: join(base, "home"), network: true, readOnly: false, writable: [], readable: [] }
  let current: SandboxRules = rules
  const jobs = openJobs({ folder: join(base, "home/tasks/t/commands"), ripgrep, sandbox: () => current })
  onTestFinished(() => jobs.close())
  return {
    base,
    workspace,
    rules,
    jobs,
    async run(line, start = {}, other = {}) {
      current = { ...rules, ...other }
      const job = await jobs.start(line, { cwd: workspace, ...start })
      await job.wait()
      return { text: [...job.notices, job.printed().text].join("\n").trim(), code: job.outcome?.exitCode ?? null }
    },
  }
}

describe.skipIf(problem !== undefined)(`a command in the sandbox ${needed}`, () => {
  it("writes in the workspace and in a /tmp of its own that lasts as long as the task, and nowhere else", async () => {
    const { run, workspace, base, jobs } = await scene({ "outside.txt": "mine" })
    const outside = join(base, "outside.txt")
    const elsewhere = `/usr/joey-sandbox-${process.pid}`
    const { text } = await run(
      `echo b > b.txt; echo t > /tmp/t; echo x > ${elsewhere}; echo x > ~/joey-sandbox-test; cat ${outside}`,
    )
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("b\n")
    expect(text.match(/Read-only file system/g)).toHaveLength(2)
    expect(text).toMatch(/outside\.txt: No such file/)
    expect([existsSync(elsewhere), existsSync(join(homedir(), "joey-sandbox-test")), existsSync("/tmp/t")]).toEqual([
      false,
      false,
      false,
    ])
    expect((await run("cat /tmp/t")).text).toBe("t")
    await jobs.close()
    expect(existsSync(join(base, "home/tasks/t/commands/sandbox"))).toBe(false)
  })

  it("sees no secrets of Joey, no other process, and keeps what a skill brings along", async () => {
    const { run, base } = await scene()
    const { text } = await run(
      `cat ${base}/home/key; sh ${base}/home/skills/x/run.sh; ls /proc | grep -c '^[0-9]'; ls -A /run | head -3`,
    )
    expect(text).toMatch(/home\/key: No such file or directory\nskilled\n\d$/)
    expect(text).not.toContain("SECRET")
  })

  it("cannot rewrite what steers Joey, git or an editor, nor move it out of the way", async () => {
    const { run, workspace } = await scene({ "ws/.joey/settings.json": "{}", "ws/.roo/rules/a.md": "r", "ws/AGENTS.md": "a" })
    execFileSync("git", ["init", "-q", workspace])
    const attempts = [
      ...["echo x > .joey/settings.json", "rm -rf .roo", "mv .joey j", "echo x >> AGENTS.md", "echo x > .git/hooks/pre-commit"],
      ...["mv .git g", "git config core.fsmonitor evil", "rm -rf .git/hooks"],
    ]
    for (const attempt of attempts) expect((await run(attempt)).code, attempt).not.toBe(0)
    expect(readFileSync(join(workspace, ".joey/settings.json"), "utf8")).toBe("{}")
    expect(readFileSync(join(workspace, ".roo/rules/a.md"), "utf8")).toBe("r")
    const commit = "git add a.txt && git -c user.name=a -c user.email=a@b.example commit -qm first && git log --format=%s"
    expect((await run(commit)).text).toBe("first")
    expect(await run("echo ../evil > .git/commondir")).toMatchObject({
      text: expect.stringMatching(/commondir was made .* removed/),
    })
    expect(existsSync(join(workspace, ".git/commondir"))).toBe(false)
    expect((await run("echo y > .joey/y", {}, { writable: [".joey"] })).code).toBe(0)
  })

  it("cannot change the workspace in a mode that only reads", async () => {
    const { run, workspace } = await scene()
    expect(await run("cat a.txt; echo b > b.txt", {}, { readOnly: true })).toMatchObject({
      text: expect.stringMatching(/^a\n.*Read-only/),
    })
    expect(existsSync(join(workspace, "b.txt"))).toBe(false)
    expect((await run("echo t > /tmp/t && cat /tmp/t", {}, { readOnly: true })).text).toBe("t")
  })

  it("reaches no network where that is off, not even this machine's own", async () => {
    const server = createServer((socket) => socket.end("hello\n"))
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const { run } = await scene()
    const line = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
    expect(await run(line)).toMatchObject({ text: "hello" })
    expect((await run(line, {}, { network: false })).text).toContain("Connection refused")
  })

  it("has no rights of an administrator, and cannot undo a wall", async () => {
    const { run } = await scene()
    const { text } = await run(
      "grep CapEff /proc/self/status; mount -o remount,rw,bind / ; umount /tmp; unshare -Urm umount -l /tmp",
    )
    expect(text).toMatch(/CapEff:\s+0{16}/)
    expect(text).not.toMatch(/^ok/m)
    expect((await run("touch /joey-sandbox-test")).code).not.toBe(0)
  })

  it("tells its exit code, runs on a terminal, and takes lines of any length", async () => {
    const { run } = await scene()
    expect((await run("exit 7")).code).toBe(7)
    expect((await run("test -t 0 && test -t 1 && echo yes", { terminal: true })).text).toBe("yes")
    expect((await run(`: ${"x".repeat(150_000)}; echo long`)).text).toBe("long")
  })

  it("can be interrupted on its terminal without being ended", async () => {
    const { jobs, workspace } = await scene()
    const job = await jobs.start("trap 'echo caught' INT; echo ready; read line; read line; echo [$line]", {
      cwd: workspace,
      terminal: true,
    })
    const shows = async (words: string) => {
      for (let waited = 0; waited < 10_000 && !job.printed().text.includes(words); waited += 20) await sleep(20)
      expect(job.printed().text).toContain(words)
    }
    await shows("ready")
    await job.write("\u0003")
    await shows("caught")
    await job.write("more\nmore\n")
    await shows("[more]")
    await job.wait()
    expect(job.outcome).toEqual({ exitCode: 0, ending: "exited" })
  })

  it("ends with everything it started, also what left its session, and may leave something running", async () => {
    const { run, jobs } = await scene()
    const [stays, hides, runs] = [uniqueSleep(), uniqueSleep(), uniqueSleep()]
    await run(`sleep ${stays} & echo`)
    expect(jobs.all().at(-1)?.outcome).toMatchObject({ exitCode: 0, leftRunning: true })
    expect(sleepers(stays)).toBe(1)
    await jobs.all().at(-1)?.kill()
    expect(sleepers(stays)).toBe(0)
    expect(await run(`setsid sleep ${hides} & disown; sleep ${runs}`, { limitMs: 300 })).toMatchObject({ code: null })
    expect([sleepers(hides), sleepers(runs)]).toEqual([0, 0])
  })

  it("leaves nothing running where nothing was left", async () => {
    const { run, jobs } = await scene()
    for (let times = 0; times < 5; times++) await run("true")
    expect(jobs.all().map(({ outcome }) => outcome?.leftRunning ?? false)).toEqual(Array(5).fill(false))
  })

  it("is refused in a folder that is not there behind the walls", async () => {
    const { run, base } = await scene({ "elsewhere/": "" })
    await expect(run("ls", { cwd: join(base, "elsewhere") })).rejects.toThrow(
      "is not there in the sandbox; run commands in the workspace",
    )
    expect((await run("pwd", { cwd: join(base, "elsewhere") }, { writable: [join(base, "elsewhere")] })).code).toBe(0)
  })
})

describe("the sandbox", () => {
  it.each([
    ["win32", undefined, /^There is no sandbox on win32, only on Linux\. Nothing was run/],
    ["linux", undefined, /^The sandbox needs bubblewrap: install the package bubblewrap .* Nothing was run/],
    [
      "linux",
      "exit 1",
      /^bubblewrap cannot make a sandbox here \(no namespaces for you\); joey doctor says more\. Nothing was run/,
    ],
  ])("refuses the command where it cannot be had, and says what to do: %s", async (platform, script, words) => {
    const folder = await temporaryFolder({ bwrap: `#!/bin/sh\necho no namespaces for you >&2\n${script}\n` })
    chmodSync(join(folder, "bwrap"), 0o755)
    const machine = { platform, find: async () => script && join(folder, "bwrap"), working: new Map() }
    const rules = { workspace: "/", joeyHome: "/none", network: true, readOnly: false, writable: [], readable: [] }
    const started = confine({ program: "sh", args: [], cwd: "/", env: {}, rules, folder }, machine)
    await expect(started).rejects.toThrow(words)
    expect(machine.working.size).toBe(0)
  })

  it("is not led elsewhere by links of the project", async () => {
    const base = await temporaryFolder({ "ws/": "", "home/": "", "victim/objects/": "" })
    const workspace = join(base, "ws")
    for (const name of [".joey", ".roo", ".vscode"]) symlinkSync("/", join(workspace, name))
    symlinkSync(join(base, "victim"), join(workspace, ".git"))
    const rules = { workspace, joeyHome: join(base, "home"), network: true, readOnly: false, writable: [], readable: [] }
    const written = () => mountsOf(rules, "/t").filter(({ kind, from }) => kind === "write" && !from)
    expect(written().map(({ path }) => path)).toEqual([workspace])
    expect(mountsOf(rules, "/t").some(({ path }) => path === "/")).toBe(false)
    execFileSync("rm", [join(workspace, ".git")])
    mkdirSync(join(workspace, "fake"))
    writeFileSync(join(workspace, "fake/gitdir"), join(workspace, ".git"))
    writeFileSync(join(workspace, "fake/commondir"), join(base, "victim"))
    writeFileSync(join(workspace, ".git"), "gitdir: fake\n")
    expect(written().map(({ path }) => path)).toEqual([workspace])
  })

  it("lets a worktree write to its repository, but not to its hooks", async () => {
    const base = await temporaryFolder({ "main/a": "a", "home/": "" })
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", join(base, "main"), "-c", "user.name=a", "-c", "user.email=a@b.example", ...args])
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "first")
    git("worktree", "add", "-q", join(base, "ws"))
    const rules = {
      workspace: join(base, "ws"),
      joeyHome: join(base, "home"),
      network: true,
      readOnly: false,
      writable: [],
      readable: [],
    }
    const mounts = new Map(mountsOf(rules, "/t").map(({ path, kind }) => [path, kind]))
    const ofGit = [".git", ".git/hooks", ".git/config"].map((name) => mounts.get(join(base, "main", name)))
    expect([...ofGit, mounts.get(join(base, "ws/.git"))]).toEqual(["write", "read", "read", "read"])
  })

  it("says in one line what commands can do", () => {
    expect(sandboxWords({ network: false, readOnly: true })).toBe(
      "Commands run in a sandbox: they cannot change the workspace and write only in a /tmp of their own, have no network, and see no secrets. What steers git or Joey is read-only.",
    )
  })

  it("clears what is not there without a word", async () => {
    await expect(clearSandbox("/nowhere/at/all")).resolves.toBeUndefined()
  })
})
