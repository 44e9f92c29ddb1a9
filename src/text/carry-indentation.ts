/**
 * A block was found although its indentation differs from the file's: the lines that replace it must be shifted the same
 * way. What the pairs of lines show (this indentation here is that one there) is applied to every new line.
 */

interface Pair {
  written: string
  actual: string
}

/** No code is indented further; a scale that leads there was guessed wrong. */
const DEEPEST = 400

/** `written` are the lines looked for, `actual` the ones found in their place, one by one. */
export function carryIndentation(written: readonly string[], actual: readonly string[]): (line: string) => string {
  const pairs = pairIndentations(written, actual)
  if (pairs.every((pair) => pair.written === pair.actual)) return (line) => line
  const known = new Map(pairs.map((pair) => [pair.written, pair.actual]))
  const unit = pairs.some((pair) => kindOf(pair.actual) === "\t") ? "\t" : " "
  return (line) => {
    if (line.trim() === "") return line
    const indentation = indentationOf(line)
    return (known.get(indentation) ?? derive(indentation, pairs, unit)) + line.slice(indentation.length)
  }
}

/** Each indentation of the block once, the smallest first. */
function pairIndentations(written: readonly string[], actual: readonly string[]): Pair[] {
  const pairs = new Map<string, Pair>()
  for (const [index, line] of written.entries()) {
    const other = actual[index]
    if (other === undefined || line.trim() === "") continue
    const pair = { written: indentationOf(line), actual: indentationOf(other) }
    if (!pairs.has(pair.written)) pairs.set(pair.written, pair)
  }
  return [...pairs.values()].sort((one, other) => one.written.length - other.written.length)
}

/** From the nearest indentation that is known, outwards or inwards. */
function derive(indentation: string, pairs: readonly Pair[], unit: string): string {
  const base = pairs.findLast((pair) => pair.written.length <= indentation.length) ?? pairs[0]
  if (!base) return indentation
  const steps = Math.round((indentation.length - base.written.length) * scaleOf(pairs, kindOf(indentation), unit))
  if (steps > DEEPEST) return indentation
  return steps >= 0 ? base.actual + unit.repeat(steps) : base.actual.slice(0, Math.max(0, base.actual.length + steps))
}

/** How many characters of indentation in the file stand for one of the block's. */
function scaleOf(pairs: readonly Pair[], kind: string, unit: string): number {
  const low = pairs[0]
  const high = pairs.at(-1)
  if (!low || !high) return 1
  const scale = (high.actual.length - low.actual.length) / (high.written.length - low.written.length)
  if (low !== high && scale > 0) return scale
  // One pair shows a shift only; between blanks and tabs it also shows how many make one, if there are any.
  if (kind === unit) return 1
  if (high.actual !== "" && high.written !== "") return high.actual.length / high.written.length
  return unit === "\t" ? 1 / 4 : 4
}

function kindOf(indentation: string): string {
  return indentation.includes("\t") ? "\t" : " "
}

function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ""
}
