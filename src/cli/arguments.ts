/** The command line → options, or one line that says what is wrong with it. */
import { parseArgs } from "node:util"

export type OutputFormat = "text" | "json" | "stream-json"

export interface CliOptions {
  words: string[]
  model?: string
  profile?: string
  baseUrl?: string
  wire?: string
  apiKeyEnv?: string
  mode?: string
  workspace?: string
  approval?: "ask" | "yes"
  sandbox?: { enabled: true }
  promptFile?: string
  /** Lines instead of the interactive terminal. */
  plain: boolean
  continue: boolean
  /** A task to go on with, whatever folder it belongs to. */
  task?: string
  trustProject: boolean
  format: OutputFormat
  limits: Record<string, number>
  help: boolean
}

/** What the person typed cannot be understood or used; the message says what to do. */
export class UsageError extends Error {}

const FORMATS: readonly string[] = ["text", "json", "stream-json"]
const LIMITS: readonly string[] = ["turns", "mistakes", "requests", "tokens", "minutes", "cost", "dayCost", "cuts"]

export const HELP = `joey: give it a task in words, it works in this folder until you accept the result.

  joey "fix the failing test" --model openrouter/anthropic/claude-sonnet-4.5
  joey --base-url http://127.0.0.1:8080/v1 --model anything "explain this project"
  joey demo                    a scripted model repairs a sample project
  joey approve [TASK [ID]]     answer what a task waits for, or list it
                               (--no, --say WORDS, --always task|project, --hunks 1,3, --input JSON, --later)
  joey tasks [WORDS] [--all]   this folder's tasks, or all; with words, those in which they occur (--count N)
  joey resume [TASK] [WORDS]   go on with a task; TASK may be the beginning or the end of its id
  joey export [TASK]           a task as one page to keep or show (--html, --md, --json, --output FILE)
  joey rewind [TASK] --list    your messages, numbered; --to N [--say WORDS]: back to before one, and on
  joey fork [TASK] [WORDS]     a copy that goes on by itself (--at N: as it was before message N)
  joey checkpoint list|diff|restore [TASK] [ID]   undo what a task did to files (--preview, --files, --force)
  joey context [TASK]          what fills the model's window, as a bar and a list (--all)
  joey mcp                     MCP servers: state, tools and their cost (call, log, login …: joey mcp --help)
  joey index [WORDS]           build or refresh the code index of this folder, search it (--status, --clear)
  joey doctor                  what this machine has for Joey, and how to get the rest
  joey import roo [PATH] [ID …]  take over Roo Code's tasks, all or some (--list: only show them)
  joey report [TASK]           an archive for a bug report: journal, versions, settings, without secrets
  joey log [TASK]              what happened, event by event, without secrets
  joey cost                    what was used today, by model, and on the last days
  joey config                  every setting, and where it comes from
  joey prompt [--mode M]       what the model is sent, with a token count (--xml: as tagged text)
  joey policy [test "COMMAND"] the rules in force; what a command would be answered, and why
  joey rules [--mode M]        which rule files were loaded, and why others were not

  --model VENDOR/NAME          anthropic, openai, google, openrouter, ollama and others; or JOEY_MODEL
  --profile NAME               a model and how to use it, from your settings; or JOEY_PROFILE
  --base-url URL               any OpenAI-compatible server, no key needed
  --wire NAME                  how to talk to it: openai-chat, openai-responses, anthropic, gemini, ollama
  --api-key-env NAME           the environment variable that holds the key
  --mode code                  role and tools: code, architect, ask, debug, orchestrator, or your own
  --workspace DIR              the folder to work in (default: this one)
  --yes | --ask                allow everything inside the workspace | ask before everything
                               (default: reads run, writes and commands ask)
  --sandbox                    commands write in the workspace only and see no secrets (Linux: bubblewrap)
  --prompt-file FILE           the task's words from a file; "-" as a word reads standard input
  --continue                   go on with this folder's latest task; --task ID: with that one
  --plain                      lines instead of the interactive terminal: screen readers, dumb terminals
  --trust-project              use what the project's settings want to run or redirect
  --limit NAME=N               pause at ${LIMITS.join(", ")}
  --output-format FORMAT       ${FORMATS.join(", ")}
  --version, --help

Exit codes: 0 done, 1 fault, 2 usage, 3 needs a person, 4 limit, 130 cancelled.
`

type Extra = Record<string, { type: "string" | "boolean" }>

export function readArguments(args: readonly string[]): CliOptions {
  return readArgumentsWith(args, {}).options
}

/** The arguments of every command that runs a task, and those that are the command's own. */
export function readArgumentsWith<Own extends Extra>(
  args: readonly string[],
  own: Own,
): { options: CliOptions; own: Partial<Record<keyof Own, string | boolean>> } {
  const { values, positionals } = parse(args, own)
  const given = Object.fromEntries(Object.entries(values).filter(([name]) => name in own))
  return { options: readOptions(values, positionals), own: given as Partial<Record<keyof Own, string | boolean>> }
}

function readOptions(values: Values, positionals: string[]): CliOptions {
  if (values.yes && values.ask) throw new UsageError("--yes and --ask exclude each other; give one of them.")
  const format = values["output-format"] ?? "text"
  if (!FORMATS.includes(format)) throw new UsageError(`Unknown output format "${format}"; use ${FORMATS.join(", ")}.`)
  return {
    words: positionals,
    ...(values.model && { model: values.model }),
    ...(values.profile && { profile: values.profile }),
    ...(values["base-url"] && { baseUrl: values["base-url"] }),
    ...(values.wire && { wire: values.wire }),
    ...(values["api-key-env"] && { apiKeyEnv: values["api-key-env"] }),
    ...(values.mode && { mode: values.mode }),
    ...(values.workspace && { workspace: values.workspace }),
    ...(values["prompt-file"] && { promptFile: values["prompt-file"] }),
    ...(values.yes && { approval: "yes" }),
    ...(values.ask && { approval: "ask" }),
    ...(values.sandbox && { sandbox: { enabled: true } }),
    plain: values.plain ?? false,
    continue: values.continue ?? false,
    ...(values.task && { task: values.task }),
    trustProject: values["trust-project"] ?? false,
    format: format as OutputFormat,
    limits: Object.fromEntries((values.limit ?? []).map(readLimit)),
    help: values.help ?? false,
  }
}

const OPTIONS = {
  model: { type: "string", short: "m" },
  profile: { type: "string" },
  "base-url": { type: "string" },
  wire: { type: "string" },
  "api-key-env": { type: "string" },
  mode: { type: "string" },
  workspace: { type: "string", short: "w" },
  yes: { type: "boolean", short: "y" },
  ask: { type: "boolean" },
  sandbox: { type: "boolean" },
  "prompt-file": { type: "string" },
  plain: { type: "boolean" },
  continue: { type: "boolean", short: "c" },
  task: { type: "string" },
  "trust-project": { type: "boolean" },
  "output-format": { type: "string" },
  limit: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"]

function parse(args: readonly string[], own: Extra): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...OPTIONS, ...own } })
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error)
    throw new UsageError(`${reason}. See joey --help.`)
  }
}

function readLimit(text: string): [string, number] {
  const [name = "", value = "", ...rest] = text.split("=")
  const number = rest.length > 0 ? Number.NaN : Number(value)
  if (LIMITS.includes(name) && value.trim() !== "" && number > 0) return [name, number]
  throw new UsageError(`--limit ${text}: write NAME=N with a number above 0; names are ${LIMITS.join(", ")}.`)
}
