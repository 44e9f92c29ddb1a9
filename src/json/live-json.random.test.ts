/** Whatever the text and wherever it is cut: the same cases come back with the same SEED; CASES asks for more of them. */
import { describe, expect, it } from "vitest"
import { type Random, random } from "../../test/random.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { JsonEvents } from "./events.ts"
import { type LiveJson, liveJson, type Sealed } from "./live-json.ts"
import { type JsonReader, jsonReader, read } from "./reader.ts"
import { CLOSE, COLON, ESCAPE, KEY, NONE, NUMBER, STRING, VALUE, WORD, ZERO } from "./token.ts"

const CASES = Number(process.env["CASES"] ?? 50_000)
const SEED = Number(process.env["SEED"] ?? 1)

// --- texts ---

const SPACES = ["", "", "", "", " ", "\n", "\t\r "]
const NUMBERS = [
  "0",
  "-0",
  "7",
  "12",
  "-345",
  "1.5",
  "0.25",
  "-1e3",
  "2E-2",
  "1e+21",
  "9007199254740993",
  "123456789.0625",
  "1e400",
]
const PIECES = ["a", "b", " ", "é", "\u2028", "😀", "\ud83d", "\ude00", "{", "}", "[", ":", ",", "/", "'", "0", "-", "e"]
const ESCAPES = ["\\n", "\\t", '\\"', "\\\\", "\\/", "\\b", "\\f", "\\r", "\\u0041", "\\u00e9", "\\ud83d", "\\uDE00", "\\u0000"]
const NAMES = ["a", "b", "path", "__proto__", "constructor", "1", "0", ""]
const NOISE = "{}[]:,\"\\/u0123456789+-.eEtruefalsn \n\t\r\0\u001f\u007f\ufeff\ud83d\ude00aé'"

function jsonText(chance: Random, depth = 3): string {
  const kind = chance.int(depth > 0 ? 0 : 2, 6)
  if (kind === 0) return `{${listOf(chance, depth, () => `${stringText(chance, true)}${space(chance)}:`)}}`
  if (kind === 1) return `[${listOf(chance, depth, () => "")}]`
  if (kind < 5) return stringText(chance)
  return kind === 5 ? chance.pick(NUMBERS) : chance.pick(["true", "false", "null"])
}

function listOf(chance: Random, depth: number, before: () => string): string {
  const items = Array.from(
    { length: chance.int(0, 4) },
    () => space(chance) + before() + around(chance, jsonText(chance, depth - 1)),
  )
  return items.length === 0 ? space(chance) : items.join(",")
}

function stringText(chance: Random, isKey = false): string {
  if (isKey && chance.chance(0.6)) return JSON.stringify(chance.pick(NAMES))
  let text = ""
  for (let length = chance.int(0, 8); length > 0; length--) text += chance.pick(chance.chance(0.3) ? ESCAPES : PIECES)
  return `"${text}"`
}

function space(chance: Random): string {
  return chance.pick(SPACES)
}

function around(chance: Random, text: string): string {
  return space(chance) + text + space(chance)
}

/** A few slips of the pen; half of the texts are left as they are. */
function damaged(chance: Random, text: string): string {
  let result = text
  for (let slips = chance.chance(0.5) ? 0 : chance.int(1, 3); slips > 0; slips--) {
    const at = chance.int(0, result.length)
    const end = at + chance.int(0, 3)
    const middle = [chance.text(2, NOISE), result.slice(at, end) + result.slice(at, end), ""]
    result = chance.chance(0.15) ? result.slice(0, at) : result.slice(0, at) + chance.pick(middle) + result.slice(end)
  }
  return result
}

// --- what is compared ---

function readAll(deltas: readonly string[]): LiveJson {
  const live = liveJson()
  for (const delta of deltas) live.push(delta)
  return live
}

function parsed(text: string): Sealed {
  try {
    return { ok: true, value: JSON.parse(text) as Json }
  } catch {
    return { ok: false, problem: { problem: "", offset: 0, excerpt: "" } }
  }
}

/** Equal in every respect: keys in the same order, minus zero kept apart from zero, own properties only. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  const [names, others] = [Object.keys(a), Object.keys(b)]
  return (
    names.length === others.length && names.every((name, index) => name === others[index] && same(own(a, name), own(b, name)))
  )
}

function own(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/**
 * What "a partial value is a prefix of the final one" means: nothing at all; the same scalar; the beginning of a string, not
 * cut inside a surrogate pair; the first items of a list or some members of an object, all but the one read last final.
 */
