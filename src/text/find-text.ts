/** Finds a text in a text in linear time, also where both are long and repeat themselves, which the engine's own search does not. */

/** The engine looks for texts of this length in linear time, more or less, whatever they are. */
const SHORT = 64
const PROBE = 32

/** Where `wanted` stands, in order and without overlap, at most `most` times. */
export function findText(text: string, wanted: string, most = Number.POSITIVE_INFINITY): number[] {
  const places: number[] = []
  if (wanted === "" || wanted.length > text.length) return places
  const next = finder(text, wanted)
  for (let place = next(0); place >= 0 && places.length < most; place = next(place + wanted.length)) places.push(place)
  return places
}

/** The next place, which may overlap the first; -1 when there is none. */
export function findAgain(text: string, wanted: string, first: number): number {
  return finder(text, wanted)(first + 1)
}

/** Looks for a short piece of the text and compares the rest where that stands; when it stands too often, another way is taken. */
function finder(text: string, wanted: string): (from: number) => number {
  if (wanted.length <= SHORT) return (from) => text.indexOf(wanted, from)
  const offset = tellingPiece(wanted)
  const probe = wanted.slice(offset, offset + PROBE)
  const budget = 8 * text.length
  let spent = 0
  let fallback: Int32Array | undefined
  return (from) => {
    for (let start = from; ; start++) {
      if (spent > budget) {
        fallback ??= fallbacks(wanted)
        return search(text, wanted, fallback, start)
      }
      start = text.indexOf(probe, start + offset) - offset
      if (start < from) return -1
      if (text.startsWith(wanted, start)) return start
      spent += wanted.length
    }
  }
}

/** Where the piece with the most different characters starts, of a few looked at. */
function tellingPiece(wanted: string): number {
  const last = wanted.length - PROBE
  const starts = [0, last >> 2, last >> 1, (3 * last) >> 2, last]
  const variety = (start: number) => new Set(wanted.slice(start, start + PROBE)).size
  return starts.reduce((best, start) => (variety(start) > variety(best) ? start : best), 0)
}

function fallbacks(wanted: string): Int32Array {
  const fallback = new Int32Array(wanted.length)
  for (let at = 1, matched = 0; at < wanted.length; at++) {
    const code = wanted.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = fallback[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched++
    fallback[at] = matched
  }
  return fallback
}

/** By Knuth, Morris and Pratt. */
function search(text: string, wanted: string, fallback: Int32Array, from: number): number {
  for (let at = from, matched = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = fallback[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched++
    if (matched === wanted.length) return at - wanted.length + 1
  }
  return -1
}
