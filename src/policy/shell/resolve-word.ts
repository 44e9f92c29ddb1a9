/** From the parts of a raw word to the words the shell would make of it: braces expanded, known variables filled in. */
import type { Word } from "./line.ts"
import type { Part, RawWord } from "./word.ts"

export type Value = Pick<Word, "glob" | "tilde"> & { value: string }

/** The values a variable can have at this place; undefined when they are not known. */
export type ValuesOf = (name: string) => readonly Value[] | undefined

const MOST_ALTERNATIVES = 24
const BRACES = /\{([^{}]*)\}/
const RANGE = /^(\d{1,4})\.\.(\d{1,4})$/
const GLOB = /[*?[]/
const SPLITS = /[\s*?[\\]/

/** The alternatives of what stands there, each a sequence of words: braces make one word into several, a variable makes alternatives. */
export function resolveWord({ text, parts }: Pick<RawWord, "text" | "parts">, valuesOf: ValuesOf): Word[][] {
  const spread = expandBraces(parts)
  if (!spread) return [[unknownWord(text)]]
  let alternatives: Word[][] = [[]]
  for (const one of spread) {
    const values = fillIn(one, text, valuesOf)
    alternatives = alternatives.flatMap((before) => values.map((word) => (word ? [...before, word] : before)))
    if (alternatives.length > MOST_ALTERNATIVES) return [[unknownWord(text)]]
  }
  return alternatives
}

/** The value an assignment gives: neither braces nor file names nor splitting. undefined when not known. */
export function assignedValue(parts: readonly Part[], valuesOf: ValuesOf): string | undefined {
  if (parts.length === 0) return ""
  const words = fillIn(
    parts.map((part) => (part.kind === "literal" ? part : { ...part, quoted: true })),
    "",
    valuesOf,
  )
  const [word] = words
  return words.length === 1 && word && !word.tilde ? word.value : undefined
}

export function unknownWord(text: string): Word {
  return { text, value: undefined, glob: false, tilde: false }
}

/** undefined for braces that are nested or too many. */
function expandBraces(parts: readonly Part[]): Part[][] | undefined {
  const index = parts.findIndex((part) => part.kind === "literal" && !part.quoted && BRACES.test(part.value))
  const part = parts[index]
  if (part?.kind !== "literal") {
    const open = parts.some((one) => one.kind === "literal" && !one.quoted && /\{./.test(one.value) && parts.length > 1)
    return open ? undefined : [[...parts]]
  }
  const [whole = "", inner = ""] = BRACES.exec(part.value) ?? []
  const choices = choicesOf(inner)
  if (!choices) return inner.includes(",") || inner.includes("..") ? undefined : [[...parts]]
  const before = part.value.slice(0, part.value.indexOf(whole))
  const after = part.value.slice(before.length + whole.length)
  const all: Part[][] = []
  for (const choice of choices) {
    const value = { ...part, value: before + choice + after }
    const further = expandBraces([...parts.slice(0, index), value, ...parts.slice(index + 1)])
    if (!further || all.length > MOST_ALTERNATIVES) return undefined
    all.push(...further)
  }
  return all
}

function choicesOf(inner: string): string[] | undefined {
  const range = RANGE.exec(inner)
  if (!range) return inner.includes(",") && !inner.includes("..") ? inner.split(",") : undefined
  const [from, to] = [Number(range[1]), Number(range[2])]
  if (Math.abs(to - from) >= MOST_ALTERNATIVES || /^0./.test(inner)) return undefined
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from < to ? from + index : from - index))
}

/** One word as each of its alternatives; undefined for one that vanishes because it is empty and not quoted. */
function fillIn(parts: readonly Part[], text: string, valuesOf: ValuesOf): (Word | undefined)[] {
  let alternatives: Value[] = [{ value: "", glob: false, tilde: false }]
  for (const [index, part] of parts.entries()) {
    if (part.kind === "unknown") return [unknownWord(text)]
    if (part.kind === "literal") {
      const tilde = index === 0 && !part.quoted && part.value.startsWith("~")
      if (tilde && !/^~(?:$|\/)/.test(part.value)) return [unknownWord(text)]
      const glob = !part.quoted && GLOB.test(part.value)
      alternatives = alternatives.map((one) => ({
        value: one.value + part.value,
        glob: one.glob || glob,
        tilde: one.tilde || tilde,
      }))
      continue
    }
    const values = valuesOf(part.name)
    if (!values) {
      const first = alternatives.every(({ value }) => value === "")
      if (!first || part.name !== "HOME" || !followsHome(parts[index + 1])) return [unknownWord(text)]
      alternatives = [{ value: "~", glob: false, tilde: true }]
      continue
    }
    if (!part.quoted && values.some(({ value }) => SPLITS.test(value))) return [unknownWord(text)]
    if (alternatives.some(({ value }) => value !== "") && values.some(({ tilde }) => tilde)) return [unknownWord(text)]
    alternatives = alternatives.flatMap((one) =>
      values.map(({ value, glob, tilde }) => ({ value: one.value + value, glob: one.glob || glob, tilde: one.tilde || tilde })),
    )
    if (alternatives.length > MOST_ALTERNATIVES) return [unknownWord(text)]
  }
  const quoted = parts.some((part) => part.kind === "literal" || part.quoted)
  return alternatives.map((one) => (one.value === "" && !quoted ? undefined : { text, ...one }))
}

function followsHome(part: Part | undefined): boolean {
  return part === undefined || (part.kind === "literal" && (part.value === "" || part.value.startsWith("/")))
}
