import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { guardedHost } from "../host/guarded.ts"
import { ripgrep, sleepers, uniqueSleep } from "../host/job-test.ts"
import { type JobsOptions, openJobs } from "../host/jobs.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { JsonObject } from "../types/json.ts"
import type { Show } from "../types/show.ts"
import { callTool } from "./call-tool.ts"
import { type CommandPort, executeCommand } from "./execute-command.ts"
import { noJobs } from "./no-jobs.ts"

/** A workspace with a folder `sub`, the tool, and the commands it runs. */
async function ground(options: Partial<JobsOptions & CommandPort> = {}) {
  const [workspace, folder] = await Promise.all([temporaryFolder({ "sub/a.txt": "hello" }), temporaryFolder()])
  const jobs = openJobs({ folder, ripgrep, ...options })
  onTestFinished(() => jobs.close())
  const host = guardedHost(localHost(workspace), { roots: [workspace] })
  const tool = executeCommand({ jobs, ...(options.commandLimit && { commandLimit: options.commandLimit }) })
  return { workspace, jobs, host, tool }
}

async function ran(command: string, args: JsonObject = {}, options: Partial<JobsOptions & CommandPort> = {}) {
  const { tool, host } = await ground(options)
  return callTool(tool, { command, ...args }, host)
}

describe("execute_command tells the model", () => {
  it("S32 S42: the exit code and the output", async () => {
    const { say, show } = await ran("echo all good")
    expect(say).toBe("Exit code: 0\nOutput:\nall good")
    expect(show).toEqual({ kind: "command", command: "echo all good", output: "all good", exitCode: 0 })
  })

  it("that nothing was printed", async () => {
    expect((await ran("true")).say).toBe("Exit code: 0\nIt printed nothing.")
  })

  it.each([
    [1, "Exit code: 1 (the command reports a failure)"],
    [126, "Exit code: 126 (found, but it cannot be executed)"],
    [127, "Exit code: 127 (a command was not found)"],
    [139, "Exit code: 139 (a program in it was ended by SIGSEGV)"],
  ])("what exit code %i means, as a result and not as an error", async (exitCode, words) => {
    const { say, show } = await ran(`echo oops >&2; exit ${exitCode}`)
    expect(say).toBe(`${words}\nOutput:\noops`)
    expect(show).toMatchObject({ exitCode, output: "oops" })
  })

  it("the signal that ended it", async () => {
    const { say, show } = await ran("kill -9 $$")
    expect(say).toMatch(/^Ended by SIGKILL, often because memory ran out\./)
    expect(show).toMatchObject({ ending: "signal" })
  })

  it("the working directory when it is not the workspace", async () => {
    expect((await ran("cat a.txt", { cwd: "sub" })).say).toBe("Working directory: sub\nExit code: 0\nOutput:\nhello")
    expect((await ran("true", { cwd: "." })).say).toMatch(/^Exit code: 0/)
  })

  it("S42: that the configured shell is missing and another ran it", async () => {
    const { say } = await ran("echo works", {}, { shell: "fish-that-is-not-here" })
    expect(say).toBe("fish-that-is-not-here is not here; /bin/sh runs this instead.\nExit code: 0\nOutput:\nworks")
  })

  it("much output in its beginning and end, without colours and bells, and where all of it is", async () => {
    const { say } = await ran("printf '\\033[31mred\\033[0m\\n'; seq 20000; printf '\\a'")
    expect(say).toMatch(/^Exit code: 0\nOutput; all 109 KB of it: read_command_output cmd-1:\nred\n1\n2\n/)
    expect(say).toMatch(/… \d+ characters left out …/)
    expect(say).toMatch(/\n20000$/)
    expect(say.length).toBeLessThan(20_200)
    expect(say).not.toContain("\u001b")
  })

  it("that processes it started still run", async () => {
    const { say } = await ran("sleep 30 & echo started")
    expect(say).toBe(
      "Exit code: 0\nProcesses that it started still run; they end with the task.\n(They belong to cmd-1.)\nOutput:\nstarted",
    )
  })

  it("S42: that it goes on in the background when the time is over, with the output so far", async () => {
    const { say, show } = await ran("echo half; sleep 30", { timeout: 0.2 })
    expect(say).toMatch(/^Still running after 0\.2 seconds; it goes on in the background as cmd-1\. .*\nOutput so far:\nhalf$/)
    expect(show).toMatchObject({ ending: "background", output: "half" })
  })

  it("that the person's time limit killed it", async () => {
    const limit = (line: string) => (line.startsWith("sleep") ? 0.1 : undefined)
    const { say, show } = await ran("sleep 30", {}, { commandLimit: limit })
    expect(say).toMatch(/^It was killed .* time limit that the person has set/)
    expect(show).toMatchObject({ ending: "timed-out" })
    expect((await ran("echo x; sleep 0.2", {}, { commandLimit: limit })).say).toMatch(/^Exit code: 0/)
  })
})

