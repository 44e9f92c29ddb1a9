/** How much of a page or text its parts may take, so that a huge task stays one that opens. What is left out is said. */
import { boundedOutput } from "../text/bounded-output.ts"

export interface Room {
  /** Characters of one text. */
  text: number
  /** Characters of image data that still fit. */
  images: number
}

const ALL_TEXTS = 12_000_000
const LONGEST_TEXT = 24_000
const SHORTEST_TEXT = 1_000
const ALL_IMAGES = 24_000_000

/** The more calls, the less of each. */
export function roomFor(calls: number): Room {
  return { text: Math.max(SHORTEST_TEXT, Math.min(LONGEST_TEXT, ALL_TEXTS / Math.max(1, calls))), images: ALL_IMAGES }
}

/** Its beginning and its end, with a note between them. */
export function bounded(text: string, { text: most }: Room): string {
  if (text.length <= most) return text
  const output = boundedOutput({ head: Math.round(most * 0.7), tail: Math.round(most * 0.3) })
  output.push(text)
  return output.text()
}
