/** The moments of a case, counted: what happens when is decided by their number, never by a clock, and so happens again. */

export interface Moments {
  /** One moment passes; what is planned for it is done before whoever waits here goes on. */
  tick(): Promise<void>
  /** One moment passes; what is planned for it, if anything. */
  next(): (() => void) | undefined
  /** Waits until it is let go, or rejects when the signal aborts. */
  hold(signal: AbortSignal): Promise<void>
  /** Somebody waits to be let go. */
  readonly held: boolean
  letGo(): void
  /** Does something at the n-th moment from now. */
  plan(after: number, deed: () => void): void
  forgetPlans(): void
}

export function moments(): Moments {
  const holds = new Set<() => void>()
  const plans = new Map<number, () => void>()
  let moment = 0

  function next(): (() => void) | undefined {
    const deed = plans.get(++moment)
    plans.delete(moment)
    return deed
  }

  return {
    next,
    async tick() {
      const deed = next()
      if (deed) queueMicrotask(deed)
    },
    hold(signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          holds.delete(go)
          reject(signal.reason)
        }
        const go = (): void => {
          signal.removeEventListener("abort", leave)
          resolve()
        }
        holds.add(go)
        signal.addEventListener("abort", leave)
      })
    },
    get held() {
      return holds.size > 0
    },
    letGo() {
      for (const go of holds) go()
      holds.clear()
    },
    plan: (after, deed) => void plans.set(moment + after, deed),
    forgetPlans: () => plans.clear(),
  }
}
