/** The block of code around a line, found by indentation alone, so that it works in any language that is written with care. */

export interface BlockWish {
  /** A line of the block, counted from 1 and within the file. */
  anchor: number
  /** How many levels further out the block may begin; 0: all the way. */
  levels: number
  /** Also the blocks beside it, on the outermost level. */
  siblings: boolean
  /** Also the comments that stand above it. */
  header: boolean
  limit: number
}

export interface Block {
  /** Counted from 1, both included. */
  first: number
  last: number
  /** The limit ended it. */
  cut: boolean
}

const TAB_WIDTH = 4
const CLOSES = /^\s*(?:[}\])]|<\/|(?:end|fi|done|esac)\b)/
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|;|<!--|@)/

export function indentationBlock(lines: readonly string[], { anchor, levels, siblings, header, limit }: BlockWish): Block {
  const unit = indentUnit(lines)
  const level = levelsOf(lines, unit)
  const at = anchor - 1
  const outermost = levels === 0 ? 0 : Math.max(0, (level[at] ?? 0) - levels)
  const isOuter = (index: number) => level[index] === outermost && lines[index]?.trim() !== ""
  const way = (step: 1 | -1) => {
    let next = at + step
    let atEdge = step === -1 && isOuter(at) && !CLOSES.test(lines[at] ?? "")
    /** The next line in this direction that belongs to the block, or undefined at its end. */
    return () => {
      const here = level[next]
      if (here === undefined || here < outermost) return undefined
      if (!siblings) {
        const line = lines[next] ?? ""
        if (atEdge && !(step === -1 && header && here === outermost && COMMENT.test(line))) return undefined
        if (isOuter(next)) {
          // Above stands the line that opens the block, below at most the one that closes it.
          if (step === 1 && !CLOSES.test(line)) return undefined
          atEdge = true
        }
      }
      next += step
      return next - step
    }
  }
  return grow(at, way(-1), way(1), lines, limit)
}

/** In turns, so that a limit leaves the anchor in the middle. */
function grow(
  at: number,
  up: () => number | undefined,
  down: () => number | undefined,
  lines: readonly string[],
  limit: number,
): Block {
  let first = at
  let last = at
  let above: number | undefined = at
  let below: number | undefined = at
  let cut = false
  while (above !== undefined || below !== undefined) {
    if (above !== undefined) {
      above = up()
      if (above !== undefined && last - first + 1 >= limit) cut = true
      else first = above ?? first
    }
    if (below !== undefined && !cut) {
      below = down()
      if (below !== undefined && last - first + 1 >= limit) cut = true
      else last = below ?? last
    }
    if (cut) break
  }
  while (first < at && lines[first]?.trim() === "") first++
  while (last > at && lines[last]?.trim() === "") last--
  return { first: first + 1, last: last + 1, cut }
}

/** Blank lines are as deep as what stands before them. */
function levelsOf(lines: readonly string[], unit: number): number[] {
  let before = 0
  return lines.map((line) => {
    if (line.trim() !== "") before = Math.floor(columnsOf(line) / unit)
    return before
  })
}

/** The step that is taken most often from one line to a deeper one. */
function indentUnit(lines: readonly string[]): number {
  const steps = new Map<number, number>()
  let before = 0
  for (const line of lines) {
    if (line.trim() === "") continue
    const columns = columnsOf(line)
    const step = columns - before
    if (step >= 2 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1)
    before = columns
  }
  return [...steps].sort(([one, times], [other, otherTimes]) => otherTimes - times || one - other)[0]?.[0] ?? TAB_WIDTH
}

function columnsOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === "\t") columns += TAB_WIDTH
    else if (character === " ") columns++
    else break
  }
  return columns
}
