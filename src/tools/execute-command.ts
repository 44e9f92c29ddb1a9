/** Runs a command line in the shell and tells how it ended and what it printed, beginning and end if it is much. */
import { constants } from "node:os"
import { relative } from "node:path"
import * as z from "zod"
import { boundedOutput } from "../text/bounded-output.ts"
import { printable } from "../text/printable.ts"
import type { Host, ProcessOutcome } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import { defineTool } from "./define-tool.ts"

const DEFAULT_SECONDS = 120
const MOST_SECONDS = 600
/** About 5,000 tokens. The end of an output tells more than its beginning. */
const KEPT = { head: 6000, tail: 14_000 }
const GLANCE = 2000

const input = z.object({
  command: z
    .string()
    .refine((line) => line.trim() !== "", "expected a command, got nothing")
    .describe("Shell line"),
  cwd: z.string().nullish().describe("Folder to run in; default: the workspace"),
  timeout: z.number().positive().max(MOST_SECONDS).nullish().describe(`Seconds until it is killed; default ${DEFAULT_SECONDS}`),
})

export const executeCommand = defineTool({
  name: "execute_command",
  knownAs: [{ agent: "claude-code", name: "Bash" }],
  group: "command",
  effect: "execute",
  description:
    "Run a command in a shell of its own and wait for it to end. There is no terminal and no input: pass flags that avoid prompts, pagers and watch modes. Long output is cut in the middle.",
  input,
  touches: ({ cwd }) => (cwd ? [cwd] : []),
  preview: ({ command, cwd }) => ({ kind: "command", command: command ?? "", ...(cwd && { cwd }), output: "" }),
  async run({ command, cwd, timeout }, { host, signal, progress }) {
    const seconds = timeout ?? DEFAULT_SECONDS
    const output = boundedOutput(KEPT)
    const shown: Show = { kind: "command", command, ...(cwd && { cwd }), output: "" }
    const outcome = await host.run(
      { shell: command },
      {
        ...(cwd && { cwd }),
        signal,
        timeoutMs: seconds * 1000,
        onOutput(text) {
          output.push(text)
          progress({ ...shown, output: printable(output.recent(GLANCE)) })
        },
      },
    )
    signal.throwIfAborted()
    const printed = printable(output.text()).trimEnd()
    const say = [whereIt(host, cwd), howItEnded(outcome, seconds), printed === "" ? "It printed nothing." : `Output:\n${printed}`]
    return { say: say.filter(Boolean).join("\n"), show: { ...shown, output: printed, ...endingOf(outcome) } }
  },
})

/** Named only when it is not the workspace. */
function whereIt(host: Host, cwd: string | null | undefined): string {
  return !cwd || relative(host.workspace, host.resolve(cwd)) === "" ? "" : `Working directory: ${cwd}`
}

function howItEnded({ exitCode, signal, ending }: ProcessOutcome, seconds: number): string {
  if (ending === "timed-out") {
    return `Not finished: it was killed with all it had started when its ${seconds} seconds were over. What it did until then stays done.`
  }
  if (signal !== undefined) return `Ended by ${signal}${MEANING_OF_SIGNAL[signal] ?? ""}.`
  return `Exit code: ${exitCode}${meaningOf(exitCode ?? 0)}`
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

function endingOf({ exitCode, signal, ending }: ProcessOutcome) {
  return {
    ...(exitCode !== null && { exitCode }),
    ...(ending !== "exited" ? { ending } : signal !== undefined && { ending: "signal" as const }),
  }
}
