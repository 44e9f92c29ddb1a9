/** Questions to the person: each asked once and answered once, also across restarts. An answer that nobody waits for changes nothing. */
import type { DurableEvent } from "../types/event.ts"
import type { Answer, Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"

export interface Questions {
  /** Resolves with the recorded answer if there is one; rejects when the signal aborts. */
  ask(id: string, question: Question, signal: AbortSignal): Promise<Answer>
  answer(id: string, answer: Answer, by: string): void
}

export function questions(state: Readonly<TaskState>, record: (event: DurableEvent) => void): Questions {
  const waiting = new Map<string, (answer: Answer) => void>()
  return {
    ask(id, question, signal) {
      const answered = state.questions.get(id)?.answer
      if (answered) return Promise.resolve(answered)
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        function cancel(): void {
          waiting.delete(id)
          reject(signal.reason)
        }
        waiting.set(id, (answer) => {
          signal.removeEventListener("abort", cancel)
          resolve(answer)
        })
        signal.addEventListener("abort", cancel, { once: true })
        record({ type: "asked", id, question }) // again after a restart, so that a front that only sees what is new can answer
      })
    },
    answer(id, answer, by) {
      const resolve = waiting.get(id)
      if (!resolve) return
      waiting.delete(id)
      record({ type: "answered", id, answer, by })
      resolve(answer)
    },
  }
}
