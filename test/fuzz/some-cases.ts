/** A property in `npm test`: always the same cases, as many as a developer likes to wait for. More of them: `npm run test:fuzz`. */
import { it } from "vitest"
import { type Property, tryProperty } from "./property.ts"
import { watchdog } from "./watchdog.ts"

const SEED = 1
const LONGEST_MS = 300_000
const HANGS_AFTER_MS = 60_000

/** `points`: what it proves of the seed system and the quirks. */
export function holds(points: string, property: Property, cases: number): void {
  it(`${points}: ${property.holds}`, { timeout: LONGEST_MS }, async () => {
    const guard = watchdog(HANGS_AFTER_MS)
    try {
      await tryProperty(property, { seed: SEED, cases, watchdog: guard })
    } finally {
      await guard.stop()
    }
  })
}
