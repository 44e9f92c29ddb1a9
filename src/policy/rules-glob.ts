/**
 * Globs over paths with forward slashes: `*` and `?` within a name, `[a-z]`, `{a,b}`, and `**` for any number of folders. Patterns come
 * from projects too, so matching takes time that grows with pattern times path and never more: no regular expression is made of them.
 */

/** Over the names of a path, from left to right. */
export type Glob = (names: readonly string[]) => boolean

const LONGEST = 1_000
const MOST_ALTERNATIVES = 64

/** undefined when the text is no glob: a bracket or brace that does not end, or more alternatives than anybody needs. */
export function compileGlob(pattern: string): Glob | undefined {
  const alternatives = pattern.length > LONGEST ? undefined : expandBraces(pattern)
  const compiled = alternatives?.map((one) => one.split("/").map(compileName))
  if (!compiled || compiled.some((names) => names.includes(undefined))) return undefined
  const lists = compiled.map((names) => names.flatMap((name) => name ?? []))
  const fits = (one: Part, name: string) => one !== ANY_FOLDERS && one(name)
  return (names) => lists.some((list) => matchSequence(list, names, fits, ANY_FOLDERS))
}

type NameTest = (name: string) => boolean
type Part = NameTest | typeof ANY_FOLDERS

const ANY_FOLDERS = Symbol("**")
const ANY_TEXT = Symbol("*")
type Letter = ((letter: string) => boolean) | typeof ANY_TEXT

function compileName(name: string): Part | undefined {
  if (name === "**") return ANY_FOLDERS
  if (!/[*?[\\]/.test(name)) return (other) => other === name
  const letters: Letter[] = []
  const source = [...name]
  for (let at = 0; at < source.length; at++) {
    const letter = source[at] ?? ""
    if (letter === "*") letters.push(ANY_TEXT)
    else if (letter === "?") letters.push(() => true)
    else if (letter === "[") {
      const end = source.indexOf("]", at + 2)
      if (end < 0) return undefined
      letters.push(compileClass(source.slice(at + 1, end)))
      at = end
    } else {
      const literal = letter === "\\" ? (source[++at] ?? "\\") : letter
      letters.push((other) => other === literal)
    }
  }
  const fits = (one: Letter, letter: string) => one !== ANY_TEXT && one(letter)
  return (other) => matchSequence(letters, [...other], fits, ANY_TEXT)
}

function compileClass(members: readonly string[]): (letter: string) => boolean {
  const negated = members[0] === "!" || members[0] === "^"
  const list = negated ? members.slice(1) : members
  const ranges: [string, string][] = []
  for (let at = 0; at < list.length; at++) {
    const from = list[at] ?? ""
    const isRange = list[at + 1] === "-" && list[at + 2] !== undefined
    ranges.push([from, isRange ? (list[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  return (letter) => ranges.some(([from, to]) => from <= letter && letter <= to) !== negated
}

/** Where a wildcard stands, as little as possible is taken, and more only for the latest one: enough, and never exponential. */
function matchSequence<One>(
  pattern: readonly One[],
  items: readonly string[],
  fits: (one: One, item: string) => boolean,
  wildcard: One,
): boolean {
  let at = 0
  let item = 0
  let retry = -1
  let taken = 0
  while (item < items.length) {
    const one = pattern[at]
    if (at < pattern.length && one === wildcard) {
      retry = at++
      taken = item
    } else if (one !== undefined && fits(one, items[item] ?? "")) {
      at++
      item++
    } else if (retry >= 0) {
      at = retry + 1
      item = ++taken
    } else return false
  }
  while (pattern[at] === wildcard) at++
  return at === pattern.length
}

/** A backslash takes the power from the character behind it. */
function expandBraces(pattern: string): string[] | undefined {
  const parts: string[] = []
  let depth = 0
  let open = -1
  let start = 0
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at]
    if (letter === "\\") at++
    else if (letter === "{" && depth++ === 0) {
      open = at
      start = at + 1
    } else if (letter === "}" && depth-- === 0) return undefined
    else if (letter === "}" && depth === 0) {
      const [before, rest] = [pattern.slice(0, open), pattern.slice(at + 1)]
      return expandAll([...parts, pattern.slice(start, at)].map((part) => before + part + rest))
    } else if (letter === "," && depth === 1) {
      parts.push(pattern.slice(start, at))
      start = at + 1
    }
  }
  return depth === 0 ? [pattern] : undefined
}

function expandAll(patterns: readonly string[]): string[] | undefined {
  const all: string[] = []
  for (const pattern of patterns) {
    const expanded = expandBraces(pattern)
    if (!expanded || all.length + expanded.length > MOST_ALTERNATIVES) return undefined
    all.push(...expanded)
  }
  return all
}
