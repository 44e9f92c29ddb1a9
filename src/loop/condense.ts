/** Before a request, and after one that did not fit: asks the condenser, and records what it gives. The event is one line: there, or not. */
import type { Fault } from "../types/fault.ts"
import type { Model, ModelRequest } from "../types/model.ts"
import type { CondenseRequest } from "../types/stations.ts"
import type { Loop } from "./loop.ts"

export type Fitted =
  | { kind: "as-it-was" | "condensed" }
  /** The task cannot go on with this model. */
  | { kind: "stuck"; fault: Fault }

/** `prompt`: what the next request has besides the past. */
export async function fitWindow(
  loop: Loop,
  model: Model,
  prompt: Omit<ModelRequest, "messages">,
  by: CondenseRequest["by"],
): Promise<Fitted> {
  const { condenser, hooks } = loop.stations
  if (!condenser) return { kind: "as-it-was" }
  const notes = async () => (hooks ? (await hooks.beforeCondense(loop.signal)).notes : [])
  const condensing = await condenser.condense({ state: loop.state, model, ...prompt, by, notes }, loop.signal)
  if (loop.signal.aborted) return { kind: "as-it-was" }
  if (condensing.kind === "condensed") {
    loop.record(condensing.event)
    await loop.sync()
    return { kind: "condensed" }
  }
  if (by === "person") {
    const text = condensing.kind === "stuck" ? condensing.reason : "There is nothing to shorten yet."
    loop.record({ type: "notice", text })
    return { kind: "as-it-was" }
  }
  if (condensing.kind === "fits") return { kind: "as-it-was" }
  return { kind: "stuck", fault: { kind: "context-overflow", message: condensing.reason, retryable: false } }
}

/** What the person asked for comes first; what must be done is done in any case. */
export async function fitBefore(loop: Loop, model: Model, prompt: Omit<ModelRequest, "messages">): Promise<Fitted> {
  const isWanted = loop.wanted.condense
  loop.wanted.condense = false
  if (isWanted && (await fitWindow(loop, model, prompt, "person")).kind === "condensed") return { kind: "condensed" }
  return fitWindow(loop, model, prompt, "threshold")
}
