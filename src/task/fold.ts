/** Durable events → the task's state. Deterministic: the same log always folds into the same state. */
import type { Recorded } from "../types/event.ts"
import type { Content, Message, UserMessage } from "../types/message.ts"
import type { CallState, TaskState, UnheardMessage } from "../types/state.ts"
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
    queued: [],
    calls: [],
    unsettled: 0,
    paused: false,
    notices: new Set(),
    plainReplies: 0,
    completed: false,
    questions: new Map(),
    todos: [],
    known: new Map(),
    subtasks: new Map(),
    loadedTools: [],
    pins: new Set(),
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
      if (event.parent) state.parent = event.parent
      if (event.todos) state.todos = event.todos
      return
    case "task-resumed":
      wake(state, event.mode, event.model)
      return
    case "said":
      ;(event.when === "end" ? state.queued : state.unheard).push(wordsOf(event))
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
    case "words-changed":
      state.unheard = withChangedWords(state.unheard, event)
      state.queued = withChangedWords(state.queued, event)
      return
    case "words-released":
      state.unheard.push(...state.queued.filter(({ seq }) => seq === event.said))
      state.queued = state.queued.filter(({ seq }) => seq !== event.said)
      return
    case "subtask-started":
      state.subtasks.set(event.callKey, event.task)
      return
    case "tools-loaded":
      state.loadedTools.push(...event.names)
      return
    case "condensed":
      state.messages = [...event.messages]
      if (event.usage) state.usage = countReply(state.usage, event.usage)
      return
    case "pinned":
      if (event.pinned) state.pins.add(event.item)
      else state.pins.delete(event.item)
      return
    case "dropped":
      state.messages = state.messages.map((message) => (itemOf(message) === event.item ? withoutWords(message) : message))
      return
    case "request-failed":
    case "completion-proposed":
    case "tools-changed":
    case "rewound": // what it takes back is left out before the fold
      return
    case "notice":
      state.notices.add(event.text)
      return
  }
}

/** The same for a whole log: what was rewound is left out, but what it took stays counted. */
export function foldLog(events: readonly Recorded[]): TaskState {
  const kept: Recorded[] = []
  const gone: Recorded[] = []
  for (const event of events) {
    if (event.type === "rewound") while ((kept.at(-1)?.seq ?? 0) > event.to) gone.push(...kept.splice(-1))
    kept.push(event)
  }
  const state = emptyState()
  for (const event of kept) fold(state, event)
  for (const event of gone) countSpent(state, event)
  return state
}

/** Turns go on being counted too: names of calls and questions come from them, and must not come twice in a log. */
function countSpent(state: TaskState, event: Recorded): void {
  if (event.type === "turn-started") state.turn = Math.max(state.turn, event.turn)
  if ((event.type === "replied" || event.type === "condensed") && event.usage) state.usage = countReply(state.usage, event.usage)
  if (event.type !== "call-finished") return
  state.tools = countCall(state.tools, event.tool, event.result)
  if (event.spent) state.usage = countReply(state.usage, event.spent.usage)
}

/** The name under which a part of the history is pinned or dropped. */
export function itemOf(message: Message): string | undefined {
  return message.role === "result" ? message.callKey : message.item
}

const TAKEN_OUT: Content & { type: "text" } = { type: "text", text: "(The person took this out.)" }

/** Calls stay, for their results refer to them. */
function withoutWords(message: Message): Message {
  if (message.role !== "assistant") return { ...message, content: [TAKEN_OUT] }
  const calls = message.parts.filter((part) => part.type === "call")
  return { ...message, parts: calls.length > 0 ? calls : [TAKEN_OUT] }
}

function wordsOf({ content, by, seq }: Recorded & { type: "said" }): UnheardMessage {
  return { role: "user", content, by, seq }
}

function withChangedWords(
  unheard: readonly UnheardMessage[],
  { said, content }: Recorded & { type: "words-changed" },
): UnheardMessage[] {
  return unheard.flatMap((words) => (words.seq !== said ? [words] : content.length > 0 ? [{ ...words, content }] : []))
}

/** What the words bring along stands behind the last of them. */
function withBrought(unheard: readonly UnheardMessage[], brought: Content[] = []): UserMessage[] {
  const heard = unheard.map(({ role, content, seq }): UserMessage => ({ role, content, item: `words-${seq}` }))
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

function foldReply(state: TaskState, { message, end, usage, turn }: Recorded & { type: "replied" }): void {
  const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  state.messages.push({ ...message, item: `reply-${turn}` })
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

function foldAnswer(state: TaskState, { id, answer, seq }: Recorded & { type: "answered" }): void {
  const asked = state.questions.get(id)
  if (!asked || asked.answer) return
  asked.answer = answer
  const { question } = asked
  if (question.kind !== "limit") return
  if (answer.kind === "no") state.declined = { limit: question.limit, message: question.reason }
  if (answer.kind === "words") state.unheard.push({ role: "user", content: answer.content, by: "person", seq })
}

/** Results join the history together, in call order, once the last of them is there. A second result for a call is dropped. */
function foldResult(state: TaskState, event: Recorded & { type: "call-finished" }): void {
  const settled = callOf(state, event.callKey)
  if (!settled || settled.result) return
  state.unsettled--
  settled.result = { role: "result", callKey: event.callKey, kind: event.result, content: event.content }
  if (event.accepted !== undefined) settled.accepted = event.accepted
  state.tools = countCall(state.tools, event.tool, event.result)
  if (event.spent) state.usage = countReply(state.usage, event.spent.usage)
  for (const [path, fingerprint] of Object.entries(event.learned ?? {})) state.known.set(path, fingerprint)
  if (event.stop !== undefined) state.declined = { limit: "hook", message: event.stop }
  if (event.show?.kind === "todos" && event.result === "done") state.todos = event.show.todos
  if (state.unsettled > 0) return
  for (const { result } of state.calls) if (result) state.messages.push(result)
}
