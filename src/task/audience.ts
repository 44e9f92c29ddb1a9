/** Those who follow a task. Each gets what is in the log first, then everything as it happens; one who falls behind loses live events only. */
import { isDurable, type Recorded, type TaskEvent } from "../types/event.ts"

const LIVE_BACKLOG = 1_000

export interface Audience {
  tell(event: TaskEvent): void
  /** `past` is read when the iteration begins; events that are in it are not told twice. */
  follow(past: () => Recorded[]): AsyncIterable<TaskEvent>
  close(): void
}

interface Listener {
  queue: TaskEvent[]
  wake(): void
}

export function audience(): Audience {
  const listeners = new Set<Listener>()
  let closed = false

  async function* follow(past: () => Recorded[]): AsyncGenerator<TaskEvent> {
    let wake: () => void = () => {}
    const listener: Listener = { queue: [], wake: () => wake() }
    listeners.add(listener)
    try {
      let lastSeq = 0
      for (const event of past()) {
        lastSeq = event.seq
        yield event
      }
      for (;;) {
        const batch = listener.queue
        listener.queue = []
        for (const event of batch) {
          if (!isDurable(event)) yield event
          else if (event.seq > lastSeq) {
            lastSeq = event.seq
            yield event
          }
        }
        if (listener.queue.length > 0) continue
        if (closed) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      listeners.delete(listener)
    }
  }

  return {
    tell(event) {
      for (const listener of listeners) {
        if (isLossy(event) && listener.queue.length > LIVE_BACKLOG) continue
        listener.queue.push(event)
        listener.wake()
      }
    },
    follow,
    close() {
      closed = true
      for (const listener of listeners) listener.wake()
    },
  }
}

/** What is durable in a subtask must be seen too: it may be a question. */
function isLossy(event: TaskEvent): boolean {
  return event.type === "subtask" ? isLossy(event.event) : !isDurable(event)
}
