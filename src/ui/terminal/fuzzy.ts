/** Finds what somebody means by a few letters: they must occur in order; runs, beginnings of words and short names count more. */

export interface FuzzyIndex {
  readonly size: number
  /** Best first. A query that goes on from the last one looks only at what that one found. */
  search(query: string, most: number): string[]
}

export function fuzzyIndex(names: readonly string[]): FuzzyIndex {
  const folded = names.map((name) => name.toLowerCase())
  let lastQuery = ""
  let lastFound: Uint32Array | undefined

  return {
    size: names.length,
    search(query, most) {
      const wanted = query.toLowerCase().replaceAll(" ", "")
      if (wanted === "") return names.slice(0, most)
      const among = lastFound && wanted.startsWith(lastQuery) && lastQuery !== "" ? lastFound : undefined
      const found = new Uint32Array(among?.length ?? folded.length)
      let count = 0
      const best: { at: number; score: number }[] = []
      const total = among?.length ?? folded.length
      for (let step = 0; step < total; step++) {
        const at = among ? (among[step] ?? 0) : step
        const score = scoreOf(folded[at] ?? "", wanted)
        if (score === undefined) continue
        found[count++] = at
        keepBest(best, { at, score }, most)
      }
      lastQuery = wanted
      lastFound = found.subarray(0, count)
      return best.map(({ at }) => names[at] ?? "")
    },
  }
}

function keepBest(best: { at: number; score: number }[], one: { at: number; score: number }, most: number): void {
  const worst = best.at(-1)
  if (best.length >= most && worst && one.score <= worst.score) return
  const place = best.findIndex(({ score }) => score < one.score)
  best.splice(place < 0 ? best.length : place, 0, one)
  if (best.length > most) best.pop()
}

const SLASH = 47

/** undefined: not all letters are there. The name of a file counts more than its folders. */
export function scoreOf(name: string, wanted: string): number | undefined {
  const file = name.lastIndexOf("/", name.length - 2) + 1
  const whole = name.indexOf(wanted, file)
  if (whole >= 0) return 1000 - name.length * 0.5 + (whole === file ? 400 : isStart(name, whole) ? 200 : 0)
  let score = 0
  let position = 0
  let run = 0
  for (let at = 0; at < wanted.length; at++) {
    const next = name.indexOf(wanted[at] ?? "", position)
    if (next < 0) return undefined
    run = next === position && at > 0 ? run + 1 : 0
    score += 4 + run * 8 + (isStart(name, next) ? 12 : 0) + (next >= file ? 4 : 0)
    position = next + 1
  }
  return score - name.length * 0.5
}

function isStart(name: string, at: number): boolean {
  if (at === 0) return true
  const before = name.charCodeAt(at - 1)
  return before === SLASH || before === 45 || before === 95 || before === 46 || before === 32
}
