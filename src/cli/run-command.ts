/** Chooses the command, and turns whatever goes wrong into one line and an exit code. */
import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { TaskBusyError } from "../task/lock.ts"
import { LogError } from "../task/log.ts"
import { joeyHome } from "../task/store.ts"
import { redact } from "../text/redact.ts"
import { EXIT } from "../ui/print/print-task.ts"
import { HELP, readArguments, UsageError } from "./arguments.ts"

type Command = (args: readonly string[], process: NodeJS.Process) => Promise<number>

/** Anything else is the words of a task. */
const COMMANDS: Record<string, (() => Promise<Command>) | undefined> = {
  demo: async () => (await import("./commands/demo.ts")).demo,
  config: async () => (await import("./commands/config.ts")).config,
  prompt: async () => (await import("./commands/prompt.ts")).prompt,
  policy: async () => (await import("./commands/policy.ts")).policy,
  rules: async () => (await import("./commands/rules.ts")).rules,
  approve: async () => (await import("./commands/approve.ts")).approve,
  log: async () => (await import("./commands/log.ts")).log,
  cost: async () => (await import("./commands/cost.ts")).cost,
  tasks: async () => (await import("./commands/tasks.ts")).tasks,
  resume: async () => (await import("./commands/resume.ts")).resume,
  export: async () => (await import("./commands/export.ts")).exportCommand,
  checkpoint: async () => (await import("./commands/checkpoint.ts")).checkpoint,
  context: async () => (await import("./commands/context.ts")).context,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  import: async () => (await import("./commands/import.ts")).importCommand,
  index: async () => (await import("./commands/index.ts")).index,
  mcp: async () => (await import("./commands/mcp.ts")).mcp,
  fork: async () => (await import("./commands/fork.ts")).fork,
  rewind: async () => (await import("./commands/rewind.ts")).rewind,
  report: async () => (await import("./commands/report.ts")).report,
}

export async function runCommand(args: readonly string[], process: NodeJS.Process): Promise<number> {
  leaveQuietlyWhenNobodyReads(process)
  try {
    const command = COMMANDS[args[0] ?? ""]
    if (command) return await (await command())(args.slice(1), process)
    const options = readArguments(args)
    if (options.help) {
      process.stdout.write(HELP)
      return 0
    }
    const { runTask } = await import("./commands/run-task.ts")
    return await runTask(options, process)
  } catch (error) {
    const { line, code } = explain(error, process.env)
    process.stderr.write(`joey: ${line}\n`)
    return code
  }
}

function explain(error: unknown, env: NodeJS.ProcessEnv): { line: string; code: number } {
  if (isGoneFolder(error)) return { line: "This folder is gone; change to one that exists.", code: EXIT.usage }
  if (error instanceof UsageError) return { line: error.message, code: EXIT.usage }
  if (error instanceof LogError || error instanceof TaskBusyError) return { line: error.message, code: EXIT.fault }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  const [line = ""] = redact(message).split("\n")
  return { line: `${line} (this is a defect in Joey; ${noteDefect(redact(stack ?? message), env)})`, code: EXIT.fault }
}

/** Somebody deleted the folder we were started in. */
function isGoneFolder(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd"
}

/** The stack belongs in a file, not in a person's face. */
function noteDefect(stack: string, env: NodeJS.ProcessEnv): string {
  const path = join(joeyHome(env), "defects.log")
  try {
    mkdirSync(joeyHome(env), { recursive: true })
    appendFileSync(path, `${new Date().toISOString()} ${stack}\n`)
    return `details in ${path}`
  } catch {
    return "its details could not be written down"
  }
}

function leaveQuietlyWhenNobodyReads(process: NodeJS.Process): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : EXIT.fault))
}
