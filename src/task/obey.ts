/** What each command does to an open task. */
import type { Loop } from "../loop/loop.ts"
import type { TaskState } from "../types/state.ts"
import type { Command } from "../types/task.ts"
import { foldLog, itemOf } from "./fold.ts"
import type { Open } from "./open.ts"
import { rewindPoint } from "./rewind.ts"
import { finish, goOn } from "./running.ts"
import { endingOf } from "./runs.ts"

export function obey(open: Open, command: Command): void {
  try {
    obeyNow(open, command)
  } catch (error) {
    if (open.runs.running) open.runs.stop(error)
    else finish(open, endingOf(error))
  }
}

function obeyNow(open: Open, command: Command): void {
  const { record, desk, runs, loop, parts } = open
  if ("task" in command && command.task !== undefined && command.task !== parts.id) {
    if (!parts.subtask?.(command.task, command)) record({ type: "notice", text: `There is no subtask ${command.task} running.` })
    return
  }
  switch (command.type) {
    case "answer":
      desk.answer(command.question, command.answer, command.by)
      break
    case "set-mode":
      record({ type: "mode-changed", mode: command.mode, reason: "chosen by the person", by: "person" })
      break
    case "set-model":
      chooseModel(loop, command.model)
      break
    case "cancel":
      runs.stop(new DOMException("Cancelled by the person.", "AbortError"))
      break
    case "say":
      say(open, command)
      break
    case "continue":
      if (hasLastWord(open.state)) record({ type: "said", by: "joey", content: [{ type: "text", text: "Go on." }] })
      goOn(open)
      break
    case "change-words":
      changeWords(open, command)
      break
    case "pin":
      if (isThere(open, command.item)) record({ type: "pinned", item: command.item, pinned: command.pinned })
      break
    case "drop":
      if (isThere(open, command.item)) record({ type: "dropped", item: command.item })
      break
    case "rewind":
      void rewind(open, command)
      break
    case "condense":
      loop.wanted.condense = true
      if (!runs.running) record({ type: "notice", text: "The past is shortened before the next request." })
  }
}

function say(open: Open, { content, when }: Command & { type: "say" }): void {
  const waits = when === "end" && open.runs.running
  open.record({ type: "said", by: "person", content, ...(waits && { when }) })
  if (!waits) goOn(open)
}

function chooseModel({ stations, record }: Loop, name: string): void {
  const model = stations.models.choose(name)
  if (model) record({ type: "model-changed", model: model.id, reason: "chosen by the person", by: "person" })
  else record({ type: "notice", text: `There is no profile and no model "${name}".` })
}

function changeWords({ state, record }: Open, { said, content }: Command & { type: "change-words" }): void {
  const waits = [...state.unheard, ...state.queued].some(({ seq, by }) => seq === said && by === "person")
  if (waits) record({ type: "words-changed", said, content })
  else record({ type: "notice", text: "These words were heard already; rewind the task to change them." })
}

function isThere({ state, record }: Open, item: string): boolean {
  const found = state.messages.some((message) => itemOf(message) === item)
  if (!found) record({ type: "notice", text: `There is no item "${item}" in what the model sees; /context lists them.` })
  return found
}

async function rewind(open: Open, { to, content }: Command & { type: "rewind" }): Promise<void> {
  const { runs, parts, record, state } = open
  runs.stop(new DOMException("The task is being rewound.", "AbortError"))
  await runs.idle()
  if (open.closed) return
  try {
    const point = rewindPoint(parts.opened.log.read(0), to)
    if ("problem" in point) {
      record({ type: "notice", text: point.problem })
      return
    }
    record({ type: "rewound", to: point.to, reason: `Back to event ${point.to}; what came after it does not count any more.` })
    become(state, foldLog(parts.opened.log.read(0)))
    if (content) say(open, { type: "say", content })
    else if (!state.ending) finish(open, { reason: "cancelled" }) // it rests there, and whoever looks on can tell
  } catch (error) {
    finish(open, endingOf(error))
  }
}

/** The state object is shared: it changes in place. */
export function become(state: TaskState, other: TaskState): void {
  for (const key of Object.keys(state)) if (!(key in other)) delete state[key as keyof TaskState]
  Object.assign(state, other)
}

/** The model spoke last and is not waiting for anything: it needs to hear something before it can go on. */
function hasLastWord({ messages, unheard, calls }: Readonly<TaskState>): boolean {
  return unheard.length === 0 && calls.length === 0 && messages.at(-1)?.role === "assistant"
}
