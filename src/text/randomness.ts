/**
 * Tells tokens that only a random generator writes from what people and tools write. Sober on purpose: a secret that stays is
 * caught by its name or because we hold it, while a log full of holes helps nobody.
 *
 * A token counts when it has 24 to 128 letters, digits, `_` and `-`, with both cases in one part, at least two digits, and changes
 * between small letters, capitals and digits in almost every third place. So hashes and UUIDs (one case), names of things
 * (few changes), images (longer, or lines of a block, or with `+`, `/`, `=`), parts of paths and ids of calls stay readable.
 */

export const LONGEST_TOKEN = 128
const RANDOM_CHANGES = 0.3
const MIXED_CHANGES = 0.25
/** Ids that providers give to replies and calls: not secret, and a log is read by them. */
const PROVIDER_ID = /^(?:call|toolu|tooluse|chatcmpl|cmpl|msg|resp|req|run|gen|fc|rs|ws|item)[_-]/
/** Of a path, an address, base64, a call or a name that is given a value. The backslash of an escape is none of a path. */
const PART_BEFORE = /[/\\+.@#]/
const PART_AFTER = /^(?:[/+=(]|\.\w|\\+[^\\nrt"'])/
/** Lines of base64 are 64 or 76 characters wide. */
const BLOCK_LINE_BEFORE = /[A-Za-z0-9+/]{60}=*(?:\r?\n|\\r\\n|\\n)\s*$/
const BLOCK_LINE_AFTER = /^(?:\r?\n|\\r\\n|\\n)\s*[A-Za-z0-9+/]{60}/

/** The token stands at `start` in `whole`; it is the whole run of its characters, or the longest part that is looked at. */
export function isRandomToken(token: string, start: number, whole: string): boolean {
  if (token.length > LONGEST_TOKEN || PROVIDER_ID.test(token)) return false
  if (!/\d.*\d/.test(token) || !token.split(/[_-]/).some(mixesCases) || changes(token) < RANDOM_CHANGES) return false
  const end = start + token.length
  if (PART_BEFORE.test(whole.slice(Math.max(0, start - 1), start)) || PART_AFTER.test(whole.slice(end, end + 9))) return false
  return (
    !BLOCK_LINE_BEFORE.test(whole.slice(Math.max(0, start - 80), start)) && !BLOCK_LINE_AFTER.test(whole.slice(end, end + 80))
  )
}

/** `PREFIX_0a1b2c` does not: each of its parts has one case. */
function mixesCases(part: string): boolean {
  return /[a-z]/.test(part) && /[A-Z]/.test(part)
}

/** For a value whose name already says that it is secret: enough that it is no word, number, name or path. */
export function mixesLettersAndDigits(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value) && changes(value) >= MIXED_CHANGES
}

/** The share of neighbours of different kinds. A capital before small letters begins a word, so that is none. */
function changes(token: string): number {
  let found = 0
  for (let index = 1; index < token.length; index++) {
    const before = kindOf(token.charCodeAt(index - 1))
    const after = kindOf(token.charCodeAt(index))
    if (before !== after && before !== "other" && after !== "other" && !(before === "capital" && after === "small")) found++
  }
  return found / (token.length - 1)
}

function kindOf(code: number): "digit" | "capital" | "small" | "other" {
  if (code >= 48 && code <= 57) return "digit"
  if (code >= 65 && code <= 90) return "capital"
  return code >= 97 && code <= 122 ? "small" : "other"
}
