/** Types into a command that runs on a terminal of its own, and tells what it printed then. */
import * as z from "zod"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import type { CommandPort } from "./execute-command.ts"
import { findJob } from "./find-job.ts"
import { showJob, stateWords } from "./job-words.ts"

const MOST_INPUT = 100_000
const ANSWER_MS = 1500
const QUIET_MS = 300
const MOST_ANSWER = 8000

const input = z.object({
  artifact_id: z.string().describe("cmd-N; it was started with terminal: true"),
  input: z.string().min(1).max(MOST_INPUT).describe("Ends with \\n to press Enter; \\u0003 is Ctrl-C, \\u0004 Ctrl-D"),
})

export const sendCommandInput = ({ jobs }: CommandPort) =>
  defineTool({
    name: "send_command_input",
    group: "command",
    effect: "execute",
    description: "Type into a command that runs on a terminal, and read what it answers.",
    input,
    preview: ({ artifact_id: id, input: typed }) => ({
      kind: "title",
      text: `Type into ${id ?? "…"}: ${JSON.stringify(typed ?? "")}`,
    }),
    async run({ artifact_id: id, input: typed }, { signal }) {
      const job = findJob(jobs, id)
      if (job.outcome) throw new ToolError(`${job.id} is over, it takes no input any more. ${stateWords(job)}`)
      job.news(0)
      await job.write(typed)
      let before = job.bytes
      // It has answered when it stops printing.
      for (let waited = 0; waited < ANSWER_MS && !signal.aborted; waited += QUIET_MS) {
        if (await job.wait({ ms: QUIET_MS, signal })) break
        if (job.bytes === before && waited > 0) break
        before = job.bytes
      }
      signal.throwIfAborted()
      const answer = job.news(MOST_ANSWER)
      const state = `${job.id}: ${stateWords(job)}`
      return { say: `${state}\n${answer === "" ? "It printed nothing." : `It printed:\n${answer}`}`, show: showJob(job, answer) }
    },
  })
