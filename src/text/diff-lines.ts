/**
 * The difference of two lists of lines, as changed ranges. Myers' algorithm in linear space while the lists are close;
 * where they are not, lines unique to both sides hold the halves together, so that the work stays bounded.
 */

/** Lines `beforeStart … beforeEnd - 1` became `afterStart … afterEnd - 1`. One side may be empty. */
export interface Change {
  beforeStart: number
  beforeEnd: number
  afterStart: number
  afterEnd: number
}

/** Half of the edits tried before Myers' search gives up on a stretch. */
const EFFORT = 400

export function diffLines(before: readonly string[], after: readonly string[]): Change[] {
  const all = { beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length }
  const range = trim(all, (at, other) => before[at] === after[other])
  if (isOneSided(range)) return isEmpty(range) ? [] : [range]
  const ids = new Map<string, number>()
  const changes: Change[] = []
  compare(
    identify(before, ids, range.beforeStart, range.beforeEnd),
    identify(after, ids, range.afterStart, range.afterEnd),
    range,
    changes,
  )
  return changes
}

/** Equal lines get equal numbers, which compare faster than text. */
function identify(lines: readonly string[], ids: Map<string, number>, start: number, end: number): Int32Array {
  const numbers = new Int32Array(lines.length)
  for (let index = start; index < end; index++) {
    const line = lines[index] ?? ""
    const id = ids.get(line) ?? ids.size
    ids.set(line, id)
    numbers[index] = id
  }
  return numbers
}

/** The range without what is equal at its ends. */
function trim(range: Change, same: (before: number, after: number) => boolean): Change {
  let { beforeStart, beforeEnd, afterStart, afterEnd } = range
  while (beforeStart < beforeEnd && afterStart < afterEnd && same(beforeStart, afterStart)) {
    beforeStart++
    afterStart++
  }
  while (beforeStart < beforeEnd && afterStart < afterEnd && same(beforeEnd - 1, afterEnd - 1)) {
    beforeEnd--
    afterEnd--
  }
  return { beforeStart, beforeEnd, afterStart, afterEnd }
}

function isOneSided({ beforeStart, beforeEnd, afterStart, afterEnd }: Change): boolean {
  return beforeStart === beforeEnd || afterStart === afterEnd
}

function isEmpty({ beforeStart, beforeEnd, afterStart, afterEnd }: Change): boolean {
  return beforeStart === beforeEnd && afterStart === afterEnd
}

function compare(a: Int32Array, b: Int32Array, whole: Change, changes: Change[]): void {
  const range = trim(whole, (before, after) => a[before] === b[after])
  if (isEmpty(range)) return
  const points = isOneSided(range) ? [] : meetingPoints(a, b, range)
  if (points.length === 0) {
    record(range, changes)
    return
  }
  let from = { before: range.beforeStart, after: range.afterStart }
  for (const point of [...points, { before: range.beforeEnd, after: range.afterEnd }]) {
    const part = { beforeStart: from.before, beforeEnd: point.before, afterStart: from.after, afterEnd: point.after }
    compare(a, b, part, changes)
    from = point
  }
}

/** Where to divide; nothing when the two sides have too little in common to look further. */
function meetingPoints(a: Int32Array, b: Int32Array, range: Change): Point[] {
  const middle = middlePoint(a, b, range)
  return middle ? [middle] : uniqueAnchors(a, b, range)
}

/** Joins a change with the one it touches. */
function record(change: Change, changes: Change[]): void {
  const last = changes.at(-1)
  if (last && last.beforeEnd === change.beforeStart && last.afterEnd === change.afterStart) {
    last.beforeEnd = change.beforeEnd
    last.afterEnd = change.afterEnd
  } else changes.push(change)
}

interface Point {
  before: number
  after: number
}

/** The furthest x on each diagonal, indexed from -most - 1 to most + 1. */
function reach(most: number) {
  const furthest = new Int32Array(2 * most + 3)
  const get = (k: number) => furthest[most + 1 + k] ?? 0
  return {
    get,
    set(k: number, x: number) {
      furthest[most + 1 + k] = x
    },
    /** One more edit: down from the diagonal above, or right from the one below, whichever leads further. */
    step: (k: number, edits: number) => (k === -edits || (k !== edits && get(k - 1) < get(k + 1)) ? get(k + 1) : get(k - 1) + 1),
  }
}

/**
 * A point on a shortest path, found from both ends at once; undefined when that takes too many edits. Never a corner of
 * the range: its ends differ (they were trimmed), so each half of the path holds an edit.
 */
function middlePoint(a: Int32Array, b: Int32Array, range: Change): Point | undefined {
  const { beforeStart, beforeEnd, afterStart, afterEnd } = range
  const width = beforeEnd - beforeStart
  const height = afterEnd - afterStart
  const delta = width - height
  const most = Math.min(Math.ceil((width + height) / 2), EFFORT)
  // Furthest x reached on each diagonal k = x - y; the backward search counts from the far corner.
  const forward = reach(most)
  const backward = reach(most)

  for (let edits = 0; edits <= most; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      let x = forward.step(k, edits)
      while (x < width && x - k < height && a[beforeStart + x] === b[afterStart + x - k]) x++
      forward.set(k, x)
      const meets = delta % 2 !== 0 && Math.abs(delta - k) < edits && x + backward.get(delta - k) >= width
      if (meets) return { before: beforeStart + x, after: afterStart + x - k }
    }
    for (let k = -edits; k <= edits; k += 2) {
      let x = backward.step(k, edits)
      while (x < width && x - k < height && a[beforeEnd - 1 - x] === b[afterEnd - 1 - x + k]) x++
      backward.set(k, x)
      const meets = delta % 2 === 0 && Math.abs(delta - k) <= edits && x + forward.get(delta - k) >= width
      if (meets) return { before: beforeEnd - x, after: afterEnd - x + k }
    }
  }
  return undefined
}

/** Lines that occur once on each side, as the longest chain that keeps their order. */
function uniqueAnchors(a: Int32Array, b: Int32Array, range: Change): Point[] {
  const inAfter = onlyPlaces(b, range.afterStart, range.afterEnd)
  const common: Point[] = []
  for (const [id, before] of onlyPlaces(a, range.beforeStart, range.beforeEnd)) {
    const after = inAfter.get(id) ?? -1
    if (before >= 0 && after >= 0) common.push({ before, after })
  }
  return longestRising(common)
}

/** Where each number stands; -1 when it does so more than once. In order of first appearance. */
function onlyPlaces(numbers: Int32Array, start: number, end: number): Map<number, number> {
  const places = new Map<number, number>()
  for (let index = start; index < end; index++) {
    const id = numbers[index] ?? 0
    places.set(id, places.has(id) ? -1 : index)
  }
  return places
}

/** Patience sorting: the longest run of points, sorted by `before`, whose `after` rises too. */
function longestRising(points: readonly Point[]): Point[] {
  interface Link {
    point: Point
    previous: Link | undefined
  }
  const tops: Link[] = []
  for (const point of points) {
    let low = 0
    let high = tops.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((tops[middle]?.point.after ?? 0) < point.after) low = middle + 1
      else high = middle
    }
    tops[low] = { point, previous: tops[low - 1] }
  }
  const chain: Point[] = []
  for (let link = tops.at(-1); link; link = link.previous) chain.push(link.point)
  return chain.reverse()
}
