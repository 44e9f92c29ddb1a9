/** What happens on a page between two actions, in lines for the model: bounded, however much a page prints. */
import { printableLine } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"

const MOST_LINES = 25
const LONGEST_LINE = 300

export interface Notes {
  add(line: string): void
  /** How many came since they were last taken. */
  count(): number
  /** All since the last time, equal ones once. */
  take(): string[]
}

export function createNotes(): Notes {
  let lines = new Map<string, number>()
  let count = 0
  return {
    add(line) {
      count++
      const shown = printableLine(truncate(line, LONGEST_LINE))
      const times = lines.get(shown)
      if (times !== undefined || lines.size < MOST_LINES) lines.set(shown, (times ?? 0) + 1)
    },
    count: () => count,
    take() {
      const told = [...lines].map(([line, times]) => (times > 1 ? `${line} (${times} times)` : line))
      const left = count - [...lines.values()].reduce((sum, times) => sum + times, 0)
      lines = new Map()
      count = 0
      return left > 0 ? [...told, `… and ${left} more`] : told
    },
  }
}
