/**
 * The life of one server: started when first needed, its lists kept while it is away, started again with growing pauses when it fails, and let go
 * only when no call is under way. Whoever uses it gets a result or a ToolError in one line.
 */
import type { Client, ElicitRequest, ElicitResult, Prompt } from "@modelcontextprotocol/client"
import type { ServerEntry, ServerState } from "../types/mcp.ts"
import { ToolError } from "../types/tool.ts"
import { type ConnectionPorts, connect, type ListKind } from "./connection.ts"
import { type AskPerson, elicit } from "./elicitation.ts"
import { failureOf } from "./failure.ts"
import { type ListedTool, listPrompts, listTools } from "./lists.ts"
import type { ServerLog } from "./log-file.ts"
import { type Patience, patience } from "./patience.ts"
import { serverName } from "./result.ts"
import { CLOSED } from "./stdio-transport.ts"

export interface ServerPorts extends Pick<ConnectionPorts, "processes" | "eras" | "version" | "authorization"> {
  log: ServerLog
  now(): number
  /** Told once each: a list that was cut, a tool listed twice. */
  note(text: string): void
}

export interface UseOptions {
  signal: AbortSignal
  ask?: AskPerson | undefined
}

/** What it said of itself when it was last up. */
export interface ServerFacts {
  tools: readonly ListedTool[]
  prompts: readonly Prompt[]
  hasResources: boolean
  instructions: string
  version?: string
  protocol?: string
}

export interface Server {
  readonly entry: ServerEntry
  readonly log: ServerLog
  readonly state: ServerState
  readonly problem: string | undefined
  /** As long as it has never been up there is nothing in them. The same object while nothing changed. */
  readonly facts: ServerFacts
  /** What does not decide how it is started may change while it runs. */
  adopt(entry: ServerEntry): void
  /** Begins to start it, unless it is up, starting, switched off or has to wait after a failure. */
  wake(): void
  /** Resolves when it does not start any more. Never rejects. */
  settled(): Promise<void>
  /** Reads again what it said has changed. Never rejects. */
  update(): Promise<void>
  use<Value>(work: Work<Value>, options: UseOptions): Promise<Value>
  /** Lets it end; it starts anew when it is needed. */
  restart(): Promise<void>
  /** For good: once nobody uses it, or at once. */
  retire(options?: { atOnce: boolean }): Promise<void>
}

type Work<Value> = (client: Client, patience: Patience) => Promise<Value>

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** One that stays up for so long has recovered. */
const HEALTHY_MS = 30_000
const LISTING_MS = 30_000
const NO_FACTS: ServerFacts = { tools: [], prompts: [], hasResources: false, instructions: "" }

/** All there is of a server while a process has it. */
interface Life {
  entry: ServerEntry
  readonly ports: ServerPorts
  client: Client | undefined
  state: ServerState
  problem: string | undefined
  facts: ServerFacts
  starting: Promise<void> | undefined
  /** In a row. */
  failures: number
  upSince: number
  retryAt: number
  retired: boolean
  closing: AbortController
  /** Lists that the server said are others now. */
  readonly changed: Set<ListKind>
  /** Calls under way, and whom each may ask. */
  readonly users: Set<{ ask?: AskPerson | undefined }>
}

export function openServer(entry: ServerEntry, ports: ServerPorts): Server {
  const life: Life = {
    entry,
    ports,
    client: undefined,
    state: entry.disabled ? "disabled" : "idle",
    problem: undefined,
    facts: NO_FACTS,
    starting: undefined,
    failures: 0,
    upSince: 0,
    retryAt: 0,
    retired: false,
    closing: new AbortController(),
    changed: new Set(),
    users: new Set(),
  }
  return {
    get entry() {
      return life.entry
    },
    get state() {
      return life.state
    },
    get problem() {
      return life.problem
    },
    get facts() {
      return life.facts
    },
    log: ports.log,
    adopt(other) {
      life.entry = other
    },
    wake: () => wake(life),
    settled: async () => life.starting,
    update: () => update(life),
    use: (work, options) => use(life, work, options),
    restart: () => restart(life),
    retire: (options) => retire(life, options),
  }
}

function wake(life: Life): void {
  const { client, starting, entry, retired, retryAt, ports } = life
  if (client || starting || entry.disabled || retired || ports.now() < retryAt) return
  life.starting = start(life).finally(() => {
    life.starting = undefined
  })
}

/** Never rejects. */
async function start(life: Life): Promise<void> {
  const { entry, ports, closing } = life
  const { log, now } = ports
  life.state = "starting"
  life.problem = undefined
  log.write(`[joey] ${new Date(now()).toISOString()} starting`)
  let how = ""
  let opened: Client | undefined
  const connection: ConnectionPorts = {
    ...ports,
    log: log.write,
    onEnd(words) {
      how = words
      ended(life, opened, words)
    },
    onListChanged: (kind) => void life.changed.add(kind),
    elicit: (params) => answer(life, params),
  }
  try {
    opened = await connect(entry, connection, closing.signal)
    life.client = opened
    await readLists(life, opened)
    life.state = "ready"
    life.upSince = now()
  } catch (error) {
    life.client = undefined
    await opened?.close().catch(() => {})
    failed(life, error, how)
  }
}

function failed(life: Life, error: unknown, how: string): void {
  const { entry, ports, closing } = life
  const { kind, words } = failureOf(error)
  life.failures++
  life.retryAt = ports.now() + pauseAfter(life.failures)
  life.state = closing.signal.aborted ? "stopped" : kind === "sign-in" ? "sign-in" : "failed"
  const away = entry.start.kind === "stdio" && how !== "" && how !== CLOSED ? how : words
  life.problem = kind === "sign-in" ? `it wants you to sign in: joey mcp login ${entry.name}` : withLastWords(away, ports.log)
  ports.log.write(`[joey] failed: ${life.problem}`)
}

