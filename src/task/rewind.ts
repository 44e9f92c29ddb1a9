/**
 * Going back in a task. The log keeps everything; a `rewound` event says what counts no more. Only points at which no call is open can
 * be gone back to, so that nothing that was begun is ever run again because of it. Pure, except for `rewindLater`.
 */
import { truncate } from "../text/truncate.ts"
import type { Recorded } from "../types/event.ts"
import type { Content } from "../types/message.ts"
import { lockTask } from "./lock.ts"
import { openLog, TORN_NOTICE } from "./log.ts"
import { taskFiles } from "./store.ts"

/** What still counts: without what was gone back behind. */
export function livingEvents(events: readonly Recorded[]): Recorded[] {
  const living: Recorded[] = []
  for (const event of events) {
    if (event.type === "rewound") while ((living.at(-1)?.seq ?? 0) > event.to) living.pop()
    living.push(event)
  }
  return living
}

/** The numbers of the events behind which no call is open. */
function safePoints(living: readonly Recorded[]): number[] {
  const open = new Set<string>()
  const points: number[] = []
  for (const event of living) {
    if (event.type === "turn-started") open.clear()
    if (event.type === "replied") {
      for (const part of event.message.parts) if (part.type === "call") open.add(part.call.key)
    }
    if (event.type === "call-finished") open.delete(event.callKey)
    if (open.size === 0) points.push(event.seq)
  }
  return points
}

/** The last point up to event `wanted` that can be gone back to; undefined before the task began. */
export function safePoint(events: readonly Recorded[], wanted: number): number | undefined {
  return safePoints(livingEvents(events)).findLast((seq) => seq <= wanted)
}

export type RewindPoint = { to: number } | { problem: string }

/** Where a wish to go back to event `to` leads: to it, or to the last point before it at which nothing is open. */
export function rewindPoint(events: readonly Recorded[], to: number): RewindPoint {
  const living = livingEvents(events)
  const last = living.at(-1)?.seq ?? 0
  if (!Number.isInteger(to) || to < 1 || to > last) return { problem: `there is no event ${to}; the last one is ${last}` }
  if (!living.some(({ seq }) => seq === to)) return { problem: `event ${to} was taken back before` }
  const point = safePoint(living, to)
  return point === undefined ? { problem: "the task's log has no beginning" } : { to: point }
}

/** Words of the person, as they count them. */
export interface SpokenMessage {
  /** Counted from 1, only those that still count. */
  number: number
  /** Of the event that has them. */
  seq: number
  at: string
  /** The first line. */
  title: string
  text: string
  /** Going back to here takes the words back, and everything after them. */
  before: number
}

const LONGEST_TITLE = 100

export function spokenMessages(events: readonly Recorded[]): SpokenMessage[] {
  const living = livingEvents(events)
  const points = safePoints(living)
  const changed = new Map(
    living.flatMap((event) => (event.type === "words-changed" ? [[event.said, event.content] as const] : [])),
  )
  const messages: SpokenMessage[] = []
  let at = 0
  for (const event of living) {
    while ((points[at] ?? Number.POSITIVE_INFINITY) < event.seq) at++
    const said = wordsIn(event)
    const content = changed.get(event.seq) ?? said
    if (!content || content.length === 0) continue // taken back before anybody heard them
    const text = textOf(content)
    const title = truncate(text.trim().split("\n", 1)[0]?.trim() ?? "", LONGEST_TITLE)
    messages.push({ number: messages.length + 1, seq: event.seq, at: event.at, title, text, before: points[at - 1] ?? 1 })
  }
  return messages
}

function wordsIn(event: Recorded): Content[] | undefined {
  return event.type === "said" && event.by === "person" ? event.content : undefined
}

function textOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")
}

/** While nobody has the task open. Throws LogError or TaskBusyError when the log cannot be had. */
export async function rewindLater(home: string, task: string, to: number, reason: string): Promise<RewindPoint> {
  const files = taskFiles(home, task)
  const release = lockTask(files.lock, task)
  try {
    const { log, events, torn } = openLog(files.log)
    try {
      if (torn) log.append({ type: "notice", text: TORN_NOTICE })
      const point = rewindPoint(events, to)
      if ("problem" in point) return point
      log.append({ type: "rewound", to: point.to, reason })
      await log.sync()
      return point
    } finally {
      log.close()
    }
  } finally {
    release()
  }
}
