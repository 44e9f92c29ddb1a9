/** Reads or searches what a command has printed, while it runs and at any time after; waits for its end, or brings it about. */
import * as z from "zod"
import { count } from "../text/count.ts"
import type { Job, JobWait } from "../types/job.ts"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import type { CommandPort } from "./execute-command.ts"
import { findJob, listJobs } from "./find-job.ts"
import { showJob, stateWords } from "./job-words.ts"

const PAGE = 40_960
const LARGEST_PAGE = 200_000
const MOST_HITS = 200
const MOST_SECONDS = 600
const GLANCE = 2000

const input = z.object({
  artifact_id: z.union([z.string(), z.int()]).nullish(),
  search: z.string().max(1000).nullish(),
  offset: z.int().nullish(),
  limit: z.int().min(1).max(LARGEST_PAGE).nullish(),
  wait: z.number().min(0).max(MOST_SECONDS).nullish(),
  kill: z.boolean().nullish(),
})

const offered = z.object({
  artifact_id: z.string().optional().describe("cmd-N, as execute_command names it; without: list all"),
  search: z.string().optional().describe("Only lines that match this regular expression (any case)"),
  offset: z.int().optional().describe("First byte; negative: from the end. Default 0, while it runs its end"),
  limit: z.int().optional().describe(`Bytes; default ${PAGE}`),
  wait: z.number().optional().describe("Seconds to wait for its end first"),
  kill: z.boolean().optional().describe("End it first, with all it started"),
})

export const readCommandOutput = ({ jobs }: CommandPort) =>
  defineTool({
    name: "read_command_output",
    knownAs: [
      { agent: "claude-code", name: "BashOutput" },
      { agent: "claude-code", name: "TaskOutput" },
    ],
    group: "command",
    effect: "none",
    description: "Read the whole output of a command, also of one that runs in the background; wait for it or kill it.",
    input,
    offered,
    spellings: { bash_id: "artifact_id", task_id: "artifact_id", id: "artifact_id", filter: "search", timeout: "wait" },
    preview: ({ artifact_id: id, search }) => ({
      kind: "title",
      text: id ? `Read output of ${id}${search ? ` for ${JSON.stringify(search)}` : ""}` : "List commands",
    }),
    async run({ artifact_id: id, search, offset, limit, wait, kill }, { signal, progress }) {
      if (id === null || id === undefined || id === "") return { say: listJobs(jobs) }
      const job = findJob(jobs, String(id))
      const ran = job.outcome === undefined
      const onOutput = () => progress(showJob(job, job.printed().text.slice(-GLANCE)))
      if (kill) await job.kill()
      else if (wait) await job.wait({ ms: wait * 1000, signal, onOutput } satisfies JobWait)
      signal.throwIfAborted()
      if (ran) job.news(0) // the model has seen it
      const text = search
        ? await hits(job, search, signal)
        : await page(job, { offset: offset ?? (ran ? -(limit ?? PAGE) : 0), limit: limit ?? PAGE })
      return { say: `${job.id}: ${stateWords(job)}\n${text}`, show: showJob(job, text) }
    },
  })

async function hits(job: Job, pattern: string, signal: AbortSignal): Promise<string> {
  if (pattern.includes("\0")) throw new ToolError("`search` contains a NUL character; leave it out.")
  const { lines, total, literal } = await job.search(pattern, { most: MOST_HITS, signal })
  const what = `${JSON.stringify(pattern)}${literal ? ", taken literally because it is no regular expression" : ""}`
  if (lines.length === 0) return `No line matches ${what}.`
  const all = total ?? `More than ${MOST_HITS}`
  const found = total === 1 ? `1 line matches ${what}` : `${all} lines match ${what}`
  const first = total === lines.length ? "" : `; the first ${lines.length}`
  return `${found}${first}:\n${numbered(lines)}`
}

async function page(job: Job, wanted: { offset: number; limit: number }): Promise<string> {
  const { lines, from, to, total } = await job.read(wanted)
  if (total === 0) return job.outcome ? "It printed nothing." : "It has printed nothing yet."
  if (lines.length === 0) throw new ToolError(`${job.id} has ${count(total, "byte")}; there is none at offset ${wanted.offset}.`)
  const rest = to < total ? ` Go on with offset ${to}.` : ""
  const part = from === 0 && to === total ? `All ${count(total, "byte")}` : `Bytes ${from} to ${to} of ${total}`
  return `${part}.${rest}\n${numbered(lines)}`
}

function numbered(lines: readonly { number: number; text: string }[]): string {
  const width = String(lines.at(-1)?.number ?? 0).length
  return lines.map(({ number, text }) => `${String(number).padStart(width)} | ${text}`).join("\n")
}
