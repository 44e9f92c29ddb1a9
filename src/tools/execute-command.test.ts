import { describe, expect, it } from "vitest"
import { guardedHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { memoryHost, type ScriptedRun } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { Show } from "../types/show.ts"
import { callTool } from "./call-tool.ts"
import { executeCommand } from "./execute-command.ts"

/** Runs a command that goes as scripted. */
function ran(run: ScriptedRun, args: { cwd?: string; timeout?: number } = {}) {
  return callTool(executeCommand, { command: "it", ...args }, memoryHost({ "sub/a": "" }, { runs: { it: run } }))
}

describe("execute_command tells the model", () => {
  it("S32 S42: the exit code and the output", async () => {
    const { say, show } = await ran({ stdout: "all good\n" })
    expect(say).toBe("Exit code: 0\nOutput:\nall good")
    expect(show).toEqual({ kind: "command", command: "it", output: "all good", exitCode: 0 })
  })

  it("that nothing was printed", async () => {
    expect((await ran({})).say).toBe("Exit code: 0\nIt printed nothing.")
  })

  it.each([
    [1, "Exit code: 1 (the command reports a failure)"],
    [126, "Exit code: 126 (found, but it cannot be executed)"],
    [127, "Exit code: 127 (a command was not found)"],
    [139, "Exit code: 139 (a program in it was ended by SIGSEGV)"],
  ])("what exit code %i means, as a result and not as an error", async (exitCode, words) => {
    const { say, show } = await ran({ exitCode, stderr: "oops" })
    expect(say).toBe(`${words}\nOutput:\noops`)
    expect(show).toMatchObject({ exitCode, output: "oops" })
  })

  it("the signal that ended it", async () => {
    const { say, show } = await ran({ signal: "SIGKILL" })
    expect(say).toMatch(/^Ended by SIGKILL, often because memory ran out\./)
    expect(show).toMatchObject({ ending: "signal" })
  })

  it("the working directory when it is not the workspace", async () => {
    expect((await ran({}, { cwd: "sub" })).say).toMatch(/^Working directory: sub\nExit code: 0/)
    expect((await ran({}, { cwd: "." })).say).toMatch(/^Exit code: 0/)
  })

  it("S42: that its time was over, with the output so far", async () => {
    const { say, show } = await ran({ stdout: "half\n", hangs: true }, { timeout: 0.05 })
    expect(say).toMatch(/^Not finished: it was killed .* 0\.05 seconds .*\nOutput:\nhalf$/)
    expect(show).toMatchObject({ ending: "timed-out", output: "half" })
  })

  it("much output in its beginning and end, without colours and bells", async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n")
    const { say } = await ran({ stdout: `\u001b[31mred\u001b[0m\n${lines}\u0007` })
    expect(say).toMatch(/^Exit code: 0\nOutput:\nred\nline 0\n/)
    expect(say).toMatch(/… \d+ characters left out …/)
    expect(say).toContain("line 19999")
    expect(say.length).toBeLessThan(20_200)
    expect(say).not.toContain("\u001b")
  })
})

describe("execute_command", () => {
  it("shows the end of the output while it runs", async () => {
    const shows: Show[] = []
    const host = memoryHost({}, { runs: { it: { stdout: "x".repeat(5000), stderr: "now" } } })
    const context = { host, signal: new AbortController().signal, callKey: "1", progress: (show: Show) => void shows.push(show) }
    await executeCommand.run({ command: "it" }, context)
    expect(shows).toHaveLength(2)
    expect(shows[1]).toMatchObject({ kind: "command", command: "it", output: expect.stringMatching(/^x{1997}now$/) })
  })

  it("rejects with the reason of the cancel, when the command is gone", async () => {
    const host = memoryHost({}, { runs: { it: { hangs: true } } })
    const stop = new AbortController()
    const running = executeCommand.run({ command: "it" }, { host, signal: stop.signal, callKey: "1", progress() {} })
    setTimeout(() => stop.abort(), 20)
    await expect(running).rejects.toSatisfy((error) => error === stop.signal.reason)
  })

  it.each([
    [{ command: " \n" }, "`command`: expected a command, got nothing"],
    [{}, "`command`: expected string, got nothing"],
    [{ command: "ls", timeout: 100_000 }, "`timeout`"],
    [{ command: "ls", timeout: 0 }, "`timeout`"],
  ])("S42 S16: refuses %j before anything runs", (args, problem) => {
    const checked = executeCommand.input.check(args)
    expect(checked.ok ? [] : checked.problems).toEqual([expect.stringContaining(problem)])
  })

  it("takes null for what is left out, and names the folder it touches", () => {
    expect(executeCommand.input.check({ command: "ls", cwd: null, timeout: null })).toMatchObject({ ok: true })
    expect(executeCommand.touches?.({ command: "ls", cwd: "sub" })).toEqual(["sub"])
    expect(executeCommand.touches?.({ command: "ls" })).toEqual([])
  })

  it("runs for real, in a folder that is there and admitted", async () => {
    const folder = await temporaryFolder({ "sub/a.txt": "hello" })
    const host = guardedHost(localHost(folder), { roots: [folder] })
    expect((await callTool(executeCommand, { command: "cat a.txt && exit 4", cwd: "sub" }, host)).say).toBe(
      "Working directory: sub\nExit code: 4 (the command reports a failure)\nOutput:\nhello",
    )
    await expect(callTool(executeCommand, { command: "ls", cwd: "none" }, host)).rejects.toMatchObject({ code: "not-found" })
    await expect(callTool(executeCommand, { command: "ls", cwd: ".." }, host)).rejects.toMatchObject({ code: "outside" })
  })
})
