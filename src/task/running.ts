/** When a task runs and when it rests: it goes on for words that came meanwhile, and says so when it has ended. */
import type { Ending } from "../types/event.ts"
import type { TaskState } from "../types/state.ts"
import type { Open } from "./open.ts"

export function goOn({ state, runs, record, closed }: Open): void {
  if (closed) return
  if (state.ending && !runs.running) record({ type: "task-resumed", mode: state.mode, model: state.model })
  runs.start()
}

/** Something the model should hear at its next turn. */
export function tell(open: Open, text: string): void {
  const { ending } = open.state
  if (open.closed || (ending && ending.reason !== "answered")) return
  open.record({ type: "said", by: "joey", content: [{ type: "text", text }] })
  goOn(open)
}

export async function ended(open: Open, ending: Ending, startAgain: boolean): Promise<void> {
  const { state, loop, parts, record } = open
  if (open.closed) return
  finish(open, ending)
  void loop.stations.hooks?.task({ moment: "stopped", ending: ending.reason, lastText: lastTextOf(state) })
  await parts.opened.log.sync().catch(() => {}) // the ending was told; a disk that fails now is noticed at the next task
  if (open.closed) return
  const done = ending.reason === "accepted" || ending.reason === "answered"
  const [next] = state.queued
  if (done && state.unheard.length === 0 && next) record({ type: "words-released", said: next.seq })
  if (startAgain || (done && state.unheard.length > 0)) goOn(open)
}

export function finish({ parts, state, record, listeners }: Open, ending: Ending): void {
  const event = { type: "task-finished", ending, usage: state.usage, tools: state.tools } as const
  try {
    record(event)
  } catch {
    // A full disk must not hide the ending. Its number lies between two recorded ones, so that no later event is taken for it.
    listeners.tell({ seq: parts.opened.log.lastSeq + 0.5, at: new Date().toISOString(), ...event })
  }
}

function lastTextOf({ lastReply }: Readonly<TaskState>): string {
  return lastReply?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? ""
}