function isPrefix(part: Json | undefined, whole: Json): boolean {
  if (part === undefined) return true
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part) && !splitsPair(whole, part.length)
  if (typeof part !== "object" || part === null) return Object.is(part, whole)
  if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false
  const differing = Object.keys(part).filter((name) => !same(own(part, name), own(whole, name)))
  if (Array.isArray(part) && differing.some((name) => Number(name) !== part.length - 1)) return false
  const [last, ...others] = differing
  if (last === undefined) return true
  const final = own(whole, last) as Json | undefined
  return others.length === 0 && final !== undefined && isPrefix(own(part, last) as Json, final)
}

function hasDuplicateKeys(text: string): boolean {
  const seen: Set<string>[] = []
  let found = false
  const watch: JsonEvents<undefined> = {
    openObject: () => void seen.push(new Set()),
    openArray: () => void seen.push(new Set()),
    close: () => void seen.pop(),
    key(_, name) {
      found ||= seen.at(-1)?.has(name) ?? false
      seen.at(-1)?.add(name)
    },
    scalar: () => {},
    openString: () => {},
    text: () => {},
    closeString: () => {},
  }
  read(jsonReader(watch, undefined), text)
  return found
}

/** The shortest text that makes a whole of what an open reader has read. */
function completion(reader: JsonReader<unknown>): string {
  let text = ""
  let { next } = reader
  if (reader.token === STRING || reader.token === ESCAPE) {
    if (reader.token === ESCAPE) text += reader.escapeDigits < 0 ? "n" : "0".repeat(4 - reader.escapeDigits)
    text += '"'
    next = reader.inKey ? COLON : CLOSE
  } else if (reader.token === NUMBER) {
    text += reader.numberPart < ZERO ? "0" : ""
    next = CLOSE
  } else if (reader.token === WORD) {
    text += reader.word.slice(reader.wordLength)
    next = CLOSE
  }
  if ((next & CLOSE) === 0) text += next === KEY ? '"":0' : next === COLON ? ":0" : next === VALUE ? "0" : ""
  return (
    text +
    [...reader.path]
      .reverse()
      .map((slot) => (typeof slot === "string" ? "}" : "]"))
      .join("")
  )
}

const SILENCE: JsonEvents<undefined> = {
  openObject: () => {},
  openArray: () => {},
  close: () => {},
  key: () => {},
  scalar: () => {},
  openString: () => {},
  text: () => {},
  closeString: () => {},
}

function readerOf(text: string): JsonReader<undefined> {
  const reader = jsonReader(SILENCE, undefined)
  read(reader, text)
  return reader
}

/** Runs a check on many texts; what it answers is what is wrong. */
function onEvery(cases: number, check: (chance: Random, text: string) => string | undefined, { valid = false } = {}): void {
  for (let number = 0; number < cases; number++) {
    const chance = random(SEED * 1_000_003 + number)
    const text = around(chance, jsonText(chance))
    const shown = valid ? text : damaged(chance, text)
    const wrong = check(chance, shown)
    if (wrong !== undefined) throw new Error(`case ${number} of seed ${SEED}: ${wrong}: ${JSON.stringify(shown)}`)
  }
}

// --- the properties ---

