/**
 * Most frames of a reply differ from the one before in a single string. Once that place is known, such a frame need not be
 * parsed: what stands around the string is compared, the string alone is decoded. Anything else is left to the parser.
 */

export interface RepeatedFrame {
  /** The string, when the frame is otherwise the same as the one learnt. */
  read(data: string): string | undefined
  /** This frame was parsed and said nothing but this string. False, and nothing learnt, where it could stand in two places. */
  learn(data: string, value: string): boolean
}

/** Longer pieces of a string keep the whole string alive in V8; a parsed copy does not. */
const COPIED_ANYWAY = 12
/** Some servers pad every frame with other random text: then learning is given up. */
const MOST_IN_VAIN = 20
const NEEDS_PARSING = /["\\\u0000-\u001f]/

export function repeatedFrame(): RepeatedFrame {
  let before = ""
  let after = ""
  let learntInVain = 0
  return {
    read(data) {
      const end = data.length - after.length
      if (before === "" || end < before.length) return undefined
      // Comparing slices: six times as fast as startsWith and endsWith on a piece of a longer string.
      if (data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined
      learntInVain = 0
      return decode(data.slice(before.length, end))
    },
    learn(data, value) {
      if (learntInVain++ > MOST_IN_VAIN) return false
      const quoted = JSON.stringify(value)
      const at = data.indexOf(quoted)
      if (at < 0 || at !== data.lastIndexOf(quoted)) return false
      before = data.slice(0, at + 1)
      after = data.slice(at + quoted.length - 1)
      return true
    },
  }
}

/** undefined when it is not the inside of exactly one JSON string. */
function decode(inside: string): string | undefined {
  if (inside.length <= COPIED_ANYWAY && !NEEDS_PARSING.test(inside)) return inside
  try {
    const value: unknown = JSON.parse(`"${inside}"`)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}
