/** Texts of the kind that break programs: several scripts, half characters, marks of the wire itself; JSON good and bad. */
import type { Random } from "../random.ts"

const WORDS = ["a", "the file ", "src/a b.ts", "é", "漢字", "😀", "👩‍👩‍👧", " ", "constructor", "content", "arguments"]
const MARKS = [
  "data: [DONE]",
  "<think>",
  "</think>",
  "<|im_end|>",
  "\\u0041",
  "[1,",
  ": ",
  "\n",
  "\r\n",
  "\t",
  '"',
  "\\",
  "{",
  "}",
]
const HALVES = ["\u2028", "\u0000", "\ud83d", "\ude00", "\ufeff"]
const ODDITIES = [...WORDS, ...MARKS, ...HALVES]

export function oddText(chance: Random, longest = 5): string {
  let text = ""
  for (let count = chance.int(0, longest); count > 0; count--) text += chance.pick(ODDITIES)
  return text
}

const SPACES = ["", "", "", "", "", " ", "\n", "\t \r"]
const NUMBERS = ["0", "-0", "7", "-12", "1.5", "2E-2", "1e21", "9007199254740993", "1e400"]
const KEYS = ["path", "path", "content", "command", "question", "result", "", "__proto__", "a b", "é"]
/** Other names than the ones above: an object that repeats what stands before it could be taken for a snapshot (A8). */
const INNER_KEYS = ["x", "y", "constructor", "toString"]

/** A JSON object as a model might write it: any spacing, any escapes, keys that come twice. */
export function objectText(chance: Random, depth = 2): string {
  return objectOf(chance, KEYS, depth)
}

function objectOf(chance: Random, keys: readonly string[], depth: number): string {
  const members = Array.from({ length: chance.int(0, 3) }, () => {
    const key = JSON.stringify(chance.pick(keys))
    return `${space(chance)}${key}${space(chance)}:${space(chance)}${valueText(chance, depth)}${space(chance)}`
  })
  return `{${members.length === 0 ? space(chance) : members.join(",")}}`
}

function valueText(chance: Random, depth: number): string {
  const kind = chance.int(depth > 0 ? 0 : 2, 7)
  if (kind === 0) return objectOf(chance, INNER_KEYS, depth - 1)
  if (kind === 1) return `[${Array.from({ length: chance.int(0, 3) }, () => valueText(chance, depth - 1)).join(",")}]`
  if (kind === 2) return chance.pick(NUMBERS)
  if (kind === 3) return chance.pick(["true", "false", "null"])
  const text = JSON.stringify(oddText(chance, kind === 7 ? 12 : 3))
  return chance.chance(0.1) ? text.replace(/[a-z](?=[^\\]*$)/, "\\u0061") : text
}

function space(chance: Random): string {
  return chance.pick(SPACES)
}

const NO_OBJECTS = [
  "this is no JSON at all",
  "[1]",
  '"x"',
  "42",
  "true",
  "{'a':1}",
  '{"a":NaN}',
  '{"a":1}}',
  '{"a":1}{"b":2}',
  '{"a":1,}',
  '\ufeff{"a":1}',
  '{"a":"line\nend"}',
  '{"a":"C:\\dir"}',
  '{"a":1 /* why */}',
  "<parameter=x>v</parameter>",
  '{"a":"\\ud83',
  '"{\\"a\\":1"',
]

/** Argument text that went wrong in some way, most of the time beyond repair. */
export function brokenText(chance: Random): string {
  if (chance.chance(0.4)) return chance.pick(NO_OBJECTS)
  const text = objectText(chance)
  const at = chance.int(0, text.length)
  if (chance.chance(0.5)) return text.slice(0, at)
  return text.slice(0, at) + chance.pick(['"', "}", "{", ",", "\\", ":", "\n", ""]) + text.slice(at + chance.int(0, 2))
}

/** Nested deeper than anybody can mean. */
export function deepText(chance: Random): string {
  const depth = chance.pick([500, 700, 6_000])
  return chance.chance(0.5) ? `${"[".repeat(depth)}${"]".repeat(depth)}` : `${'{"x":'.repeat(depth)}1${"}".repeat(depth)}`
}
