/** How long a call may take: so long without a sign of life, and never while the person is asked. */

export interface Patience {
  /** Aborts with the given signal, or when the time is up. */
  readonly signal: AbortSignal
  /** The time was up. */
  readonly isOver: boolean
  /** There was a sign of life. */
  renew(): void
  /** Nobody is impatient while this runs. */
  during<Value>(work: Promise<Value>): Promise<Value>
  close(): void
}

export function patience(ms: number, outer: AbortSignal): Patience {
  const inner = new AbortController()
  let isOver = false
  let paused = 0
  let timer: NodeJS.Timeout | undefined
  const begin = () => {
    clearTimeout(timer)
    if (paused > 0) return
    timer = setTimeout(() => {
      isOver = true
      inner.abort()
    }, ms)
  }
  const follow = () => inner.abort()
  if (outer.aborted) inner.abort()
  outer.addEventListener("abort", follow, { once: true })
  begin()
  return {
    signal: inner.signal,
    get isOver() {
      return isOver
    },
    renew: begin,
    async during(work) {
      paused++
      clearTimeout(timer)
      try {
        return await work
      } finally {
        paused--
        begin()
      }
    },
    close() {
      clearTimeout(timer)
      outer.removeEventListener("abort", follow)
    },
  }
}
