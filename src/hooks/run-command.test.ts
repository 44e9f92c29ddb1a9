import { spawnSync } from "node:child_process"
import { describe, expect, it, vi } from "vitest"
import { type CommandOptions, type CommandOutcome, runCommand } from "./run-command.ts"

const run = (shell: string, options: Partial<CommandOptions> = {}): Promise<CommandOutcome> =>
  runCommand({ shell }, { input: "", timeoutMs: 5000, cwd: "/", env: { PATH: process.env["PATH"] }, ...options })

describe("runCommand", () => {
  it("hands the input over and gives both outputs and the exit code", async () => {
    const outcome = await run("cat; echo no >&2; exit 3", { input: "words" })
    expect(outcome).toEqual({ exitCode: 3, stdout: "words", stderr: "no\n", ending: "exited", cut: false })
  })

  it("runs a program without a shell: its arguments are words, not code", async () => {
    const options = { input: "", timeoutMs: 5000, cwd: "/", env: { PATH: process.env["PATH"] } }
    const outcome = await runCommand({ program: "echo", args: ["$(id)", "a b"] }, options)
    expect(outcome.stdout).toBe("$(id) a b\n")
  })

  it("does not mind a command that reads nothing of a large input", async () => {
    expect(await run("exit 0", { input: "x".repeat(5_000_000) })).toMatchObject({ exitCode: 0, ending: "exited" })
  })

  it("keeps a bounded part of endless output and ends it when its time is over", async () => {
    const outcome = await run("yes", { timeoutMs: 300 })
    expect(outcome).toMatchObject({ ending: "timed-out", exitCode: null, cut: true })
    expect(outcome.stdout.length).toBe(1024 * 1024)
  })

  it("ends a command that refuses to end, with all it started", async () => {
    const started = performance.now()
    const outcome = await run("trap '' TERM; sleep 30 & echo $! ; while :; do sleep 0.1; done", { timeoutMs: 200 })
    expect(outcome.ending).toBe("timed-out")
    expect(performance.now() - started).toBeLessThan(4000)
    await vi.waitFor(() => expect(isAlive(Number(outcome.stdout.trim()))).toBe(false))
  })

  it("is not held up by a background process that keeps the pipes open", async () => {
    const started = performance.now()
    const outcome = await run("sleep 20 & echo done")
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "done\n" })
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it("is ended by a cancel, and not started after one", async () => {
    const cancel = new AbortController()
    const running = run("sleep 20", { signal: cancel.signal })
    setTimeout(() => cancel.abort(), 50)
    expect(await running).toMatchObject({ ending: "cancelled", exitCode: null })
    expect(await run("echo hello", { signal: cancel.signal })).toMatchObject({ ending: "cancelled", stdout: "" })
  })

  it("says why something cannot be started, and never rejects", async () => {
    const options = { input: "", timeoutMs: 1000, cwd: "/", env: {} }
    expect(await runCommand({ program: "/no/such", args: [] }, options)).toMatchObject({ ending: "not-started", exitCode: null })
    expect(await run("true", { cwd: "/no/such/folder" })).toMatchObject({ ending: "not-started" })
    expect(await run("echo \0")).toMatchObject({ ending: "not-started" })
  })

  it("sees what the environment it is given has, and nothing else", async () => {
    expect((await run("echo $SECRET-$GIVEN", { env: { PATH: process.env["PATH"], GIVEN: "yes" } })).stdout).toBe("-yes\n")
  })
})

/** Where nobody collects the dead, they keep their number for a while: they do not count. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z")
}
