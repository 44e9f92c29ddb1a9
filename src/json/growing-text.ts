/**
 * Text that grows by small pieces. A plain `+=` keeps a node per piece alive until the end; joining the pieces block by block
 * lets them go early, which saves most of the memory and, for long texts, half of the time.
 */
export interface GrowingText {
  /** Whole blocks. */
  joined: string
  /** The pieces since then. */
  tail: string
  lastUnit: number
}

const BLOCK = 65_536

export function growingText(): GrowingText {
  return { joined: "", tail: "", lastUnit: 0 }
}

export function append(text: GrowingText, piece: string): void {
  const tail = text.tail + piece
  if (tail.length < BLOCK) {
    text.tail = tail
    return
  }
  // Looking at one character makes the engine join the pieces; the result is stored so that the look is not optimised away.
  text.lastUnit = tail.charCodeAt(tail.length - 1)
  text.joined += tail
  text.tail = ""
}

export function whole(text: GrowingText): string {
  return text.joined === "" ? text.tail : text.joined + text.tail
}

export function clear(text: GrowingText): void {
  text.joined = ""
  text.tail = ""
}
