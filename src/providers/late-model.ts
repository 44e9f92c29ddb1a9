/** A model that needs something before its first request: a key that a command prints, what only its server can say. */
import type { Fault } from "../types/fault.ts"
import type { Model } from "../types/model.ts"

/**
 * `prepare` gives the model itself, or the fault its requests meet; after a fault it is tried again. Until then `plain` says what is
 * known. Several tasks may wait for it: none can call it off for the others.
 */
export function lateModel(plain: Model, prepare: () => Promise<Model | Fault>): Model {
  let known = plain
  let preparing: Promise<Model | Fault> | undefined
  async function prepared(): Promise<Model | Fault> {
    preparing ??= prepare()
    try {
      const made = await preparing
      if ("stream" in made) known = made
      else preparing = undefined
      return made
    } catch (error) {
      preparing = undefined
      throw error
    }
  }
  return {
    id: plain.id,
    endsSilently: plain.endsSilently,
    get facts() {
      return known.facts
    },
    async ready(signal) {
      await unlessAborted(prepared(), signal)
    },
    async *stream(request, signal, onWait) {
      const model = await unlessAborted(prepared(), signal)
      if (model === undefined) return
      if ("stream" in model) yield* model.stream(request, signal, onWait)
      else yield [{ type: "fail", fault: model }]
    },
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve(undefined)
    signal.addEventListener("abort", abort)
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
