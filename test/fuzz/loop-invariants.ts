/** What must hold of a task's log, whatever happened to the task. Each problem is one line. */
import { isDeepStrictEqual } from "node:util"
import type { ApprovalPreset } from "../../src/policy/approval.ts"
import { emptyState, fold } from "../../src/task/fold.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { ReceivedCall } from "../../src/types/message.ts"
import type { TaskState } from "../../src/types/state.ts"
import type { Effect } from "../../src/types/tool.ts"
import { emptyView, reduce, type View } from "../../src/view/view.ts"
import { historyProblems } from "../history-problems.ts"

export function logProblems(events: readonly Recorded[], approval: ApprovalPreset): string[] {
  const problems = [orderProblems(events), callProblems(events), questionProblems(events), pairProblems(events)].flat()
  return [...problems, ...approvalProblems(events, approval)]
}

/** Once it rests, the history is one that any provider takes. */
function pairProblems(events: readonly Recorded[]): string[] {
  if (events.at(-1)?.type !== "task-finished") return []
  return historyProblems(folded(events).messages).filter((problem) => !problem.endsWith("the model had the last word"))
}

function folded(events: readonly Recorded[]): TaskState {
  const state = emptyState()
  for (const event of events) fold(state, event)
  return state
}

const WORK: ReadonlySet<Recorded["type"]> = new Set([
  "turn-started",
  "request-failed",
  "replied",
  "asked",
  "answered",
  "call-started",
  "call-finished",
  "completion-proposed",
  "task-completed",
])

/** Numbered without a gap, begun once, and between the end of a run and the next resumption nothing is worked. */
function orderProblems(events: readonly Recorded[]): string[] {
  const problems: string[] = []
  let resting = false
  for (const [place, event] of events.entries()) {
    const { seq, type } = event
    if (seq !== place + 1) problems.push(`event ${place + 1} has the number ${seq}`)
    if ((type === "task-started") !== (place === 0)) problems.push(`${type} as event ${place + 1}`)
    const endsAgain = type === "task-finished" && !isFullDisk(event) // so it is told that a command could not be written
    if (resting && (WORK.has(type) || endsAgain)) problems.push(`${type} (${seq}) after the run had ended`)
    if (type === "task-finished") resting = true
    if (type === "task-resumed") resting = false
  }
  return problems
}

/** What could not be written then is settled when the task goes on. */
function isFullDisk(event: Recorded): boolean {
  return event.type === "task-finished" && event.ending.reason === "fault" && event.ending.fault.kind === "storage"
}

const REPEATABLE: ReadonlySet<Effect> = new Set(["none", "read"])

/** Each call: started at most once where that matters, finished exactly once, before anything is asked of the model again. */
function callProblems(events: readonly Recorded[]): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  let open = new Map<string, ReceivedCall>()
  const started = new Set<string>()
  for (const event of events) {
    if (event.type === "replied") {
      const calls = event.message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
      for (const { key } of calls) if (seen.has(key)) problems.push(`the key ${key} comes twice`)
      for (const { key } of calls) seen.add(key)
      open = new Map(calls.map((call) => [call.key, call]))
    } else if (event.type === "call-started") {
      const call = open.get(event.callKey)
      if (!call) problems.push(`${event.callKey} is started, but not open`)
      else if ("malformed" in call) problems.push(`${event.callKey} is started, but malformed`)
      if (started.has(event.callKey) && !REPEATABLE.has(event.effect)) problems.push(`${event.callKey} is started twice`)
      started.add(event.callKey)
    } else if (event.type === "call-finished") {
      if (!open.delete(event.callKey)) problems.push(`${event.callKey} is finished, but not open`)
    } else if ((event.type === "turn-started" || event.type === "task-finished") && open.size > 0 && !isFullDisk(event)) {
      problems.push(`${event.type} (${event.seq}) while ${[...open.keys()].join(", ")} has no result`)
    }
  }
  return problems
}

/** Nobody is asked again what was answered, unless a no at a limit is thought over. */
function questionProblems(events: readonly Recorded[]): string[] {
  const problems: string[] = []
  let answers = new Map<string, string>()
  for (const event of events) {
    if (event.type === "turn-started") answers = new Map()
    if (event.type === "answered") {
      if (answers.has(event.id)) problems.push(`${event.id} is answered twice`)
      answers.set(event.id, event.answer.kind)
    }
    if (event.type !== "asked" || !answers.has(event.id)) continue
    if (event.question.kind === "limit" && answers.get(event.id) === "no") answers.delete(event.id)
    else problems.push(`${event.id} is asked again (${event.seq})`)
  }
  return problems
}

/** What needed a yes got one before it began; what got a no never began, nor anything behind it in its turn. */
function approvalProblems(events: readonly Recorded[], approval: ApprovalPreset): string[] {
  const problems: string[] = []
  const asked = new Map<string, { callKey: string; grant: string }>()
  const allowed = new Set<string>()
  let refused = false
  const grants = new Set<string>()
  for (const event of events) {
    if (event.type === "turn-started") refused = false
    else if (event.type === "asked" && event.question.kind === "approve") {
      asked.set(event.id, { callKey: event.question.callKey, grant: event.question.always.grant })
    } else if (event.type === "answered") {
      const { callKey = "", grant = "" } = asked.get(event.id) ?? {}
      if (event.answer.kind === "yes") allowed.add(callKey)
      else refused ||= callKey !== ""
      if (event.answer.kind === "yes" && event.answer.always === "task") grants.add(grant)
    } else if (event.type === "call-started") {
      const { callKey, tool, effect } = event
      const needed = approval === "ask" ? effect !== "none" : approval === "default" && !REPEATABLE.has(effect)
      const granted =
        allowed.has(callKey) || grants.has(`tool:${tool}:${effect}`) || [...grants].some((grant) => grant.startsWith("call:"))
      if (needed && !granted) problems.push(`${tool} (${callKey}) began without a yes`)
      if (refused) problems.push(`${tool} (${callKey}) began after a no`)
    }
  }
  return problems
}

/** The state is a fold of the log and of nothing else. */
export function foldProblems(events: readonly Recorded[], live: TaskState): string[] {
  const state = folded(events)
  const problems: string[] = []
  for (const field of Object.keys({ ...state, ...live }) as (keyof TaskState)[]) {
    if (!isDeepStrictEqual(plain(state[field]), plain(live[field]))) {
      problems.push(`${field}: the log says ${JSON.stringify(state[field])}, the task ${JSON.stringify(live[field])}`)
    }
  }
  return problems
}

/** As the log can hold it: there -0 is 0, and a number too large for JSON is null. */
function plain(value: unknown): unknown {
  const entries = value instanceof Map ? [...value] : value
  return entries === undefined ? undefined : JSON.parse(JSON.stringify(entries))
}

/** A front that was there all the time shows the same as one that reads the log. */
export function viewProblems(events: readonly Recorded[], live: View): string[] {
  const { rows, pending, ending } = events.reduce<View>(reduce, emptyView)
  for (let place = 0; place < Math.max(rows.length, live.rows.length); place++) {
    const [fromLog, shown] = [rows[place], live.rows[place]].map(plain)
    if (!isDeepStrictEqual(fromLog, shown))
      return [`row ${place}: the log says ${JSON.stringify(fromLog)}, the front ${JSON.stringify(shown)}`]
  }
  return isDeepStrictEqual(plain([pending, ending]), plain([live.pending, live.ending])) ? [] : ["the front asks something else"]
}
