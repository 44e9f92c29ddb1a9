/** Which of the known names somebody may have meant, best first. */

const MOST = 3

export function nearNames(name: string, candidates: readonly string[]): string[] {
  const wanted = plain(name)
  return candidates
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.min(name.length, candidate.length) / 3))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MOST)
    .map(({ candidate }) => candidate)
}

/** `NearNames`, `near-names` and `near_names` are the same name. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "")
}

/** Edits between two names; one that contains the other whole counts as near. */
function distanceOf(one: string, other: string): number {
  const contained = Math.min(one.length, other.length) >= 4 && (one.includes(other) || other.includes(one))
  return contained && one !== other ? 1 : editDistance(one, other)
}

/** Levenshtein's, with neighbours swapped counted as one edit. Names are short; a long one is no near miss of anything. */
function editDistance(one: string, other: string): number {
  if (one.length > 100 || other.length > 100) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1))
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return at(last, other.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
