/**
 * The custom tools of a task: those of the person always, those of the project once they are trusted as they are. Looked at before
 * each request; what changed is loaded again, what is wrong is told once, and everything else stays.
 */
import { homedir } from "node:os"
import { runToolProcess, type ToolRun, type ToolRunEnding, type ToolWish } from "../host/tool-process.ts"
import { loadToolFiles, type ToolFile, type ToolFiles } from "../project/custom-tools.ts"
import { type DescribedTool, readDescribed } from "../project/custom-tools-input.ts"
import { changedSince } from "../project/snapshot.ts"
import { type TrustItem, trustItem, trustStore } from "../settings/trust.ts"
import { count } from "../text/count.ts"
import type { Finding } from "../types/finding.ts"
import type { Json, JsonObject } from "../types/json.ts"
import { type Tool, ToolError, type ToolSource } from "../types/tool.ts"
import { toolSummaries } from "./load-project.ts"

export interface CustomToolPlaces {
  workspace: string
  /** Joey's own folder. */
  home: string
  /** The person's. */
  userHome?: string
  /** `--trust-project`. */
  trustProject?: boolean
}

export interface CustomToolParts extends CustomToolPlaces {
  task: string
  /** Environment variables that hold our keys. */
  withheld: readonly string[]
  settings(): { enabled: boolean; timeout: number }
  mode(): string
  notice(text: string): void
  /** Walls around their processes, as around commands, where the person wants them. */
  sandbox?(): ToolRun["sandbox"]
  /** How long one file may take to load. */
  loadMs?: number
}

const LOAD_MS = 10_000
/** For all files together. */
const REFRESH_MS = 30_000
const AT_ONCE = 4
/** About 12,000 tokens. */
const SAID = { head: 40_000, tail: 10_000 }
const SHOWN = { head: 2000, tail: 2000 }

/** What the person is asked about before a task begins; empty, and nothing is loaded, where a project has no tools. */
export async function untrustedTools(places: CustomToolPlaces): Promise<TrustItem[]> {
  const { files } = await loadToolFiles(diskPlaces(places), ["project"])
  return [...(await missingTrust(files, places)).values()]
}

