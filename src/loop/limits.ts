/** Stops before the next request when a limit is reached, and lets the person decide whether to go on. */
import type { LimitReached } from "../types/stations.ts"
import type { Loop } from "./loop.ts"

/** False: the person declined, or cancelled. */
export async function withinLimits(loop: Loop): Promise<boolean> {
  for (let reached = next(loop); reached; reached = next(loop)) {
    const id = `limit:${reached.limit}:${loop.state.turn}`
    const answered = loop.state.questions.get(id)?.answer
    if (answered && answered.kind !== "no") return true // asked in this turn; it is reached again, and asked again, in the next
    if (!(await mayGoOn(loop, id, reached))) return false
  }
  return true
}

function next(loop: Loop): LimitReached | undefined {
  return loop.stations.policy.limitReached()
}

/** Asks whether to go on past a limit. Words are a yes, and guidance that the model hears at its next turn. */
export async function mayGoOn(loop: Loop, id: string, { limit, message }: LimitReached): Promise<boolean> {
  const answer = await loop.ask(id, { kind: "limit", limit, reason: message })
  return answer.kind !== "no"
}
