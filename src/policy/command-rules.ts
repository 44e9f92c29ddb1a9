/**
 * Rules for commands: `git status`, `git diff *`, `npm run build`. They are compared with the words a command really has, never with its
 * text: `git *` fits `git status`, not `gitx` and not `git;rm`. Rules that allow are read strictly, rules that deny generously.
 */
import type { SimpleCommand, Word } from "./shell/line.ts"
import { baseName, splitWords } from "./shell/unwrap.ts"

export interface CommandRule {
  decision: "allow" | "ask" | "deny"
  /** Words; `*` as a word stands for any further words, inside a word for any characters. A trailing `:*` means the same as ` *`. */
  pattern: string
  /** Where the rule came from, for people. */
  source: string
}

export interface AllowMatch {
  rule: CommandRule
  /** Which words of the command only a `*` covers; all checks of what an argument may do apply to them. */
  covered: readonly number[]
  /** The pattern names what it was started by, for example `sudo`. */
  names: readonly string[]
}

/** Wrappers that add authority of their own: a rule has to name them. */
const AUTHORITY = new Set(["sudo", "doas"])
/** Forms of the same option, for rules that deny. */
const LONG_FORMS: Record<string, string> = { r: "--recursive", R: "--recursive", f: "--force", i: "--in-place", d: "--delete" }

const MOST_KEPT = 2000
const kept = new Map<string, readonly string[]>()

export function patternWords(pattern: string): readonly string[] {
  let words = kept.get(pattern)
  if (!words) {
    words = splitWords(pattern.trim().replace(/:\*$/, " *"))
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(pattern, words)
  }
  return words
}

/** Every rule that allows and whose words fit exactly, with what its wildcards covered. */
export function findAllow(command: SimpleCommand, rules: readonly CommandRule[]): AllowMatch[] {
  return rules.flatMap((rule) => {
    if (rule.decision !== "allow") return []
    const words = [...patternWords(rule.pattern)]
    const names: string[] = []
    while (words.length > 1 && AUTHORITY.has(words[0] ?? "") && command.argv[0] !== words[0]) names.push(words.shift() ?? "")
    const given = takeAssignments(words, command)
    if (!given) return []
    const covered = matchWords(words, 0, command.argv, 0)
    return covered && words.length > 0 ? [{ rule, covered, names: [...names, ...given] }] : []
  })
}

/** `NAME=value` at a pattern's front allows exactly that assignment; undefined when the command lacks it. */
function takeAssignments(words: string[], { assignments }: SimpleCommand): string[] | undefined {
  const given: string[] = []
  while (/^[A-Za-z_]\w*=/.test(words[0] ?? "")) {
    const word = words.shift() ?? ""
    if (!assignments.some(({ name, value }) => `${name}=${value}` === word)) return undefined
    given.push(word)
  }
  return given
}

/** The words that only wildcards cover, or undefined when pattern and words do not fit. */
function matchWords(
  pattern: readonly string[],
  p: number,
  argv: readonly (string | undefined)[],
  a: number,
): number[] | undefined {
  const word = pattern[p]
  if (word === undefined) return a === argv.length ? [] : undefined
  if (word === "*") {
    // A pattern has few words, and all but the last wildcard are rare.
    if (p === pattern.length - 1) return range(a, argv.length)
    for (let end = a; end <= argv.length; end++) {
      const rest = matchWords(pattern, p + 1, argv, end)
      if (rest) return [...range(a, end), ...rest]
    }
    return undefined
  }
  if (a >= argv.length) return undefined
  const value = argv[a]
  if (value === undefined) return undefined
  const partly = word.includes("*") && value !== word
  if (partly ? !wildcard(word, "s").test(value) : value !== word) return undefined
  const rest = matchWords(pattern, p + 1, argv, a + 1)
  return rest && (partly ? [a, ...rest] : rest)
}

/**
 * A rule that denies or asks, found even when the command is written with a full path, in other case, with options in between, or with
 * the pattern's short options spread and spelled out. `possibly`: a word that is not known, or one that becomes names of files, stands
 * where the rule could fit.
 */
export function fitsLoosely({ words: given }: Pick<SimpleCommand, "words">, pattern: string): Fit {
  const [program = "", ...words] = patternWords(pattern)
  const [first, ...rest] = given
  if (!first) return "no"
  const name = first.value
  if (name === undefined) return "possibly"
  if (program === "*" && words.length === 0) return "yes"
  if (first.glob && mayBecome(first, program)) return "possibly" // it may become several words, too
  if (!wildcard(program).test(lower(name)) && !wildcard(program).test(lower(baseName(name)))) return "no"
  if (words.length === 0) return rest.length === 0 ? "yes" : rest.every(({ value }) => value === undefined) ? "possibly" : "no"
  return loosely(words, rest, program === "*")
}

export type Fit = "yes" | "possibly" | "no"