export function customTools(parts: CustomToolParts): ToolSource {
  const told = new Set<string>()
  const described = new Map<string, ReturnType<typeof readDescribed>>()
  let seen: ReadonlyMap<string, string> | undefined
  let tools: readonly Tool[] = []

  const tell = ({ file, line, reason }: Finding) => {
    const text = `${file}${line === undefined ? "" : `:${line}`}: ${reason}`
    if (!told.has(text)) parts.notice(text)
    told.add(text)
  }

  async function refresh(): Promise<void> {
    if (!parts.settings().enabled) {
      tools = []
      seen = undefined
      return
    }
    if (seen && changedSince(seen).length === 0) return
    const found: ToolFiles = await loadToolFiles(diskPlaces(parts))
    seen = found.seen
    found.findings.forEach(tell)
    const untrusted = await missingTrust(found.files, parts)
    for (const file of untrusted.keys()) tell(heldBack(file))
    const usable = found.files.filter((file) => !untrusted.has(file))
    await describeAll(usable.filter(({ digest }) => !described.has(digest)))
    tools = namedOnce(usable, described, tell).map(([file, tool]) => toolOf(tool, file, parts))
  }

  async function describeAll(files: readonly ToolFile[]): Promise<void> {
    const signal = AbortSignal.timeout(REFRESH_MS)
    const waiting = [...files]
    const next = async (): Promise<void> => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        const { name, digest } = file
        const read = await describe(file, parts, signal)
        if (typeof read === "string") tell({ file: name, reason: `This custom tool is left out: ${read}.` })
        else {
          described.set(digest, read)
          for (const problem of read.problems) tell({ file: name, reason: `A custom tool is left out: ${problem}.` })
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  return {
    refresh: () => refresh().catch((error: unknown) => parts.notice(`Custom tools cannot be looked at: ${wordsOf(error)}`)),
    tools: () => tools,
    offered: () => tools,
    find: (name) => tools.find((tool) => tool.name === name),
  }
}

function diskPlaces({ workspace, home, userHome = homedir() }: CustomToolPlaces) {
  return { workspace, home: userHome, joeyHome: home }
}

/** What the person has agreed to is the program: a change of anything that went into it asks again. */
async function missingTrust(
  files: readonly ToolFile[],
  { home, trustProject = false }: CustomToolPlaces,
): Promise<Map<ToolFile, TrustItem>> {
  const items = files
    .filter(({ scope }) => scope === "project")
    .map((file): [ToolFile, TrustItem] => {
      const { name, path: source, what, digest: content } = file
      return [file, trustItem({ kind: "tool", name, source, what, content })]
    })
  if (items.length === 0) return new Map()
  const store = await trustStore(home, { trustAll: trustProject })
  const missing = new Set(store.missing(items.map(([, item]) => item)))
  return new Map(items.filter(([, item]) => missing.has(item)))
}

function heldBack({ name }: ToolFile): Finding {
  const reason = "This custom tool is left out until you trust it as it is now: start again and agree, or use --trust-project."
  return { file: name, reason }
}

/** Given in words what is wrong with the whole file. */
async function describe(file: ToolFile, parts: CustomToolParts, signal: AbortSignal) {
  if (file.described !== undefined) return readDescribed(file.described)
  const ended = await start(file, { kind: "describe" }, parts, { timeoutMs: parts.loadMs ?? LOAD_MS, signal })
  if (ended.ending === "cancelled" || ended.ending === "timed-out") return "it takes too long to load"
  if (ended.ending !== "answered") return `it ends while it is loaded${printedWords(ended.printed)}`
  const { kind, message, tools = null } = ended.answer
  if (kind !== "described") return `it cannot be loaded: ${oneLine(String(message))}`
  const read = readDescribed(tools)
  file.keepDescribed(tools)
  return read
}

/** The project's over the person's, `.joey` over `.roo`; a tool of Joey itself over all of them. */
function namedOnce(
  files: readonly ToolFile[],
  described: ReadonlyMap<string, { tools: DescribedTool[] }>,
  tell: (finding: Finding) => void,
): [ToolFile, DescribedTool][] {
  const taken = new Set(toolSummaries.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  const chosen = new Map<string, [ToolFile, DescribedTool]>()
  for (const file of files) {
    for (const tool of described.get(file.digest)?.tools ?? []) {
      if (taken.has(tool.name) || /^mcp(?:--|__)/.test(tool.name)) {
        tell({ file: file.name, reason: `The custom tool ${tool.name} is left out: another tool has this name.` })
        continue
      }
      const other = chosen.get(tool.name)
      if (other?.[0].scope === file.scope) {
        tell({ file: file.name, reason: `The custom tool ${tool.name} takes the place of the one in ${other[0].name}.` })
      }
      chosen.set(tool.name, [file, tool])
    }
  }
  return [...chosen.values()]
}

/**
 * It runs code with all that the person may do, as a command does: so it is in that group, and judged by that effect. A mode without
 * commands has no custom tools either.
 */
function toolOf({ name, description, input }: DescribedTool, file: ToolFile, parts: CustomToolParts): Tool<JsonObject> {
  return {
    name,
    group: "command",
    effect: "execute",
    description,
    input,
    preview: (draft) => ({ kind: "input", tool: name, input: presentable(draft) }),
    async run(args, { signal, progress }) {
      const { timeout } = parts.settings()
      const { workspace, task } = parts
      const context = { mode: parts.mode(), workspace, task: { taskId: task, cwd: workspace, workspacePath: workspace } }
      const wish: ToolWish = { kind: "run", tool: name, input: args, context }
      const onOutput = (text: string) => progress({ kind: "text", title: name, text })
      const ended = await start(file, wish, parts, { timeoutMs: timeout * 1000, signal, onOutput })
      signal.throwIfAborted()
      const text = resultOf(name, ended, timeout)
      return { say: bounded(text, SAID), show: { kind: "text", title: name, text: bounded(text, SHOWN) } }
    },
  }
}

function start(
  { program, path }: ToolFile,
  wish: ToolWish,
  { workspace, withheld, sandbox }: CustomToolParts,
  limits: { timeoutMs: number; signal: AbortSignal; onOutput?(text: string): void },
): Promise<ToolRunEnding> {
  return runToolProcess({ program, file: path, wish, cwd: workspace, withheld, sandbox: sandbox?.(), ...limits })
}

/** Throws a ToolError in every case but a result. */
function resultOf(name: string, ended: ToolRunEnding, timeout: number): string {
  if (ended.ending === "answered") return answerOf(name, ended.answer)
  const printed = printedWords(ended.printed)
  switch (ended.ending) {
    case "timed-out":
      throw new ToolError(`${name} was stopped: it had no result after ${count(timeout, "second")}${printed}.`)
    case "too-much":
      throw new ToolError(`${name} was stopped: its result has no end.`)
    case "garbled":
      throw new ToolError(`${name} was stopped: its result cannot be read${printed}.`)
    case "cancelled":
      throw new ToolError(`${name} was stopped.`)
    case "exited": {
      const how = ended.signal ? `by ${ended.signal}` : `with exit code ${ended.exitCode}`
      throw new ToolError(`${name} ended ${how} before it had a result${printed}.`)
    }
  }
}

function answerOf(name: string, { kind, text, characters, message, problems }: JsonObject): string {
  if (kind === "result" && typeof text === "string") {
    if (text === "") return "The tool gave no result."
    const missing = typeof characters === "number" ? characters - text.length : 0
    return missing > 0 ? `${text}\n… ${missing} more characters left out …` : text
  }
  if (kind === "invalid" && Array.isArray(problems)) {
    throw new ToolError(`The arguments of ${name} are wrong: ${problems.map(String).join("; ").slice(0, 2000)}`)
  }
  throw new ToolError(`${name} failed: ${typeof message === "string" ? message.slice(0, 4000) : "it did not say why"}`)
}

function presentable(draft: Partial<JsonObject>): JsonObject {
  return Object.fromEntries(
    Object.entries(draft).flatMap(([key, value]): [string, Json][] => (value === undefined ? [] : [[key, value]])),
  )
}

function bounded(text: string, { head, tail }: { head: number; tail: number }): string {
  const lost = text.length - head - tail
  return lost <= 0 ? text : `${text.slice(0, head)}\n… ${lost} characters left out …\n${text.slice(-tail)}`
}

function printedWords(printed: string): string {
  return printed === "" ? "" : `; it printed: ${printed}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").slice(0, 300)
}

function wordsOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error))
}
