/**
 * Facts of the prompt that come from elsewhere, such as the tools of servers that have to start first. The first request waits for
 * them, but not for long; what is late joins at the next turn, and what fails is left out. Nothing rejects.
 */

export interface LateFacts<Fact> {
  /** What is there by now. Only the first call waits, at most `patienceMs` in all. */
  now(signal?: AbortSignal): Promise<Fact[]>
  /** How many have not come yet: the next prompt may differ while there are some. */
  readonly missing: number
}

export interface LateOptions {
  patienceMs?: number
  /** Told once, when the first call has to wait for this many. */
  waiting?(missing: number): void
}

const PATIENCE_MS = 10_000

export function lateFacts<Fact>(sources: readonly Promise<Fact>[], options: LateOptions = {}): LateFacts<Fact> {
  const { patienceMs = PATIENCE_MS, waiting = () => {} } = options
  /** In the order of their sources, whoever comes first: the prompt's bytes must not depend on a race. */
  const arrived = new Map<number, Fact>()
  let missing = sources.length
  const all = sources.map(async (source, index) => {
    try {
      arrived.set(index, await source)
    } catch {
      // whoever started it tells the person why it failed
    } finally {
      missing--
    }
  })
  let patient = true
  return {
    get missing() {
      return missing
    },
    async now(signal) {
      await Promise.resolve() // what is settled already has arrived then
      if (patient && missing > 0) {
        waiting(missing)
        await within(patienceMs, Promise.all(all), signal)
      }
      patient = false
      return [...arrived].sort(([one], [other]) => one - other).map(([, fact]) => fact)
    },
  }
}

async function within(ms: number, work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let stop = () => {}
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener("abort", () => resolve(), { once: true })
    if (signal?.aborted) resolve()
    stop = () => clearTimeout(timer)
  })
  await Promise.race([work, over])
  stop()
}
