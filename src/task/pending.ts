/** Questions that wait in a task's log, and an answer given while nobody has the task open. The call runs when the task goes on, once. */
import type { Recorded } from "../types/event.ts"
import type { Answer, Question } from "../types/question.ts"
import { foldLog } from "./fold.ts"
import { lockTask } from "./lock.ts"
import { openLog, TORN_NOTICE } from "./log.ts"
import { taskFiles } from "./store.ts"

export interface Pending {
  id: string
  question: Question
}

/** Oldest first. A task that rests waits for nothing. */
export function pendingIn(events: readonly Recorded[]): Pending[] {
  const state = foldLog(events)
  if (state.ending) return []
  return [...state.questions].flatMap(([id, { question, answer }]) => (answer ? [] : [{ id, question }]))
}

/** It was left in the middle of something: there is more to do than to wait for words. */
export function isUnfinished(events: readonly Recorded[]): boolean {
  const state = foldLog(events)
  return state.turn > 0 && state.ending === undefined && !isTakenBack(events)
}

/** The person went back in it and has said nothing since. */
export function isTakenBack(events: readonly Recorded[]): boolean {
  return events.at(-1)?.type === "rewound"
}

export type Recording = { ok: true } | { ok: false; problem: string }

/** Throws LogError or TaskBusyError when the log cannot be had. */
export async function answerLater(
  home: string,
  task: string,
  { id, answer, by }: { id: string; answer: Answer; by: string },
  now = Date.now(),
): Promise<Recording> {
  const files = taskFiles(home, task)
  const release = lockTask(files.lock, task)
  try {
    const { log, events, torn } = openLog(files.log)
    try {
      if (torn) log.append({ type: "notice", text: TORN_NOTICE })
      const pending = pendingIn(events).find((one) => one.id === id)
      if (!pending) return { ok: false, problem: "it was answered meanwhile" }
      const { question } = pending
      if (question.kind === "approve" && question.expiresAt !== undefined && Date.parse(question.expiresAt) <= now) {
        return { ok: false, problem: `it expired at ${question.expiresAt}; go on with the task and it is asked again` }
      }
      log.append({ type: "answered", id, answer, by })
      await log.sync()
      return { ok: true }
    } finally {
      log.close()
    }
  } finally {
    release()
  }
}
