/** Durable events → the task's state. Deterministic: the same log always folds into the same state. */
import type { Recorded } from "../types/event.ts"
import type { Content, UserMessage } from "../types/message.ts"
import type { CallState, TaskState } from "../types/state.ts"
import { countCall, countReply } from "./usage.ts"

export function emptyState(): TaskState {
  return {
    task: "",
    workspace: "",
    mode: "",
    model: "",
    protocol: "native",
    turn: 0,
    messages: [],
    unheard: [],
    calls: [],
    unsettled: 0,
    paused: false,
    notices: new Set(),
    plainReplies: 0,
    completed: false,
    questions: new Map(),
    todos: [],
    known: new Map(),
    usage: { inputTokens: 0, outputTokens: 0 },
    tools: {},
  }
}

/** Changes the state in place. */
export function fold(state: TaskState, event: Recorded): void {
  switch (event.type) {
    case "task-started":
      state.task = event.task
      state.workspace = event.workspace
      state.mode = event.mode
      state.model = event.model
      state.protocol = event.protocol
      return
    case "task-resumed":
      wake(state, event.mode, event.model)
      return
    case "said":
      state.unheard.push({ role: "user", content: event.content, by: event.by })
      if (event.by === "person") state.plainReplies = 0
      return
    case "turn-started":
      state.turn = event.turn
      state.messages.push(...withBrought(state.unheard, event.brought))
      state.unheard = []
      state.calls = []
      state.unsettled = 0
      state.completed = false
      state.questions.clear() // all that was asked before is settled
      return
    case "mode-changed":
      state.mode = event.mode
      return
    case "model-changed":
      state.model = event.model
      return
    case "replied":
      foldReply(state, event)
      return
    case "asked":
      state.questions.set(event.id, { question: event.question })
      return
    case "answered":
      foldAnswer(state, event)
      return
    case "call-started": {
      const started = callOf(state, event.callKey)
      if (started) started.started = { tool: event.tool, effect: event.effect }
      return
    }
    case "call-finished":
      foldResult(state, event)
      return
    case "task-completed":
      state.completed = true
      return
    case "task-finished":
      state.ending = event.ending
      return
    case "words-refused":
      state.unheard = []
      return
    case "request-failed":
    case "completion-proposed":
      return
    case "notice":
      state.notices.add(event.text)
      return
  }
}

/** What the words bring along stands behind the last of them. */
function withBrought(unheard: readonly UserMessage[], brought: Content[] = []): UserMessage[] {
  const heard = unheard.map(({ role, content }): UserMessage => ({ role, content }))
  const last = heard.at(-1)
  return last && brought.length > 0 ? heard.with(-1, { ...last, content: [...last.content, ...brought] }) : heard
}

function wake(state: TaskState, mode: string, model: string): void {
  state.mode = mode
  state.model = model
  state.plainReplies = 0
  delete state.ending
  delete state.declined
  for (const [id, { question, answer }] of state.questions) {
    if (question.kind === "limit" && answer?.kind === "no") state.questions.delete(id)
  }
}

function foldReply(state: TaskState, { message, end, usage }: Recorded & { type: "replied" }): void {
  const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  state.messages.push(message)
  state.lastReply = message
  state.calls = calls.map((call) => ({ call }))
  state.unsettled = calls.length
  state.paused = end === "paused" && calls.length === 0
  if (!message.interrupted && !state.paused) state.plainReplies = calls.length > 0 ? 0 : state.plainReplies + 1
  if (usage) state.usage = countReply(state.usage, usage)
}

/** Keys end in the call's place, so that a reply with very many calls costs no search. */
function callOf({ calls }: TaskState, key: string): CallState | undefined {
  const there = calls[Number(key.slice(key.lastIndexOf(".") + 1)) - 1]
  return there?.call.key === key ? there : calls.find(({ call }) => call.key === key)
}

function foldAnswer(state: TaskState, { id, answer }: Recorded & { type: "answered" }): void {
  const asked = state.questions.get(id)
  if (!asked || asked.answer) return
  asked.answer = answer
  const { question } = asked
  if (question.kind !== "limit") return
  if (answer.kind === "no") state.declined = { limit: question.limit, message: question.reason }
  if (answer.kind === "words") state.unheard.push({ role: "user", content: answer.content, by: "person" })
}

/** Results join the history together, in call order, once the last of them is there. A second result for a call is dropped. */
function foldResult(state: TaskState, event: Recorded & { type: "call-finished" }): void {
  const settled = callOf(state, event.callKey)
  if (!settled || settled.result) return
  state.unsettled--
  settled.result = { role: "result", callKey: event.callKey, kind: event.result, content: event.content }
  if (event.accepted !== undefined) settled.accepted = event.accepted
  state.tools = countCall(state.tools, event.tool, event.result)
  for (const [path, fingerprint] of Object.entries(event.learned ?? {})) state.known.set(path, fingerprint)
  if (event.stop !== undefined) state.declined = { limit: "hook", message: event.stop }
  if (event.show?.kind === "todos" && event.result === "done") state.todos = event.show.todos
  if (state.unsettled > 0) return
  for (const { result } of state.calls) if (result) state.messages.push(result)
}
