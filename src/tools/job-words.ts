/** How commands that run for a task are spoken of, to the model and to people. Loads nothing heavy: the engine needs it early. */
import { constants } from "node:os"
import { relative } from "node:path"
import { fence, oneLine } from "../text/fence.ts"
import { durationWords, sizeWords } from "../text/size-words.ts"
import { truncate } from "../text/truncate.ts"
import type { Job, JobOutcome, Jobs } from "../types/job.ts"
import type { Show } from "../types/show.ts"

const LONGEST_COMMAND = 200
const LAST_WORDS = 2000

/** Told to the model when a command in the background has ended by itself. */
export function jobEndedNote(job: Job, now = Date.now()): string {
  const last = job.news(LAST_WORDS)
  const how = job.outcome ? howItEnded(job.outcome) : "It has ended."
  return [
    `A command in the background is over, told by Joey and not by the person. ${job.id}: ${commandWords(job.command)}`,
    `It ran for ${durationWords(now - job.startedAt)}. ${how}`,
    last === "" ? "It printed nothing that you have not seen." : `The end of what it printed:\n${fence(last)}`,
  ].join("\n")
}

export interface BackgroundCommand {
  id: string
  command: string
  cwd?: string
  recentOutput?: string
}

/** What runs, with what it has printed since this was asked the last time. */
export function backgroundCommands(jobs: Jobs, workspace: string, characters = 1000): BackgroundCommand[] {
  return jobs.running().map((job) => {
    const cwd = relative(workspace, job.cwd)
    const recentOutput = job.news(characters)
    return { id: job.id, command: job.command, ...(cwd && { cwd }), ...(recentOutput && { recentOutput }) }
  })
}

/** After how many seconds a line is killed, by the person's settings; undefined for never. */
export function commandLimit(
  line: string,
  settings: { commandExecutionTimeout: number; commandTimeoutAllowlist: readonly string[] },
): number | undefined {
  const words = `${oneLine(line)} `
  const free = settings.commandTimeoutAllowlist.some((first) => words.startsWith(`${oneLine(first)} `))
  return free || settings.commandExecutionTimeout <= 0 ? undefined : settings.commandExecutionTimeout
}

export function howItEnded({ exitCode, signal, ending, leftRunning }: JobOutcome): string {
  const left = leftRunning ? "\nProcesses that it started still run; they end with the task." : ""
  switch (ending) {
    case "killed":
      return "It was killed with all it had started. What it did until then stays done."
    case "out-of-time":
      return "It was killed with all it had started: it reached the time limit that the person has set. Do not simply run it again."
    case "too-much":
      return "It was killed with all it had started: it printed without end, more than is kept."
    case "lost":
      return "Joey was ended while it ran, and it with it. How far it came is not known: look before repeating it."
    case "exited":
      if (signal !== undefined) return `Ended by ${signal}${MEANING_OF_SIGNAL[signal] ?? ""}.${left}`
      return `Exit code: ${exitCode}${meaningOf(exitCode ?? 0)}${left}`
  }
}

const MEANING_OF_SIGNAL: Record<string, string> = {
  SIGKILL: ", often because memory ran out",
  SIGSEGV: " (the program crashed)",
  SIGABRT: " (the program gave up)",
}

function meaningOf(exitCode: number): string {
  if (exitCode === 0) return ""
  if (exitCode === 126) return " (found, but it cannot be executed)"
  if (exitCode === 127) return " (a command was not found)"
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0]
  return signal === undefined ? " (the command reports a failure)" : ` (a program in it was ended by ${signal})`
}

export function stateWords(job: Job, now = Date.now()): string {
  if (job.outcome) return howItEnded(job.outcome)
  return `Running for ${durationWords(now - job.startedAt)}.`
}

/** One line of a list. */
export function jobLine(job: Job, now = Date.now()): string {
  const state = oneLine(stateWords(job, now))
  return `${job.id}, ${sizeWords(job.bytes)}: ${commandWords(job.command)} | ${state}`
}

export function commandWords(command: string): string {
  return truncate(oneLine(command), LONGEST_COMMAND)
}

export function showJob(job: Job, output: string): Show {
  return { kind: "command", command: job.command, output, ...endingOf(job.outcome) }
}

function endingOf(outcome: JobOutcome | undefined): Pick<Show & { kind: "command" }, "exitCode" | "ending"> {
  if (!outcome) return { ending: "background" }
  const { exitCode, signal, ending } = outcome
  if (ending === "out-of-time") return { ending: "timed-out" }
  if (ending === "killed") return { ending: "cancelled" }
  return {
    ...(exitCode !== null && { exitCode }),
    ...((signal !== undefined || ending !== "exited") && { ending: "signal" as const }),
  }
}