/** The connection is gone. `of` is undefined while it was still being made. */
function ended(life: Life, of: Client | undefined, how: string): void {
  const { log, now } = life.ports
  log.write(`[joey] ${new Date(now()).toISOString()} ended: ${how}`)
  if (!of || life.client !== of) return
  life.client = undefined
  life.state = "stopped"
  life.problem = withLastWords(how, log)
  life.failures = now() - life.upSince >= HEALTHY_MS ? 0 : life.failures + 1
  life.retryAt = life.failures > 1 ? now() + pauseAfter(life.failures - 1) : 0 // the first time it is back at once
}

async function readLists(life: Life, from: Client): Promise<void> {
  const { entry, ports, closing, changed } = life
  const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(LISTING_MS)])
  changed.clear()
  const { tools, notes } = await listTools(from, signal, { overHttp: entry.start.kind !== "stdio" })
  for (const note of notes) ports.note(`${serverName(entry.name)}: ${note}.`)
  const named = from.getServerVersion()
  const protocol = from.getNegotiatedProtocolVersion()
  life.facts = {
    tools,
    prompts: await listPrompts(from, signal).catch(() => []),
    hasResources: from.getServerCapabilities()?.resources !== undefined,
    instructions: from.getInstructions() ?? "",
    ...(named && { version: `${named.name} ${named.version}` }),
    ...(protocol && { protocol }),
  }
}

async function update(life: Life): Promise<void> {
  const { client, changed, ports } = life
  if (!client || changed.size === 0) return
  await readLists(life, client).catch((error) => ports.log.write(`[joey] its lists could not be read: ${failureOf(error).words}`))
}

/** Only somebody who waits for a result of this server is asked; without such a call nobody knows what it is about. */
async function answer({ entry, ports, users }: Life, params: ElicitRequest["params"]): Promise<ElicitResult> {
  const ask = [...users].findLast((user) => user.ask)?.ask
  if (!ask) return { action: "decline" }
  return elicit(entry.name, params, ask).catch((error) => {
    ports.log.write(`[joey] its question was not answered: ${failureOf(error).words}`)
    return { action: "cancel" as const }
  })
}

async function use<Value>(life: Life, work: Work<Value>, { signal, ask }: UseOptions): Promise<Value> {
  const { users } = life
  const timer = patience(life.entry.timeoutMs, signal)
  const user = { ask: ask && ((question: string, suggestions: readonly string[]) => timer.during(ask(question, suggestions))) }
  users.add(user)
  try {
    const first = await timer.during(up(life, signal))
    try {
      return await work(first, timer)
    } catch (error) {
      const isForgotten = failureOf(error).kind === "session-lost" && life.entry.start.kind !== "stdio"
      if (!isForgotten || timer.signal.aborted) throw error
      await close(life, first) // it does not know us any more, so it has done nothing
      return await work(await timer.during(up(life, signal)), timer)
    }
  } catch (error) {
    throw inOneLine(life, error, timer, signal)
  } finally {
    timer.close()
    users.delete(user)
    if (life.retired && users.size === 0) void close(life, life.client)
  }
}

async function up(life: Life, signal: AbortSignal): Promise<Client> {
  const name = serverName(life.entry.name)
  if (life.entry.disabled) throw new ToolError(`${name} is switched off.`)
  wake(life)
  if (life.starting) await Promise.race([life.starting, aborted(signal)])
  if (life.client) return life.client
  const wait = Math.max(0, Math.ceil((life.retryAt - life.ports.now()) / 1000))
  const again = life.state === "sign-in" ? "" : ` It can be tried again${wait > 0 ? ` in ${wait} s` : ""}.`
  throw new ToolError(`${name} is not running: ${life.problem ?? "it was ended"}.${again}`)
}

function inOneLine({ entry, problem }: Life, error: unknown, timer: Patience, signal: AbortSignal): unknown {
  if (error instanceof ToolError || signal.aborted) return error
  const name = serverName(entry.name)
  const unknown = "Whether it took effect is not known."
  if (timer.isOver) {
    return new ToolError(`${name} did not answer within ${entry.timeoutMs / 1000} s; the call was cancelled. ${unknown}`)
  }
  const { kind, words } = failureOf(error)
  if (kind === "closed") return new ToolError(`${name} ended during the call (${problem ?? words}). ${unknown}`)
  if (kind === "sign-in") return new ToolError(`${name} wants the person to sign in: joey mcp login ${entry.name}`)
  return new ToolError(`${name} ${words}`)
}

async function close(life: Life, of: Client | undefined): Promise<void> {
  if (life.client === of) {
    life.client = undefined
    if (!life.entry.disabled) life.state = "stopped"
  }
  await of?.close().catch(() => {})
}

async function restart(life: Life): Promise<void> {
  life.closing.abort()
  await life.starting
  life.closing = new AbortController()
  await close(life, life.client)
  life.state = life.entry.disabled ? "disabled" : "idle"
  life.failures = 0
  life.retryAt = 0
}

async function retire(life: Life, { atOnce } = { atOnce: false }): Promise<void> {
  life.retired = true
  life.closing.abort()
  await life.starting
  if (atOnce || life.users.size === 0) await close(life, life.client)
}

function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
}

function withLastWords(how: string, log: ServerLog): string {
  const last = log.lastLine()
  return last === "" || how.includes(last) ? how : `${how}; its last words: ${last}`
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
  })
}
