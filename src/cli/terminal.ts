/** Puts the interactive terminal on this process: what it shows of the project, and how it opens tasks. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Project } from "../engine/load-project.ts"
import { localHost } from "../host/local.ts"
import { modelFacts } from "../providers/models.ts"
import type { Task } from "../types/task.ts"
import type { SetUp, TerminalFacts, TerminalOptions } from "../ui/terminal/options.ts"

export interface TerminalParts {
  process: NodeJS.Process
  project: Project
  version: string
  /** A new task, or an earlier one. Rejects with one line; `tell` is for what the person should know beside. */
  open(options: { resume?: string; tell(line: string): void; onJobs(running: () => number): void }): Promise<Task>
  /** The task to begin with. */
  resume?: string
  words?: string
  tasks: TerminalFacts["tasks"]
  setUp?: SetUp
}

const MOST_FILES = 200_000
const MOST_HISTORY = 500

export async function runInTerminal(parts: TerminalParts): Promise<number> {
  const { process, project, open, resume, words, setUp } = parts
  const { stdin, stdout, env } = process
  const { runTerminal } = await import("../ui/terminal/run-terminal.ts")
  let jobs = () => 0
  const onJobs = (running: () => number) => {
    jobs = running
  }
  const early = (line: string) => void process.stderr.write(`joey: ${line}\n`)
  const options: TerminalOptions = {
    stdin,
    stdout,
    env,
    ...(resume && { task: await open({ resume, tell: early, onJobs }) }),
    ...(words && { words }),
    open: (tell) => open({ tell, onJobs }),
    resume: (id, tell) => open({ resume: id, tell, onJobs }),
    facts: { ...factsOf(parts), jobs: () => jobs() },
    shell: shellOf(project.sources.workspace),
    history: historyIn(project.sources.home),
    ...(setUp && { setUp }),
  }
  return runTerminal(options)
}

function factsOf({ project, version, tasks }: TerminalParts): TerminalFacts {
  const { settings, modes, commands, sources } = project
  const { workspace } = sources
  return {
    workspace,
    version,
    mode: settings.mode,
    model: settings.model ?? settings.profile ?? "",
    modes: modes.map(({ slug, name }) => ({ slug, name })),
    models: Object.entries(settings.profiles).map(([name, { model }]) => ({ name, ...(model && { detail: model }) })),
    commands: commands.map(({ name, description }) => ({ name, ...(description && { description }) })),
    files: () => filesOf(workspace, project.isIgnored),
    tasks,
    branch: () => branchOf(workspace),
    window: (model) => {
      const facts = modelFacts(model)
      return facts.known ? facts.window : 0
    },
  }
}

async function filesOf(workspace: string, isIgnored: (path: string) => boolean): Promise<string[]> {
  const host = localHost(workspace)
  let text = ""
  const list = {
    program: await host.ripgrep(),
    args: ["--files", "--hidden", "--no-require-git", "--glob=!.git/", "--no-messages"],
  }
  await host.run(list, {
    onOutput(piece, stream) {
      if (stream === "stdout") text += piece
    },
  })
  const files = text.split("\n").filter((file) => file !== "" && !isIgnored(file))
  return files.slice(0, MOST_FILES).sort()
}

/** Without a process: this is looked at again and again. */
function branchOf(workspace: string): string | undefined {
  try {
    const head = readFileSync(join(workspace, ".git", "HEAD"), "utf8").trim()
    return head.startsWith("ref: refs/heads/") ? head.slice("ref: refs/heads/".length) : head.slice(0, 8)
  } catch {
    return undefined
  }
}

function shellOf(workspace: string): NonNullable<TerminalOptions["shell"]> {
  const host = localHost(workspace)
  return async (line, { onOutput, signal }) => {
    const { exitCode } = await host.run({ shell: line }, { onOutput: (text) => onOutput(text), signal })
    return { exitCode }
  }
}

/** One JSON string per line, so that words of several lines stay one. */
function historyIn(home: string): NonNullable<TerminalOptions["history"]> {
  const file = join(home, "history.jsonl")
  return {
    entries: readHistory(file),
    add(text) {
      try {
        mkdirSync(home, { recursive: true, mode: 0o700 })
        appendFileSync(file, `${JSON.stringify(text)}\n`, { mode: 0o600 })
      } catch {} // what was typed still counts for this session
    },
  }
}

function readHistory(file: string): string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).slice(-MOST_HISTORY)
    return lines.flatMap((line) => readEntry(line))
  } catch {
    return []
  }
}

function readEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === "string" ? [entry] : []
  } catch {
    return []
  }
}
