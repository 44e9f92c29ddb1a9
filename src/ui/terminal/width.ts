/** How many cells a text takes on a terminal, and how much of it fits. Plain text only: no control characters, no colours. */

const ASCII = /^[\x20-\x7e]*$/
/** First and last code points of what takes two cells (East Asian wide and full width, pictures). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2648, 0x2653],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1b000, 0x1b2fb],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f1e6, 0x1f202],
  [0x1f210, 0x1f265],
  [0x1f300, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d2],
  [0x1f6d5, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7e0, 0x1f7eb],
  [0x1f90c, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
]
/** Shown as two blanks. */
const TAB = 9
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]/u
/** Asked to be drawn as a picture. */
const PICTURE = "\ufe0f"
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" })

export function cellWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of characters.segment(text)) width += characterWidth(segment)
  return width
}

/** What a person sees as one character each. */
export function* charactersOf(text: string): Generator<string> {
  for (const { segment } of characters.segment(text)) yield segment
}

export function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code === TAB) return 2
  if (code < 0x300) return code < 0x20 || code === 0xad ? 0 : 1
  if (INVISIBLE.test(character)) return 0
  return character.includes(PICTURE) || isWide(code) ? 2 : 1
}

/** The longest beginning that takes no more than `width` cells. */
export function fitting(text: string, width: number): string {
  if (width <= 0) return ""
  if (text.length <= width && ASCII.test(text)) return text
  const head = text.slice(0, width * 4 + 64) // a character rarely has more units; a hostile one with thousands is cut
  if (ASCII.test(head)) return head.slice(0, width)
  let taken = 0
  let end = 0
  for (const { segment, index } of characters.segment(head)) {
    taken += characterWidth(segment)
    if (taken > width) break
    end = index + segment.length
  }
  return head.slice(0, end)
}

/** At most `width` cells; what was cut is marked. */
export function clipped(text: string, width: number): string {
  const head = fitting(text, width)
  if (head.length === text.length) return text
  return width > 0 ? `${fitting(text, width - 1)}…` : ""
}

function isWide(code: number): boolean {
  let low = 0
  let high = WIDE.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const [first, last] = WIDE[middle] ?? [0, 0]
    if (code < first) high = middle - 1
    else if (code > last) low = middle + 1
    else return true
  }
  return false
}