describe("execute_command", () => {
  it.each<JsonObject>([{ timeout: 0 }, { background: true, timeout: 0.05 }, { run_in_background: "true", timeout: "0.05" }])(
    "leaves a command running with %j",
    async (args) => {
      const { tool, host, jobs } = await ground()
      const { say } = await callTool(tool, { command: "sleep 30", ...args }, host)
      expect(say).toContain("It has printed nothing yet.")
      expect(jobs.running()).toHaveLength(1)
    },
  )

  it("shows the end of the output while it runs", async () => {
    const { tool, host } = await ground()
    const shows: Show[] = []
    const context = { host, signal: new AbortController().signal, callKey: "1", progress: (show: Show) => void shows.push(show) }
    await tool.run({ command: "seq 2000; sleep 0.3; echo now" }, context)
    expect(shows[0]).toMatchObject({ kind: "command", output: expect.stringMatching(/\n2000\n$/) })
    expect(JSON.stringify(shows[0]).length).toBeLessThan(3000)
  })

  it("rejects with the reason of the cancel, when the command is gone", async () => {
    const { tool, host } = await ground()
    const seconds = uniqueSleep()
    const stop = new AbortController()
    const running = tool.run(
      { command: `sleep ${seconds} & sleep ${seconds}` },
      { host, signal: stop.signal, callKey: "1", progress() {} },
    )
    while (sleepers(seconds) < 2) await sleep(10)
    stop.abort()
    await expect(running).rejects.toSatisfy((error) => error === stop.signal.reason)
    expect(sleepers(seconds)).toBe(0)
  })

  it("starts nothing when it is cancelled already", async () => {
    const { tool, host, jobs } = await ground()
    const context = { host, signal: AbortSignal.abort(), callKey: "1", progress() {} }
    await expect(tool.run({ command: "echo x" }, context)).rejects.toMatchObject({ name: "AbortError" })
    expect(jobs.all()).toEqual([])
  })

  it.each([
    [{ command: " \n" }, "`command`: expected a command, got nothing"],
    [{}, "`command`: expected string, got nothing"],
    [{ command: 7 }, "`command`: expected string"],
    [{ command: null }, "`command`: expected string"],
    [{ command: ["ls"] }, "`command`: expected string"],
    [{ command: "ls", cwd: {} }, "`cwd`"],
    [{ command: "ls", timeout: 100_000 }, "`timeout`"],
    [{ command: "ls", timeout: -1 }, "`timeout`"],
    [{ command: "ls", timeout: "soon" }, "`timeout`"],
    [{ command: "ls", terminal: "maybe" }, "`terminal`"],
  ])("S42 S16: refuses %j before anything runs", (args, problem) => {
    const checked = executeCommand({ jobs: noJobs }).input.check(args)
    expect(checked.ok ? [] : checked.problems).toEqual([expect.stringContaining(problem)])
  })

  it("takes null for what is left out, and names what it touches and runs", () => {
    const tool = executeCommand({ jobs: noJobs })
    expect(tool.input.check({ command: "ls", cwd: null, timeout: null, terminal: null })).toMatchObject({ ok: true })
    expect(tool.touches?.({ command: "ls", cwd: "sub" })).toEqual(["sub"])
    expect(tool.touches?.({ command: "ls" })).toEqual([])
    expect(tool.runs?.({ command: "ls", cwd: "sub" })).toEqual([{ line: "ls", cwd: "sub" }])
  })

  it.each([
    ["none", "not-found"],
    ["..", "outside"],
    ["/etc", "outside"],
    ["sub/a.txt", "not-directory"],
    ["sub\0", "other"],
  ])("does not run in %j", async (cwd, code) => {
    await expect(ran("echo x", { cwd })).rejects.toMatchObject({ name: "HostError", code })
  })

  it("refuses a NUL in one line", async () => {
    await expect(ran("echo \0")).rejects.toThrow("expected a command without NUL")
  })
})
