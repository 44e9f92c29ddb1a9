import { describe, expect, it } from "vitest"
import type { Job, JobOutcome } from "../types/job.ts"
import { backgroundCommands, commandLimit, howItEnded, jobEndedNote, showJob } from "./job-words.ts"
import { noJobs } from "./no-jobs.ts"

function jobWith(facts: Partial<Job>): Job {
  return {
    id: "cmd-4",
    command: "npm run build",
    cwd: "/w/sub",
    startedAt: 1000,
    notices: [],
    outcome: undefined,
    outputFile: "/x",
    bytes: 0,
    printed: () => ({ text: "", cut: false }),
    news: () => "",
    wait: async () => true,
    read: async () => ({ lines: [], from: 0, to: 0, total: 0 }),
    search: async () => ({ lines: [], total: 0, literal: false }),
    write: async () => {},
    kill: async () => ({ exitCode: null, ending: "killed" }),
    ...facts,
  }
}

describe("the note about a command that ended in the background", () => {
  it("says who tells it, which command, how it ended, and the end of what it printed", () => {
    const job = jobWith({ outcome: { exitCode: 1, ending: "exited" }, news: () => "error: ``` done" })
    expect(jobEndedNote(job, 36_000)).toBe(
      [
        "A command in the background is over, told by Joey and not by the person. cmd-4: npm run build",
        "It ran for 35 s. Exit code: 1 (the command reports a failure)",
        "The end of what it printed:",
        "````",
        "error: ``` done",
        "````",
      ].join("\n"),
    )
  })

  it("keeps a command on one line, and says when there is nothing new", () => {
    const note = jobEndedNote(jobWith({ command: `a\nb ${"x".repeat(500)}`, outcome: { exitCode: 0, ending: "exited" } }), 2000)
    expect(note).toMatch(/cmd-4: a b x+…\nIt ran for 1 s\. Exit code: 0\nIt printed nothing that you have not seen\.$/)
  })
})

describe("the ways a command can end", () => {
  const outcomes: [JobOutcome, RegExp, object][] = [
    [{ exitCode: 0, ending: "exited" }, /^Exit code: 0$/, { exitCode: 0 }],
    [
      { exitCode: null, signal: "SIGSEGV", ending: "exited" },
      /^Ended by SIGSEGV \(the program crashed\)\.$/,
      { ending: "signal" },
    ],
    [{ exitCode: null, signal: "SIGTERM", ending: "killed" }, /^It was killed with all/, { ending: "cancelled" }],
    [{ exitCode: null, signal: "SIGTERM", ending: "out-of-time" }, /time limit/, { ending: "timed-out" }],
    [{ exitCode: null, signal: "SIGKILL", ending: "too-much" }, /printed without end/, { ending: "signal" }],
    [{ exitCode: null, ending: "lost" }, /look before repeating/, { ending: "signal" }],
  ]
  it.each(outcomes)("%j is told apart from the others", (outcome, words, shown) => {
    expect(howItEnded(outcome)).toMatch(words)
    expect(showJob(jobWith({ outcome }), "x")).toMatchObject(shown)
  })
})

it("what runs in the background is given with its news, and its folder when it is not the workspace", () => {
  const jobs = { ...noJobs, running: () => [jobWith({ news: () => "ready" }), jobWith({ id: "cmd-5", cwd: "/w" })] }
  expect(backgroundCommands(jobs, "/w")).toEqual([
    { id: "cmd-4", command: "npm run build", cwd: "sub", recentOutput: "ready" },
    { id: "cmd-5", command: "npm run build" },
  ])
})

it.each([
  ["npm test", 60],
  ["npm run dev", undefined],
  ["npm  run\tdev --port 1", undefined],
  ["npm run devil", 60],
])("%j has the time limit %s", (line, seconds) => {
  const settings = { commandExecutionTimeout: 60, commandTimeoutAllowlist: ["npm run dev"] }
  expect(commandLimit(line, settings)).toBe(seconds)
  expect(commandLimit(line, { ...settings, commandExecutionTimeout: 0 })).toBeUndefined()
})
