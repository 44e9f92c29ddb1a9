/** For tests of readers: transcripts of shuffled, repeated and glued frames with values exchanged and bytes flipped, dropped and cut. */

export type Roll = (limit: number) => number

/** Whole numbers below a limit, the same ones for the same seed. */
export function dice(seed: number): Roll {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

const ODDITIES = [
  "null",
  "[]",
  "{}",
  '""',
  "-1",
  "true",
  '"__proto__"',
  "\u0000",
  "\ufeff",
  '{"a":',
  "\n",
  "\r",
  '"',
  "\\",
  "data: ",
]

export function damagedTranscript(corpus: readonly string[], roll: Roll): Uint8Array {
  let text = Array.from({ length: roll(8) }, () => corpus[roll(corpus.length)] ?? "").join("")
  for (let count = roll(3); count > 0; count--) {
    const at = roll(text.length + 1)
    text = text.slice(0, at) + (ODDITIES[roll(ODDITIES.length)] ?? "") + text.slice(at + roll(6))
  }
  const bytes = new TextEncoder().encode(text)
  for (let count = roll(3); count > 0 && bytes.length > 0; count--) bytes[roll(bytes.length)] = roll(256)
  return bytes.subarray(0, roll(4) === 0 ? roll(bytes.length + 1) : bytes.length)
}
