import { describe, expect, it, onTestFinished } from "vitest"
import { ripgrep } from "../host/job-test.ts"
import { openJobs } from "../host/jobs.ts"
import { memoryHost } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { Job } from "../types/job.ts"
import type { JsonObject } from "../types/json.ts"
import { callTool } from "./call-tool.ts"
import { noJobs } from "./no-jobs.ts"
import { readCommandOutput } from "./read-command-output.ts"
import { sendCommandInput } from "./send-command-input.ts"

/** The commands were run, or still run after the time given. */
async function havingRun(lines: string[], { ms = 10_000, terminal = false } = {}) {
  const jobs = openJobs({ folder: await temporaryFolder(), ripgrep })
  onTestFinished(() => jobs.close())
  const started: Job[] = []
  for (const line of lines) {
    const job = await jobs.start(line, { cwd: "/", terminal })
    await job.wait({ ms })
    started.push(job)
  }
  const read = async (args: JsonObject) => String((await callTool(readCommandOutput({ jobs }), args, memoryHost({}))).say)
  const type = async (args: JsonObject) => (await callTool(sendCommandInput({ jobs }), args, memoryHost({}))).say
  return { jobs, started, read, type }
}

describe("read_command_output", () => {
  it.each(["cmd-1", "cmd-1.txt", "1", "cmd-001", " cmd-1 "])(
    "S32: reads all of a short output by the name %j",
    async (artifact_id) => {
      const { read } = await havingRun(["echo one; echo two; exit 2"])
      expect(await read({ artifact_id })).toBe(
        "cmd-1: Exit code: 2 (the command reports a failure)\nAll 8 bytes.\n1 | one\n2 | two",
      )
    },
  )

  it("takes a number, and other agents' words", async () => {
    const { read } = await havingRun(["echo one"])
    expect(await read({ artifact_id: 1 })).toContain("1 | one")
    expect(await read({ bash_id: "1", filter: "ONE" })).toContain("1 line matches")
  })

  it("reads page by page to the end, and says where to go on", async () => {
    const { read } = await havingRun(["seq 10000"])
    const seen: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await read({ artifact_id: "1", offset, limit: 20_000 })
      seen.push(...page.split("\n").slice(2))
      const next: string | undefined = /Go on with offset (\d+)/.exec(page)?.[1]
      offset = next === undefined ? undefined : Number(next)
    }
    expect(seen.map((line) => line.split(" | ")[1])).toEqual(Array.from({ length: 10_000 }, (_, index) => String(index + 1)))
    expect(seen.at(-1)).toBe("10000 | 10000")
  })

  it("reads from the end with a negative offset, and 40 KB unless told otherwise", async () => {
    const { read } = await havingRun(["seq 100000"])
    expect(await read({ artifact_id: "1", offset: -15 })).toMatch(
      /Bytes \d+ to 588895 of 588895\.\n 99999 \| 99999\n100000 \| 100000$/,
    )
    const first = await read({ artifact_id: "1", offset: null, limit: null, search: null })
    expect(first.length).toBeGreaterThan(40_000)
    expect(first).toMatch(/Bytes 0 to 409\d\d of 588895\. Go on with offset 409\d\d\./)
  })

  it("finds lines by a regular expression, whatever their case, and counts them all", async () => {
    const { read } = await havingRun(["seq 1000; echo FAILED: x"])
    expect(await read({ artifact_id: "1", search: "^failed" })).toMatch(/\n1 line matches "\^failed":\n1001 \| FAILED: x$/)
    expect(await read({ artifact_id: "1", search: "^\\d+$" })).toContain('1000 lines match "^\\\\d+$"; the first 200:\n  1 | 1\n')
    expect(await read({ artifact_id: "1", search: "nothing like it" })).toContain("No line matches")
    expect(await read({ artifact_id: "1", search: "x)" })).toContain("taken literally because it is no regular expression")
  })

  it("reads what runs, from its end; waits for it; kills it", async () => {
    const { read, started } = await havingRun(["seq 30000; sleep 1; echo end; sleep 30"], { ms: 500 })
    expect(await read({ artifact_id: "1", limit: 50 })).toMatch(/^cmd-1: Running for [\d.]+ s\.\n.*\n(.*\n)*30000 \| 30000$/)
    let page = await read({ artifact_id: "1", limit: 50, wait: 0.6 })
    while (!page.includes("end")) page = await read({ artifact_id: "1", limit: 50, wait: 0.1 })
    expect(page).toMatch(/Running for [\s\S]*\| end$/)
    expect(await read({ artifact_id: "1", limit: 50, kill: true })).toMatch(/^cmd-1: It was killed .*[\s\S]*\| end$/)
    expect(started[0]?.outcome?.ending).toBe("killed")
    expect(await read({ artifact_id: "1", kill: true, limit: 50 })).toMatch(/^cmd-1: It was killed/)
  })

  it("lists the commands when none is named, the latest ones if there are many", async () => {
    const { read } = await havingRun([...Array.from({ length: 16 }, (_, index) => `exit ${index}`), "echo x; sleep 30"], {
      ms: 300,
    })
    const list = await read({})
    expect(list).toContain(
      "(2 earlier ones are left out)\ncmd-3, 0 bytes: exit 2 | Exit code: 2 (the command reports a failure)\n",
    )
    expect(list).toMatch(/\ncmd-17, 2 bytes: echo x; sleep 30 \| Running for [\d.]+ s\.$/)
    expect(await callTool(readCommandOutput({ jobs: noJobs }), {}, memoryHost({}))).toEqual({
      say: "No command has been run in this task.",
    })
  })

  it("says that nothing was printed, or nothing yet", async () => {
    const { read } = await havingRun(["true", "sleep 30"], { ms: 300 })
    expect(await read({ artifact_id: "1" })).toBe("cmd-1: Exit code: 0\nIt printed nothing.")
    expect(await read({ artifact_id: "2" })).toMatch(/It has printed nothing yet\.$/)
  })

  it.each([
    [{ artifact_id: "cmd-9" }, /^There is no command "cmd-9"\. Commands of this task:\ncmd-1/],
    [{ artifact_id: "../cmd-1.txt" }, /^There is no command/],
    [{ artifact_id: "/etc/passwd" }, /^There is no command/],
    [{ artifact_id: "cmd-1.txt\0" }, /^There is no command/],
    [{ artifact_id: "x".repeat(1_000_000) }, /^There is no command "x{100}"/],
    [{ artifact_id: "1", offset: 99 }, /^cmd-1 has 2 bytes; there is none at offset 99\.$/],
    [{ artifact_id: "1", search: "a\0b" }, /NUL/],
  ])("S16: says what is wrong with %j, and reads nothing else", async (args, words) => {
    const { read } = await havingRun(["echo x"])
    await expect(read(args)).rejects.toMatchObject({ name: "ToolError", message: expect.stringMatching(words) })
  })

  it.each([
    [{ artifact_id: {} }, "`artifact_id`"],
    [{ artifact_id: "1", limit: 0 }, "`limit`"],
    [{ artifact_id: "1", limit: 1e9 }, "`limit`"],
    [{ artifact_id: "1", offset: 1.5 }, "`offset`"],
    [{ artifact_id: "1", wait: -1 }, "`wait`"],
    [{ artifact_id: "1", search: "x".repeat(2000) }, "`search`"],
    [{ artifact_id: "1", kill: "perhaps" }, "`kill`"],
  ])("S16: refuses %j before anything is read", (args, problem) => {
    const checked = readCommandOutput({ jobs: noJobs }).input.check(args)
    expect(checked.ok ? [] : checked.problems).toEqual([expect.stringContaining(problem)])
  })
})

