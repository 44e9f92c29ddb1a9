/**
 * Takes secrets out of a recorded stream, where one may be spread over many frames. A field whose pieces hold one when they are put
 * together is masked whole; the frames themselves, what they are and how long they are, stay as they came.
 */
import { redact } from "./redact.ts"

/** Fields that carry what a model says, in the words of the wires. */
const SPOKEN =
  /"(text|content|arguments|partial_json|thinking|reasoning|reasoning_content|summary|refusal|delta|input|response|output)"\s?:\s?"/g
const MASK = "*"

interface Piece {
  start: number
  end: number
}

/** `hide` takes out what is secret in a text that is whole. */
export function redactPieces(text: string, held: readonly string[] = [], hide: typeof redact = redact): string {
  const fields = new Map<string, Piece[]>()
  for (const match of text.matchAll(SPOKEN)) {
    const [whole, name = ""] = match
    const start = match.index + whole.length
    const pieces = fields.get(name) ?? []
    pieces.push({ start, end: endOfString(text, start) })
    fields.set(name, pieces)
  }
  const masked = [...fields.values()].filter((pieces) => hides(text, pieces, held, hide)).flat()
  return hide(mask(text, masked), held)
}

/** The quote that is not escaped, or the end of what there is. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at
  }
  return text.length
}

function hides(text: string, pieces: readonly Piece[], held: readonly string[], hide: typeof redact): boolean {
  const together = pieces.map(({ start, end }) => text.slice(start, end)).join("")
  return hide(together, held) !== together
}

function mask(text: string, pieces: readonly Piece[]): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of pieces.toSorted((one, other) => one.start - other.start)) {
    if (start < done) continue
    parts.push(text.slice(done, start), MASK.repeat(end - start))
    done = end
  }
  return [...parts, text.slice(done)].join("")
}
