/**
 * A server may answer a call with a task: a promise of the result, to be asked for again and again. It is followed to its end here, in the form of
 * the extension (2026-07-28) and in the experimental one (2025-11-25); what the server sends decides which. Whoever lets go of it cancels it.
 */
import type { CallToolResult, Client, ElicitRequest, ElicitResult } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import { ToolError } from "../types/tool.ts"
import { loadClientPackage } from "./client-package.ts"
import { failureOf } from "./failure.ts"
import type { Patience } from "./patience.ts"
import { rawRequest, resultIn, taskIn } from "./raw-messages.ts"
import { cleanText, serverName } from "./result.ts"

/** Declared to servers, so that they may answer with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks"
export const LONGEST_TASK_MS = 24 * 3_600_000
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 60_000
/** Where the server does not say how often it wants to be asked. */
const FIRST_PAUSE_MS = 250
const USUAL_PAUSE_MS = 5_000
const MISSED_PAUSE_MS = 1_000
/** In a row: a long task shall survive a short trouble of the network. */
const MOST_MISSED = 5
const MOST_QUESTIONS = 20
const CANCEL_MS = 1_000
const STATES = ["working", "input_required", "completed", "failed", "cancelled"] as const

interface ServerTask {
  id: string
  status: (typeof STATES)[number]
  /** The server's words on it. */
  message: string
  pauseMs?: number
  result?: Record<string, unknown>
  error?: Record<string, unknown>
  inputRequests?: Record<string, unknown>
}

export interface TaskWay {
  client: Client
  /** Its name. */
  server: string
  timer: Patience
  /** How it stands with it, in words. */
  tell(words: string): void
  answer(params: ElicitRequest["params"]): Promise<ElicitResult>
}

/** What a tool gave. Nobody has looked at its parts. */
export interface ToolResult {
  parts: unknown
  structured?: unknown
  isError: boolean
}

/** The result itself, or what becomes of the task that it stands for. */
export async function resultOf(answered: CallToolResult, way: TaskWay): Promise<ToolResult> {
  const sent = taskIn(answered)
  if (sent === undefined) return checkedResult({ result: resultIn(answered) }, way)
  const task = readTask(sent)
  if (!task) throw new ToolError(`${serverName(way.server)} answers with a task that cannot be understood.`)
  let end: End | undefined
  try {
    end = await follow(task, way)
    return checkedResult(end, way)
  } catch (error) {
    if (error instanceof ToolError || way.timer.signal.aborted) throw error
    // Never the failure itself: a call that may have taken effect must not be repeated.
    const unknown = "Whether it took effect is not known."
    throw new ToolError(`${serverName(way.server)} ${failureOf(error).words} while its task was under way. ${unknown}`)
  } finally {
    if (!end) await cancel(task.id, way)
  }
}

type End = { result: unknown; failed?: boolean } | { problem: string }

async function follow(started: ServerTask, way: TaskWay): Promise<End> {
  const { timer } = way
  const began = Date.now()
  const answered = new Set<string>()
  let asked: Promise<unknown> | undefined
  let task = started
  way.tell(stateWords(task))
  if (task.status === "working") await timer.during(pause(pauseBefore(task, 0), timer.signal))
  for (let polls = 1; ; polls++) {
    task = await poll(task.id, way)
    timer.renew()
    way.tell(stateWords(task))
    if (task.status === "completed") return { result: task.result ?? (await (asked ?? askResult(task.id, way))) }
    if (task.status === "failed") return failed(task, way)
    if (task.status === "cancelled") return { problem: wordsFor("was cancelled by the server", task.message) }
    if (task.status === "input_required" && task.inputRequests) await answerInputs(task, answered, way)
    else if (task.status === "input_required") asked ??= askResult(task.id, way)
    if (Date.now() - began > LONGEST_TASK_MS) throw new ToolError(`${serverName(way.server)} has worked on it for a whole day.`)
    const early = await timer.during(pause(pauseBefore(task, polls), timer.signal, asked)).catch((error: unknown) => {
      if (timer.signal.aborted) throw error
      asked = undefined // the way it came by broke; the state tells more
    })
    if (early !== undefined) return { result: early }
  }
}

async function poll(taskId: string, { client, server, timer }: TaskWay): Promise<ServerTask> {
  for (let missed = 1; ; missed++) {
    try {
      const task = readTask(await rawRequest(client, "tasks/get", { taskId }, requestOptions(timer)))
      if (task?.id === taskId) return task
      throw new ToolError(`${serverName(server)} says of its task what cannot be understood.`)
    } catch (error) {
      if (timer.signal.aborted || missed >= MOST_MISSED || !passes(error)) throw error
      await timer.during(pause(MISSED_PAUSE_MS * missed, timer.signal))
    }
  }
}