describe("send_command_input", () => {
  it("types into a command and tells what it answers", async () => {
    const { type, jobs } = await havingRun(["read -p 'name? ' name; echo hello $name; sleep 0.2; exit 3"], {
      ms: 300,
      terminal: true,
    })
    expect(jobs.running()).toHaveLength(1)
    expect(await type({ artifact_id: "cmd-1", input: "joey\n" })).toMatch(/It printed:\n(joey\n)?hello joey$/)
    await jobs.find("cmd-1")?.wait()
    await expect(type({ artifact_id: "cmd-1", input: "x" })).rejects.toMatchObject({
      name: "ToolError",
      message: expect.stringMatching(/^cmd-1 is over, it takes no input any more\. Exit code: 3/),
    })
  })

  it("says that a command without a terminal has no input", async () => {
    const { type } = await havingRun(["sleep 30"], { ms: 10 })
    await expect(type({ artifact_id: "cmd-1", input: "x" })).rejects.toMatchObject({
      message: expect.stringContaining("has no input"),
    })
  })

  it("is asked for what it is: nobody knows what reads the words, so no rule about commands fits them", () => {
    const tool = sendCommandInput({ jobs: noJobs })
    expect(tool.effect).toBe("execute")
    expect(tool.runs).toBeUndefined()
  })
})
