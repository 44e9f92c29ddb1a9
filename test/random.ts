/** Chance that can be repeated: the same seed gives the same numbers, so that a failing case names itself by its seed. */

export interface Random {
  /** From 0 up to, not including, 1. */
  float(): number
  /** A whole number, both ends included. */
  int(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(list: ArrayLike<T>): T
  /** Up to `longest` UTF-16 units, each from the alphabet. */
  text(longest: number, alphabet: string): string
  /** The same text in pieces, cut anywhere, inside surrogate pairs too. No piece is empty. */
  pieces(text: string, longest?: number): string[]
}

export function random(seed: number): Random {
  let state = seed | 0

  /** Mulberry32: small, quick, and good enough to wander through cases. */
  function float(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const int = (from: number, to: number): number => from + Math.floor(float() * (to - from + 1))

  function pick<T>(list: ArrayLike<T>): T {
    if (list.length === 0) throw new RangeError("nothing to pick from")
    return list[int(0, list.length - 1)] as T
  }

  function text(longest: number, alphabet: string): string {
    let result = ""
    for (let length = int(0, longest); length > 0; length--) result += pick(alphabet)
    return result
  }

  function pieces(whole: string, longest = whole.length): string[] {
    const result: string[] = []
    for (let at = 0; at < whole.length; ) {
      const next = at + int(1, longest)
      result.push(whole.slice(at, next))
      at = next
    }
    return result
  }

  return { float, int, chance: (probability) => float() < probability, pick, text, pieces }
}
