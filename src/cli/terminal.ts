/** Puts the interactive terminal on this process: what it shows of the project, and how it opens tasks. */
import { appendFileSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Project } from "../engine/load-project.ts"
import type { ProcessServers } from "../engine/servers.ts"
import { localHost } from "../host/local.ts"
import { modelFacts } from "../providers/models.ts"
import type { SpokenMessage } from "../task/rewind.ts"
import type { Task } from "../types/task.ts"
import type { CheckpointPort, SetUp, TerminalFacts, TerminalOptions } from "../ui/terminal/options.ts"
import { UsageError } from "./arguments.ts"

export interface TaskOpening {
  resume?: string
  /** Nothing runs before somebody says so. */
  rests?: boolean
  tell(line: string): void
  onJobs(running: () => number): void
}

export interface TerminalParts {
  process: NodeJS.Process
  project: Project
  version: string
  /** A new task, or an earlier one. Rejects with one line; `tell` is for what the person should know beside. */
  open(options: TaskOpening): Promise<Task>
  /** The task to begin with. */
  resume?: string
  words?: string
  tasks: TerminalFacts["tasks"]
  /** Shared by all tasks of the process. */
  servers?: ProcessServers
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
    resume: (id, tell, { rests } = { rests: false }) => open({ resume: id, rests, tell, onJobs }),
    facts: { ...factsOf(parts), jobs: () => jobs() },
    shell: shellOf(project.sources.workspace),
    history: historyIn(project.sources.home),
    ...(setUp && { setUp }),
  }
  return runTerminal(options)
}

function factsOf({ project, version, tasks, servers }: TerminalParts): TerminalFacts {
  const { settings, modes, commands, sources } = project
  const { workspace } = sources
  return {
    workspace,
    version,
    context: async (task) => (await import("./context-report.ts")).contextReport(sources.home, task, project),
    mode: settings.mode,
    model: settings.model ?? settings.profile ?? "",
    modes: modes.map(({ slug, name }) => ({ slug, name })),
    models: Object.entries(settings.profiles).map(([name, { model }]) => ({ name, ...(model && { detail: model }) })),
    commands: commands.map(({ name, description }) => ({ name, ...(description && { description }) })),
    files: () => filesOf(workspace, project.isIgnored),
    tasks,
    messages: (task) => messagesOf(sources.home, task),
    fork: async (task, before) => (await import("../task/fork.ts")).forkTask(sources.home, task, before).task,
    checkpoints: latePort(sources.home, workspace),
    ...(servers && { servers: serversOf(servers, project) }),
    branch: () => branchOf(workspace),
    window: (model) => {
      const facts = modelFacts(model)
      return facts.known ? facts.window : 0
    },
  }
}

/** Loaded when somebody asks for it. */
function latePort(home: string, workspace: string): CheckpointPort {
  const port = async () => (await import("./checkpoint-port.ts")).checkpointPort(home, workspace)
  return {
    list: async (task) => (await port()).list(task),
    preview: async (task, id) => (await port()).preview(task, id),
    diff: async (task, id) => (await port()).diff(task, id),
    restore: async (task, id, options) => (await port()).restore(task, id, options),
    point: async (task, id) => (await port()).point(task, id),
  }
}

/** As they are configured when somebody looks: an edit counts at once. */
function serversOf(servers: ProcessServers, { sources }: Project): NonNullable<TerminalFacts["servers"]> {
  const configured = async () => {
    const { loadProject } = await import("../engine/load-project.ts")
    return servers.configure((await loadProject(sources)).servers)
  }
  return {
    async list() {
      const [{ serverLines }, { tokenCounter }] = await Promise.all([
        import("./commands/mcp.ts"),
        import("../context/count-tokens.ts"),
      ])
      const reports = (await configured())?.report() ?? []
      const countTokens = await tokenCounter()
      return reports.flatMap((report) => serverLines(report, countTokens))
    },
    async restart(name) {
      const found = await configured()
      const isThere = await found?.restart(name)
      const report = found?.report().find((one) => one.name === name)
      if (!isThere || !report) throw new UsageError(`There is no server "${name}"; /mcp lists them.`)
      return `${name}: ${report.state}${report.problem ? `: ${report.problem}` : ""}`
    },
  }
}

async function messagesOf(home: string, task: string): Promise<SpokenMessage[]> {
  const [{ spokenMessages }, { readLog }, { taskFiles }] = await Promise.all([
    import("../task/rewind.ts"),
    import("../task/log.ts"),
    import("../task/store.ts"),
  ])
  return spokenMessages(readLog(taskFiles(home, task).log).events)
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
