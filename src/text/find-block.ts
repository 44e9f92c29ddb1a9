/**
 * Finds where a block of lines stands in a file. Texts are compared as they are first, then with growing tolerance;
 * tolerance is for finding only, it never decides what is written. Line ends play no part. A place that cannot be told
 * from another is not chosen.
 */

/** What had to be overlooked: nothing, blanks at line ends, any difference in white space, or typographic variants too. */
export type Tolerance = "exact" | "line-tails" | "white-space" | "punctuation"

export type BlockSearch =
  | { kind: "found"; start: number; tolerance: Tolerance }
  /** Several places fit equally well; `starts` has them all. */
  | { kind: "ambiguous"; starts: number[]; tolerance: Tolerance }
  | { kind: "missing" }

/** Line indexes count from 0. `near` is where the block is believed to start. */
export type FindBlock = (block: readonly string[], near?: number) => BlockSearch

const steps: readonly { tolerance: Tolerance; fold(line: string): string }[] = [
  { tolerance: "exact", fold: (line) => line },
  { tolerance: "line-tails", fold: (line) => line.trimEnd() },
  { tolerance: "white-space", fold: foldWhiteSpace },
  { tolerance: "punctuation", fold: foldLine },
]

/** The file's lines are folded once per tolerance, whatever the number of blocks looked for. */
export function blockFinder(lines: readonly string[]): FindBlock {
  const folded = new Map<Tolerance, readonly string[]>()
  return (block, near) => {
    if (block.length === 0) return { kind: "missing" }
    for (const { tolerance, fold } of steps) {
      const file = folded.get(tolerance) ?? (tolerance === "exact" ? lines : lines.map(fold))
      folded.set(tolerance, file)
      const starts = placesOf(block.map(fold), file)
      if (starts.length > 0) return choose(starts, tolerance, near)
    }
    return { kind: "missing" }
  }
}

/** White space at the edges dropped, inside reduced to one blank. */
function foldWhiteSpace(line: string): string {
  return line.trim().replace(/\s+/g, " ")
}

/** The form in which two lines that look alike are equal. */
export function foldLine(line: string): string {
  return foldWhiteSpace(foldPunctuation(line))
}

function foldPunctuation(line: string): string {
  if (/^[\x00-\x7f]*$/.test(line)) return line
  return line
    .normalize("NFC")
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "")
    .replace(/[\u2018-\u201b\u2032\u00b4]/g, "'")
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u2026/g, "...")
}

function placesOf(block: readonly string[], file: readonly string[]): number[] {
  // The longest line is the least likely to stand in many places.
  const key = block.reduce((best, line, index) => (line.length > (block[best]?.length ?? 0) ? index : best), 0)
  const starts: number[] = []
  for (let start = 0; start + block.length <= file.length; start++) {
    if (file[start + key] === block[key] && block.every((line, offset) => file[start + offset] === line)) starts.push(start)
  }
  return starts
}

function choose(starts: number[], tolerance: Tolerance, near: number | undefined): BlockSearch {
  const nearest = near === undefined ? starts : closest(starts, near)
  const [start] = nearest
  return start !== undefined && nearest.length === 1
    ? { kind: "found", start, tolerance }
    : { kind: "ambiguous", starts, tolerance }
}

/** The one nearest to a line, or two when they stand equally far on either side of it. */
function closest(starts: readonly number[], near: number): number[] {
  const distance = starts.reduce((least, start) => Math.min(least, Math.abs(start - near)), Number.POSITIVE_INFINITY)
  return starts.filter((start) => Math.abs(start - near) === distance)
}
