/**
 * Runs a command line in the shell and tells how it ended and what it printed, beginning and end if it is much. What takes longer
 * than it is waited for goes on in the background.
 */
import { relative } from "node:path"
import * as z from "zod"
import { sizeWords } from "../text/size-words.ts"
import { type Host, HostError } from "../types/host.ts"
import type { Job, Jobs } from "../types/job.ts"
import type { ToolOutput } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { howItEnded, showJob } from "./job-words.ts"

export interface CommandPort {
  jobs: Jobs
  /** After how many seconds this line is killed, wherever it runs. Without it, or undefined: never. */
  commandLimit?(line: string): number | undefined
}

const DEFAULT_SECONDS = 120
const MOST_SECONDS = 600
/** Long enough to see a command fail that was meant to run for long. */
const BACKGROUND_SECONDS = 2
const GLANCE = 2000

const offered = z.object({
  command: z
    .string()
    .refine((line) => line.trim() !== "", "expected a command, got nothing")
    .refine((line) => !line.includes("\0"), "expected a command without NUL")
    .describe("Shell line"),
  cwd: z.string().nullish().describe("Folder to run in; default: the workspace"),
  timeout: z
    .number()
    .min(0)
    .max(MOST_SECONDS)
    .nullish()
    .describe(`Seconds to wait for its end; then it goes on in the background. Default ${DEFAULT_SECONDS}; for servers 5`),
  terminal: z.boolean().nullish().describe("On a terminal of its own, to answer its prompts"),
})
/** Other agents have a word for what is a short timeout here. */
const input = offered.extend({ background: z.boolean().nullish() })

export const executeCommand = ({ jobs, commandLimit }: CommandPort) =>
  defineTool({
    name: "execute_command",
    knownAs: [
      { agent: "claude-code", name: "Bash" },
      { agent: "gemini-cli", name: "run_shell_command" },
    ],
    group: "command",
    effect: "execute",
    description:
      "Run a command in a shell of its own. There is no terminal and no input unless asked for: pass flags that avoid prompts, pagers and watch modes. Long output is cut in the middle; read_command_output has all of it.",
    input,
    offered,
    spellings: { run_in_background: "background" },
    touches: ({ cwd }) => (cwd ? [cwd] : []),
    runs: ({ command, cwd }) => [{ line: command, ...(cwd && { cwd }) }],
    preview: ({ command, cwd }) => ({ kind: "command", command: command ?? "", ...(cwd && { cwd }), output: "" }),
    async run({ command, cwd, timeout, terminal, background }, { host, signal, progress }) {
      const folder = await folderOf(host, cwd || ".")
      signal.throwIfAborted()
      const limit = commandLimit?.(command)
      const seconds = timeout ?? (background ? BACKGROUND_SECONDS : DEFAULT_SECONDS)
      const job = await jobs.start(command, {
        cwd: folder,
        ...(terminal && { terminal }),
        ...(limit !== undefined && { limitMs: limit * 1000 }),
      })
      const place = cwd && { cwd }
      const onOutput = () => progress({ kind: "command", command, ...place, output: job.printed().text.slice(-GLANCE) })
      await job.wait({ ms: seconds * 1000, signal, onOutput })
      if (signal.aborted) await job.kill()
      signal.throwIfAborted()
      return report(job, { where: whereIt(host, cwd), seconds, ...place })
    },
  })

/** Where the line will run: there, a folder, and admitted. */
async function folderOf(host: Host, cwd: string): Promise<string> {
  const facts = await host.stat(cwd)
  if (facts === undefined) throw new HostError("not-found", `${cwd}: there is no such folder`, cwd)
  if (facts.kind !== "directory") throw new HostError("not-directory", `${cwd}: this is a file, not a folder`, cwd)
  return host.realPath(cwd)
}

function report(job: Job, { where, seconds, cwd }: { where: string; seconds: number; cwd?: string }): ToolOutput {
  const { text, cut } = job.printed()
  const printed = text.trimEnd()
  const running = job.outcome === undefined
  if (running) job.news(0) // the model has seen it
  const state = job.outcome
    ? howItEnded(job.outcome)
    : `Still running after ${seconds} seconds; it goes on in the background as ${job.id}. You are told when it ends. read_command_output reads it, waits for it or kills it.`
  const whole = cut ? `; all ${sizeWords(job.bytes)} of it: read_command_output ${job.id}` : ""
  const reach = job.outcome?.leftRunning ? `(They belong to ${job.id}.)` : ""
  const output =
    printed === ""
      ? `It ${running ? "has " : ""}printed nothing${running ? " yet" : ""}.`
      : `Output${running ? " so far" : ""}${whole}:\n${printed}`
  const say = [where, ...job.notices, state, reach, output]
  return { say: say.filter(Boolean).join("\n"), show: { ...showJob(job, printed), ...(cwd && { cwd }) } }
}

/** Named only when it is not the workspace. */
function whereIt(host: Host, cwd: string | null | undefined): string {
  return !cwd || relative(host.workspace, host.resolve(cwd)) === "" ? "" : `Working directory: ${cwd}`
}
