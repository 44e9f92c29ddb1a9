/** What a check's output says now that it did not say before: lines are alike when only their numbers differ, since edits move lines. */

export interface Bounds {
  lines: number
  characters: number
}

/** In the order in which they stand, bounded; `left` is how many more there are. */
export function newLines(before: string, now: string, { lines, characters }: Bounds): { shown: string[]; left: number } {
  const known = new Map<string, number>()
  for (const line of linesOf(before)) known.set(kindOf(line), (known.get(kindOf(line)) ?? 0) + 1)
  const shown: string[] = []
  let size = 0
  let left = 0
  for (const line of linesOf(now)) {
    const times = known.get(kindOf(line)) ?? 0
    if (times > 0) {
      known.set(kindOf(line), times - 1)
      continue
    }
    size += line.length + 1
    if (shown.length < lines && size <= characters) shown.push(line)
    else left++
  }
  return { shown, left }
}

function linesOf(output: string): string[] {
  return output.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trimEnd()]))
}

function kindOf(line: string): string {
  return line.trim().replaceAll(/\d+/g, "#")
}
