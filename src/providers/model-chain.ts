/**
 * The models of a task by profile: one that answers, others for some modes, and for each a chain of those that take over when it has no credit,
 * is limited or down. Whoever failed rests for a while; after that the first of the chain answers again, from the next request on.
 */
import type { Fault, FaultKind } from "../types/fault.ts"
import type { Model, Models } from "../types/model.ts"

export interface ChainProfile {
  model: Model
  /** Names of profiles, the first to take over first. */
  fallback: readonly string[]
}

export interface ChainOptions {
  /** Answers where no mode says otherwise. */
  first: string
  /** A profile, or a model as people name it; opened when first wanted. undefined when there is none, or it cannot be used. */
  open(name: string): ChainProfile | undefined
  /** The profile of each mode that has one. */
  byMode?: Readonly<Record<string, string>>
  now?(): number
}

/** Which faults another model can help with, after which attempt, and how long the one that failed rests. */
const HELP: Partial<Record<FaultKind, { attempt: number; restMs: number }>> = {
  quota: { attempt: 1, restMs: 30 * 60_000 },
  "rate-limit": { attempt: 2, restMs: 60_000 },
  overloaded: { attempt: 2, restMs: 2 * 60_000 },
  server: { attempt: 2, restMs: 2 * 60_000 },
  network: { attempt: 2, restMs: 2 * 60_000 },
  timeout: { attempt: 2, restMs: 2 * 60_000 },
}
/** Whoever is to come back later than this is not waited for. */
const WORTH_WAITING_MS = 10_000
/** A server may ask for any time; a person's own choice is tried again before long. */
const LONGEST_REST_MS = 6 * 3_600_000

export function modelChain({ first, open, byMode = {}, now = Date.now }: ChainOptions): Models {
  const opened = new Map<string, ChainProfile | undefined>()
  const restingUntil = new Map<Model, number>()

  function profile(name: string): ChainProfile | undefined {
    if (!opened.has(name)) opened.set(name, open(name))
    return opened.get(name)
  }
  function chainOf(name: string): Model[] {
    const own = profile(name)
    return [own?.model, ...(own?.fallback ?? []).map((other) => profile(other)?.model)].filter((model) => model !== undefined)
  }
  function isResting(model: Model): boolean {
    return (restingUntil.get(model) ?? 0) > now()
  }

  /** What is opened, and who rests, is the same for every branch; a branch begins with what was chosen by then. */
  function branch(chosen: string | undefined): Models {
    /** The chain of the last request: whoever fails is looked for in it. */
    let current: readonly Model[] = []
    return {
      for(mode) {
        const wanted = chosen ?? (Object.hasOwn(byMode, mode) ? byMode[mode] : undefined)
        const chain = wanted === undefined ? [] : chainOf(wanted)
        current = chain.length > 0 ? chain : chainOf(first)
        const model = current.find((one) => !isResting(one)) ?? current[0]
        if (!model) throw new Error(`the profile ${first} was not opened`)
        return model
      },
      instead(of, fault, attempt) {
        const help = HELP[fault.kind]
        const comesLate = (fault.retryAfterMs ?? 0) > WORTH_WAITING_MS
        if (!help || (attempt < help.attempt && !comesLate)) return undefined
        const others = current.filter((model) => model !== of && !isResting(model))
        const [other] = others
        if (!other) return undefined
        restingUntil.set(of, now() + restOf(fault, help.restMs))
        return other
      },
      choose(name) {
        const found = profile(name)
        if (found) {
          chosen = name
          restingUntil.delete(found.model) // who asks for it by name wants it tried again
        }
        return found?.model
      },
      branch: () => branch(chosen),
    }
  }
  return branch(undefined)
}

function restOf({ retryAfterMs = 0 }: Fault, restMs: number): number {
  return Math.min(Math.max(retryAfterMs, restMs), LONGEST_REST_MS)
}