describe("whatever the text and wherever it is cut", () => {
  it("S5, S12: seals exactly what JSON.parse takes, with an equal value, and never throws", () => {
    let accepted = 0
    onEvery(CASES, (chance, text) => {
      const expected = parsed(text)
      const live = readAll(chance.pieces(text, 12))
      const sealed = live.seal()
      if (sealed.ok !== expected.ok) return `sealed is ${sealed.ok}`
      if (live.text() !== text || live.received !== text.length) return "the text changed"
      if ((live.state === "broken") !== (live.problem !== undefined)) return "state and problem disagree"
      if (!sealed.ok || !expected.ok) return live.state === "complete" ? "complete, but refused" : undefined
      accepted++
      if (!same(sealed.value, expected.value)) return "sealed another value"
      if (live.state === "broken") return "accepted, but broken"
      if (live.state === "complete" && !same(live.value, expected.value)) return "shows another value"
      return live.state === "open" && typeof expected.value !== "number" ? "accepted, but not complete" : undefined
    })
    expect(accepted).toBeGreaterThan(CASES / 4)
    expect(accepted).toBeLessThan((CASES * 3) / 4)
  })

  it("S3, S13: reads the same in any pieces as in one: value, state and problem", () => {
    onEvery(CASES / 4, (chance, text) => {
      const [one, pieces, units] = [readAll([text]), readAll(chance.pieces(text, 6)), readAll(text.split(""))]
      for (const other of [pieces, units]) {
        if (one.state !== other.state) return `${one.state} in one piece, ${other.state} in several`
        if (!same(one.value, other.value)) return "another value"
        if (JSON.stringify(one.seal()) !== JSON.stringify(other.seal())) return "another seal"
      }
      return undefined
    })
  })

  it("S13: breaks at the first character after which nothing could make it whole, and not one later", () => {
    onEvery(CASES / 4, (_, text) => {
      const { problem } = readerOf(text)
      const before = problem === undefined ? text : text.slice(0, problem.offset)
      const reader = readerOf(before)
      if (reader.state === "broken") return "broken before its offset"
      if (problem !== undefined && readerOf(text.slice(0, problem.offset + 1)).state !== "broken")
        return "not broken at its offset"
      const whole = before + completion(reader)
      return parsed(whole).ok ? undefined : `open, but nothing completes it (tried ${JSON.stringify(whole)})`
    })
  })

  it("S13: names the same place as the engine, wherever the engine names one", () => {
    let named = 0
    onEvery(CASES / 4, (_, text) => {
      const sealed = readAll([text]).seal()
      const place = sealed.ok ? undefined : placeByEngine(text)
      if (sealed.ok || place === undefined) return undefined
      named++
      return sealed.problem.offset === place ? undefined : `${sealed.problem.offset} instead of ${place}`
    })
    expect(named).toBeGreaterThan(CASES / 100)
  })

  it("S4: shows at every moment a prefix of the final value", () => {
    onEvery(
      CASES / 4,
      (chance, text) => {
        if (hasDuplicateKeys(text)) return undefined
        const final = JSON.parse(text) as Json
        const live = liveJson()
        for (const piece of chance.pieces(text, 5)) {
          live.push(piece)
          if (live.state === "broken") return "broken on the way"
          if (!isPrefix(live.value, final)) return `${JSON.stringify(live.value)} is no prefix`
        }
        return undefined
      },
      { valid: true },
    )
  })
})

function placeByEngine(text: string): number | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const place = /at position (\d+)/.exec(String(error))?.[1]
    return place === undefined ? undefined : Number(place)
  }
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

describe("the checks themselves", () => {
  const record: JsonObject = { a: [1, "xy"], b: "z" }

  it("can tell what is no prefix", () => {
    expect(isPrefix({ a: [1, "x"] }, record)).toBe(true)
    expect(isPrefix({ a: [1, "y"] }, record)).toBe(false)
    expect(isPrefix({ a: [2, "xy"] }, record)).toBe(false)
    expect(isPrefix({ a: [1, "x"], b: "" }, record)).toBe(false)
    expect(isPrefix({ c: 1 }, record)).toBe(false)
    expect(isPrefix([""], ["a"])).toBe(true)
    expect(isPrefix(["", 1], ["a", 1])).toBe(false)
    expect(isPrefix("a\ud83d", "a😀")).toBe(false)
    expect(isPrefix("a\ud83d", "a\ud83d")).toBe(true)
  })

  it("can tell minus zero, another order and another prototype", () => {
    expect(same(-0, 0)).toBe(false)
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(false)
    expect(same({ a: 1 }, Object.assign(Object.create(null), { a: 1 }))).toBe(false)
    expect(same(JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'))).toBe(true)
  })

  it("complete what is open", () => {
    for (const text of ["", "[", '{"a', '{"a":[-', '["\\', '["\\u1', "[tr", '{"a":1,', "[1,"]) {
      const reader = readerOf(text)
      expect([text, reader.state, parsed(text + completion(reader)).ok]).toEqual([text, "open", true])
    }
    expect(readerOf("[1]").token).toBe(NONE)
  })
})