/** Trouble that may be over the next time. */
function passes(error: unknown): boolean {
  if (error instanceof ToolError) return false
  const { kind, words } = failureOf(error)
  return kind === "unreachable" || (kind === "refused" && /status (?:429|50[0234])\b/.test(words))
}

/**
 * Of the experimental form: waits for the end, and lets the server ask the person meanwhile. The package hands its questions to whoever
 * answers them for any call.
 */
function askResult(taskId: string, { client, timer }: TaskWay): Promise<unknown> {
  const asked = rawRequest(client, "tasks/result", { taskId }, requestOptions(timer))
  asked.catch(() => {}) // whoever waits for it hears of it
  return asked
}

/** The experimental form has the tool's own error as the result. */
async function failed(task: ServerTask, way: TaskWay): Promise<End> {
  const said = task.error?.["message"]
  const problem = wordsFor("failed", typeof said === "string" ? said : task.message)
  if (task.error) return { problem }
  return askResult(task.id, way).then(
    (result) => ({ result, failed: true }),
    () => ({ problem }),
  )
}

/** Each question is asked once, however often the server repeats it. */
async function answerInputs({ id, inputRequests = {} }: ServerTask, answered: Set<string>, way: TaskWay): Promise<void> {
  const { client, server, timer } = way
  const { isSpecType } = await loadClientPackage()
  const open = Object.entries(inputRequests).filter(([key]) => !answered.has(key))
  if (open.length === 0) return
  if (answered.size + open.length > MOST_QUESTIONS)
    throw new ToolError(`${serverName(server)} asks more than ${MOST_QUESTIONS} questions; its task was cancelled.`)
  const given: [string, ElicitResult][] = []
  for (const [key, request] of open) {
    if (!isSpecType.ElicitRequest(request)) {
      const method = isRecord(request) ? shown(String(request["method"])) : "nothing"
      throw new ToolError(`${serverName(server)} wants something that is not done here (${method}); its task was cancelled.`)
    }
    given.push([key, await way.answer(request.params)])
    answered.add(key)
  }
  await rawRequest(client, "tasks/update", { taskId: id, inputResponses: Object.fromEntries(given) }, requestOptions(timer))
}

function checkedResult(end: End, { server }: TaskWay): ToolResult {
  if ("problem" in end) throw new ToolError(`The task of ${serverName(server).replace("The", "the")} ${end.problem}`)
  if (!isRecord(end.result)) throw new ToolError(`${serverName(server)} ended its task with a result that is none.`)
  const { content: parts, structuredContent: structured, isError } = end.result
  return { parts, structured, isError: isError === true || end.failed === true }
}

/** As well as it goes: the server decides, and nobody waits for it. */
async function cancel(taskId: string, { client }: TaskWay): Promise<void> {
  const options = { signal: AbortSignal.timeout(CANCEL_MS), timeout: CANCEL_MS }
  await rawRequest(client, "tasks/cancel", { taskId }, options).catch(() => {})
}

function requestOptions({ signal }: Patience) {
  return { signal, timeout: LONGEST_TASK_MS }
}

function pauseBefore({ pauseMs }: ServerTask, polls: number): number {
  const own = Math.min(FIRST_PAUSE_MS * 1.5 ** Math.min(polls, 20), USUAL_PAUSE_MS)
  return Math.min(Math.max(pauseMs ?? own, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
}

/** Ends early with what `early` gives. */
function pause(ms: number, signal: AbortSignal, early?: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener("abort", stop)
      settle()
    }
    const stop = () => end(() => reject(signal.reason))
    const timer = setTimeout(() => end(() => resolve(undefined)), ms)
    signal.addEventListener("abort", stop, { once: true })
    if (signal.aborted) stop()
    early?.then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    )
  })
}

function readTask(sent: unknown): ServerTask | undefined {
  if (!isRecord(sent)) return undefined
  const { taskId: id, statusMessage, result, error, inputRequests } = sent
  const status = STATES.find((each) => each === sent["status"])
  if (typeof id !== "string" || id === "" || id.length > 1_000 || !status) return undefined
  const pauseMs = sent["pollIntervalMs"] ?? sent["pollInterval"]
  return {
    id,
    status,
    message: typeof statusMessage === "string" ? shown(statusMessage) : "",
    ...(typeof pauseMs === "number" && Number.isFinite(pauseMs) && { pauseMs }),
    ...(isRecord(result) && { result }),
    ...(isRecord(error) && { error }),
    ...(isRecord(inputRequests) && { inputRequests }),
  }
}

function stateWords({ status, message }: ServerTask): string {
  return message === "" ? status.replace("_", " ") : message
}

function wordsFor(end: string, why: string): string {
  return why === "" ? `${end}.` : `${end}: ${shown(why)}`
}

function shown(words: string): string {
  return truncate(oneLine(cleanText(words)), 300)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