function loosely(pattern: readonly string[], words: readonly Word[], anyProgram: boolean): Fit {
  const argv = words.map(({ value }) => value)
  let rest = words
  let sure = true
  const patterns: Word[] = [] // those that may have become words of the rule already, and may be more of them
  for (const [index, word] of pattern.entries()) {
    const last = index === pattern.length - 1
    if (word === "*") {
      if (last) return sure ? "yes" : "possibly"
      continue
    }
    if (/^--?[A-Za-z]/.test(word)) {
      const long = word.startsWith("--") || !/^-[A-Za-z]+$/.test(word)
      if (long ? hasLong(argv, word) : argv.includes(word) || [...word.slice(1)].every((letter) => hasOption(argv, letter)))
        continue
      if (!words.some((one) => one.value === undefined || mayBecome(one, "-*"))) return "no"
      sure = false
      continue
    }
    const free = pattern[index - 1] === "*" || (index === 0 && anyProgram)
    const reaches = (at: number) =>
      at >= 0 && (free || at === 0 || (rest[0]?.value?.startsWith("-") ?? true) || mayBecome(rest[0], "-*"))
    const at = rest.findIndex(({ value }) => value !== undefined && wildcard(word).test(lower(value)))
    const maybe = rest.findIndex((one) => mayBecome(one, word))
    if (maybe >= 0 && (at < 0 || maybe < at) && reaches(maybe)) {
      sure = false
      patterns.push(...rest.slice(maybe, maybe + 1))
      rest = rest.slice(maybe + 1)
    } else if (reaches(at)) rest = rest.slice(at + 1)
    else {
      const unknown = rest.findIndex(({ value }) => value === undefined)
      if (!reaches(unknown) && !patterns.some((one) => mayBecome(one, word))) return "no"
      sure = false
    }
  }
  const further = rest.filter(({ value }) => !value?.startsWith("-"))
  if (further.length === 0 || anyProgram || pattern.includes("*")) return sure ? "yes" : "possibly"
  return further.every(({ value }) => value === undefined) ? "possibly" : "no" // what is not known may as well be nothing
}

/** Could this pattern for file names become a word of the rule, by itself or as the last part of a path? Generous. */
export function mayBecome(word: Word | undefined, ruled: string): boolean {
  if (!word?.glob || word.value === undefined) return false
  const glob = lower(word.value).replace(/\[.*\]/s, "*") // whatever the brackets and what is between them allow
  return [glob, baseName(glob) ?? glob].some((one) => meets(one, lower(ruled)))
}

/** Is there a text that both fit? `*` in either stands for any characters, `?` in the first for one. */
function meets(glob: string, ruled: string): boolean {
  let row = Array.from({ length: ruled.length + 1 }, (_, r) => /^\**$/.test(ruled.slice(0, r)))
  for (const char of glob) {
    const next: boolean[] = []
    for (let r = 0; r <= ruled.length; r++) {
      const wild = ruled[r - 1] === "*"
      const same = r > 0 && (char === "?" || char === ruled[r - 1]) && (row[r - 1] ?? false)
      const skips = r > 0 && (wild || char === "*") && (next[r - 1] ?? false)
      next.push(char === "*" ? (row[r] ?? false) || skips : wild ? (row[r] ?? false) || skips : same)
    }
    row = next
  }
  return row[ruled.length] ?? false
}

/** Whole, or as short as some programs take it. */
function hasLong(argv: readonly (string | undefined)[], option: string): boolean {
  return argv.some((word) => word !== undefined && (wildcard(option).test(word) || (word.length > 4 && option.startsWith(word))))
}

function hasOption(argv: readonly (string | undefined)[], letter: string): boolean {
  const long = LONG_FORMS[letter]
  const other = letter === "r" ? "R" : letter
  return argv.some((word) => {
    if (word === undefined) return false
    if (word.startsWith("--")) return long !== undefined && word.length > 3 && long.startsWith(word)
    return /^-[A-Za-z]/.test(word) && (word.includes(letter) || word.includes(other))
  })
}

/** The rule's fixed words stand in a text that was not understood. */
export function occursIn(pattern: string, text: string): boolean {
  const words = patternWords(pattern).filter((word) => word !== "*" && !word.startsWith("-"))
  const plain = ` ${text
    .replace(/["'\\]/g, "")
    .replace(/[^A-Za-z0-9_.:@+-]+/g, " ")
    .toLowerCase()} `
  let at = 0
  for (const word of words) {
    const found = plain.indexOf(` ${word.toLowerCase()} `, at)
    if (found < 0) return false
    at = found + word.length
  }
  return words.length > 0
}

function lower(value: string | undefined): string {
  return (value ?? "").toLowerCase()
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

const patterns = new Map<string, RegExp>()

function wildcard(word: string, flags = "is"): RegExp {
  const key = `${flags}:${word}`
  let pattern = patterns.get(key)
  if (!pattern) {
    const body = word.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    pattern = new RegExp(`^${body.join(".*")}$`, flags)
    if (patterns.size >= MOST_KEPT) patterns.clear()
    patterns.set(key, pattern)
  }
  return pattern
}
