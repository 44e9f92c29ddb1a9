import { describe, expect, it } from "vitest"
import type { Json } from "../types/json.ts"
import { type JsonProblem, type LiveJson, liveJson, type Sealed } from "./live-json.ts"

function pushed(...deltas: string[]): LiveJson {
  const live = liveJson()
  for (const delta of deltas) live.push(delta)
  return live
}

/** In one piece, character by character, and cut in two everywhere: the answer must not depend on it. */
function sealedEveryWay(text: string): Sealed {
  const sealed = pushed(text).seal()
  expect(pushed(...text.split("")).seal()).toEqual(sealed)
  for (let cut = 0; cut <= text.length; cut++) expect(pushed(text.slice(0, cut), text.slice(cut)).seal()).toEqual(sealed)
  return sealed
}

function problemOf(text: string): JsonProblem {
  const sealed = sealedEveryWay(text)
  if (sealed.ok) throw new Error(`${text} was accepted`)
  return sealed.problem
}

describe("the live value", () => {
  it("S4: shows nothing for a key, then the text of its value as it grows", () => {
    const live = liveJson()
    const shown = ['{"path"', ":", ' "', "hel", 'lo"', ', "n": 1', "2", "}"].map((delta) => {
      live.push(delta)
      return JSON.stringify(live.value)
    })
    expect(shown).toEqual([
      "{}",
      "{}",
      '{"path":""}',
      '{"path":"hel"}',
      '{"path":"hello"}',
      '{"path":"hello"}',
      '{"path":"hello"}',
      '{"path":"hello","n":12}',
    ])
  })

  it("grows in place", () => {
    const live = pushed('{"a":{"b":"x')
    const { value } = live
    live.push('yz"},"c":[1,"q')
    expect(live.value).toBe(value)
    expect(value).toEqual({ a: { b: "xyz" }, c: [1, "q"] })
  })

  it("is undefined as long as nothing can be seen", () => {
    expect(liveJson().value).toBeUndefined()
    expect(pushed(" 12").value).toBeUndefined()
    expect(pushed(" tru").value).toBeUndefined()
  })

  it.each([
    ["a string", '"ab', "ab"],
    ["a list of lists", "[[],[[1", [[], [[]]]],
    ["strings in a list", '["a","b', ["a", "b"]],
    ["a string that just begins", '["a","', ["a", ""]],
    ["an object in a list", '[{"a":1},{"b":"c', [{ a: 1 }, { b: "c" }]],
    ["what follows a list", '{"a":[1,2],"b":"c', { a: [1, 2], b: "c" }],
    ["what follows an object", '{"a":{"b":1},"c":null,', { a: { b: 1 }, c: null }],
    ["a word at the root", "false", false],
    ["a number at the root that something follows", "12 ", 12],
  ])("shows %s", (_, text, value) => {
    expect(pushed(text).value).toEqual(value)
    expect(pushed(...text.split("")).value).toEqual(value)
  })

  it("takes the last of duplicate keys, in the first one's place", () => {
    const text = '{"a":{"x":1},"b":2,"a":"last"}'
    const live = pushed(text)
    expect(live.value).toEqual(JSON.parse(text))
    expect(Object.keys(live.value as object)).toEqual(["a", "b"])
    expect(pushed('{"a":{"x":1},"a":"la').value).toEqual({ a: "la" })
  })

  it.each([
    '{"__proto__":{"polluted":true},"a":1}',
    '{"__proto__":"text","constructor":1,"toString":[],"hasOwnProperty":null}',
    '{"__proto__":1,"__proto__":[2]}',
  ])("takes __proto__ and its like as plain data: %s", (text) => {
    for (const live of [pushed(text), pushed(...text.split(""))]) {
      expect(JSON.stringify(live.value)).toBe(JSON.stringify(JSON.parse(text)))
      expect(live.value).toEqual(JSON.parse(text))
      expect(Object.getPrototypeOf(live.value)).toBe(Object.prototype)
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it("stays as it was when the text breaks", () => {
    const live = pushed('{"a":"one\ntwo"}')
    expect(live.value).toEqual({ a: "one" })
    live.push('{"a":"more"}')
    expect(live.value).toEqual({ a: "one" })
  })

  it("keeps long texts whole", () => {
    const line = 'const a = "é😀\\path"\n'
    const text = JSON.stringify({ before: line, content: line.repeat(20_000), after: [line] })
    const live = liveJson()
    for (let at = 0; at < text.length; at += 7) live.push(text.slice(at, at + 7))
    expect(live.value).toEqual(JSON.parse(text))
    expect(live.text()).toBe(text)
    expect(live.received).toBe(text.length)
  })
})

describe("the state", () => {
  it("S3: says at that delta that the text can no longer become valid", () => {
    const live = pushed('{"a":1')
    expect(live).toMatchObject({ state: "open", problem: undefined })
    live.push("}")
    expect(live).toMatchObject({ state: "complete", problem: undefined })
    live.push("}")
    expect(live.state).toBe("broken")
    expect(live.problem).toEqual({
      problem: "the value is complete, but more text follows: }",
      offset: 7,
      excerpt: '{"a":1}}',
    })
  })

  it("keeps its first problem, counts on and keeps the text", () => {
    const live = pushed("[1 2")
    const { problem } = live
    live.push(" x ]")
    expect(live.problem).toBe(problem)
    expect(live.received).toBe(8)
    expect(live.text()).toBe("[1 2 x ]")
  })

  it("shows in a sealed problem what came after it", () => {
    const live = pushed("[1 2")
    expect(live.problem?.excerpt).toBe("[1 2")
    live.push(" x ]")
    expect(live.seal()).toMatchObject({ ok: false, problem: { offset: 3, excerpt: "[1 2 x ]" } })
  })

  it("takes empty deltas for nothing", () => {
    const live = pushed("", '{"a"', "", ':"', "", 'x"}', "")
    expect(live).toMatchObject({ state: "complete", value: { a: "x" }, received: 9 })
  })
})

describe("seal", () => {
  it.each<[string, Json]>([
    ['{"path":"a"}', { path: "a" }],
    [" [1, -0.5e-3, true, null] ", [1, -0.0005, true, null]],
    ["12", 12],
    ["-0", -0],
    ['"\\ud83d\\ude00 \\u00e4 \\/"', "😀 ä /"],
    ['"\ud83d"', "\ud83d"],
    ['"\\ude00\\ud83d"', "\ude00\ud83d"],
    ['"\u2028\u007f\ufeff"', "\u2028\u007f\ufeff"],
    ["1e400", Number.POSITIVE_INFINITY],
  ])("accepts %s as JSON.parse does, cut anywhere", (text, value) => {
    expect(sealedEveryWay(text)).toEqual({ ok: true, value })
    expect(JSON.parse(text)).toEqual(value)
  })

  it("does not end the reading", () => {
    const live = pushed('{"a":1')
    expect(live.seal().ok).toBe(false)
    live.push("}")
    expect(live.seal()).toEqual({ ok: true, value: { a: 1 } })
  })

  it.each([
    [
      "S12: a missing closing brace",
      '{"path": "hello.txt", "file_text": "Hello World"',
      "the text ends before an object is closed",
      48,
    ],
    ["S12: an extra closing brace", '{"path":"package.json"}}', "the value is complete, but more text follows: }", 23],
    ["S12: a raw line break", '{"text": "Line 1\nLine 2"}', "a line break inside a string must be written as \\n", 16],
    ["S12: a bad escape", '{"path": "C:\\dir"}', "a backslash cannot stand before d; a backslash itself is written as \\\\", 13],
    ["a raw tab", '{"a":"\t"}', "a tab inside a string must be written as an escape", 6],
    ["a raw control character", '"\u0001"', "U+0001 inside a string must be written as an escape", 1],
    ["a bad \\u escape", '"\\u12g4"', "four hexadecimal digits were expected after \\u, got g", 5],
    ["an end in a key", '{"pa', "the text ends inside a key", 4],
    ["an end after a key", '{"path"', "the text ends after a key", 7],
    ["an end after a colon", '{"path": ', "the text ends after a colon", 9],
    ["an end after a comma", '{"a":1,', "the text ends after a comma", 7],
    ["an end after a comma in a list", "[1, ", "the text ends after a comma", 4],
    ["an end in a string", '{"a":"b', "the text ends inside a string", 7],
    ["an end in an escape", '{"a":"b\\', "the text ends inside a string", 8],
    ["an end in a \\u escape", '{"a":"\\u00', "the text ends inside a string", 10],
    ["an end in a number", '{"a":12', "the text ends inside a number", 7],
    ["a lone minus", "-", "the text ends inside a number", 1],
    ["an exponent without digits", "1e", "the text ends inside a number", 2],
    ["an end in a word", '{"a":tru', "the text ends inside a word", 8],
    ["several brackets left open", '{"a":[{"b":{}', "the text ends with 3 brackets still open", 13],
    ["a list left open", "[", "the text ends before an array is closed", 1],
    ["no text", "", "the text is empty", 0],
    ["white space", " \n\t", "the text is nothing but white space", 3],
    ["two objects", '{"a":1} {"b":2}', "the value is complete, but more text follows: {", 8],
    ["a comma before the end", '{"a":1,}', "a comma must not stand directly before }", 7],
    ["a comma before the end of a list", "[1,]", "a comma must not stand directly before ]", 3],
    ["a missing comma", '{"a":1 "b":2}', "a comma or } was expected after the value, got a double quote", 7],
    ["a missing colon", '{"a" 1}', "a colon was expected after the key, got 1", 5],
    ["a missing value", '{"a":}', "a value was expected, got }", 5],
    ["the wrong bracket", '{"a":[1}', "a comma or ] was expected after the value, got }", 7],
    ["a leading zero", "[-01]", "a number has a 0 too many in front", 3],
    ["a point without digits", "[1.]", "a digit was expected, got ]", 3],
    ["two signs of an exponent", "[1e+-5]", "a digit was expected, got -", 4],
    ["text after a string", '"a" b', "the value is complete, but more text follows: b", 4],
    ["a word cut short", "[nul]", "the word null was expected, got ]", 4],
    ["half a pair where structure is", "[\ud83d\ude00]", "a value or ] was expected, got U+D83D", 1],
  ])("S13: says where and why not: %s", (_, text, problem, offset) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(problemOf(text)).toMatchObject({ problem, offset })
  })

  it.each([
    ["random text", "asdfghjkl12345!@#$%", "a value was expected, got a", "the only words are true, false and null", 0],
    ["a word of another language", '{"a":True}', "a value was expected, got T", "the only words are true, false and null", 5],
    ["NaN", "[NaN]", "a value or ] was expected, got N", "the only words are true, false and null", 1],
    ["a number that begins with a point", "[.5]", "a value or ] was expected, got .", "a digit or a minus", 1],
    ["a number that begins with a plus", '{"a":+5}', "a value was expected, got +", "a digit or a minus", 5],
    ["single quotes", "{'a':1}", "a key in double quotes or } was expected, got '", "double quotes", 1],
    ["a comment", '{"a":1, // one\n"b":2}', "a key in double quotes was expected, got /", "JSON has no comments", 8],
    ["a code fence", '```json\n{"a":1}\n```', "a value was expected, got `", "without a code fence", 0],
    ["backquotes", '{"a":`x`}', "a value was expected, got `", "double quotes", 5],
    ["a byte order mark", '\ufeff{"a":1}', "a value was expected, got U+FEFF", "byte order mark", 0],
    ["A10: unescaped quotes", '{"a":"say "hi" now"}', "a comma or } was expected after the value, got h", '\\"', 11],
  ])("S13: says how it is written: %s", (_, text, problem, advice, offset) => {
    expect(() => JSON.parse(text)).toThrow()
    const found = problemOf(text)
    expect(found.problem).toContain(problem)
    expect(found.problem).toContain(advice)
    expect(found.offset).toBe(offset)
  })
})

describe("the unfinished argument", () => {
  it.each([
    ["a string", '{"a":"x","b":"y', "b"],
    ["an escape", '{"b":"y\\', "b"],
    ["a number", '{"a":1,"b":-', "b"],
    ["a value not begun", '{"a":1,"b":', "b"],
    ["a value without its colon", '{"a":1,"b"', "b"],
    ["something nested", '{"b":[{"c":1},{"d', "b"],
    ["a broken string", '{"b":"one\ntwo"}', "b"],
    ["a broken value", '{"b":True}', "b"],
  ])("S14: is named: %s", (_, text, name) => expect(problemOf(text).unfinished).toBe(name))

  it.each([
    ["after a whole value", '{"a":"x"'],
    ["in a key", '{"a":"x","b'],
    ["after a comma", '{"a":"x",'],
    ["in a list", '["x'],
    ["after the end", '{"a":1}}'],
    ["before anything", ""],
  ])("is none %s", (_, text) => expect(problemOf(text)).not.toHaveProperty("unfinished"))
})

describe("limits", () => {
  it("refuses what is nested too deeply, though JSON.parse would take it", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
    expect(pushed(nested(512)).seal().ok).toBe(true)
    const live = pushed(nested(513))
    expect(live).toMatchObject({ state: "broken" })
    expect(live.seal()).toMatchObject({
      ok: false,
      problem: { problem: "objects and arrays are nested more than 512 deep", offset: 512 },
    })
    expect(pushed(nested(1_000_000)).state).toBe("broken")
  })

  it("takes another depth", () => {
    const live = liveJson({ maxDepth: 2 })
    live.push('{"a":{"b":1,"c":[')
    expect(live.problem).toMatchObject({ problem: "objects and arrays are nested more than 2 deep", offset: 16 })
  })

  it("refuses a text that is too long, reads it up to there, and lets go of the rest", () => {
    const live = liveJson({ maxLength: 10 })
    live.push('{"a":"12')
    live.push('3456"}')
    expect(live).toMatchObject({ state: "broken", received: 14, value: { a: "1234" } })
    expect(live.problem).toEqual({
      problem: "the text is longer than 10 characters",
      offset: 10,
      excerpt: '{"a":"1234',
      unfinished: "a",
    })
    live.push("more")
    expect(live.received).toBe(18)
    expect(live.text()).toBe('{"a":"1234')
    expect(live.seal()).toEqual({ ok: false, problem: live.problem })
  })

  it("takes a text of exactly the greatest length", () => {
    const live = liveJson({ maxLength: 4 })
    live.push("[12]")
    expect(live.seal()).toEqual({ ok: true, value: [12] })
  })

  it("names the first problem when a broken text is also too long", () => {
    const live = liveJson({ maxLength: 4 })
    for (const delta of ["[x", "yz", "zz"]) live.push(delta)
    expect(live.seal()).toMatchObject({ ok: false, problem: { offset: 1 } })
  })
})

describe("the excerpt", () => {
  const long = `{"a":"${"0123456789".repeat(10)}`

  it("shows the last 40 characters of a text that ends too early", () => {
    expect(problemOf(long).excerpt).toBe("0123456789".repeat(4))
  })

  it("shows at most 40 characters around the place", () => {
    const { excerpt, offset } = problemOf(`${long}\n${"abcdefghij".repeat(10)}"}`)
    expect(offset).toBe(106)
    expect(excerpt).toBe("6789".concat("0123456789".repeat(2), "␊", "abcdefghij", "abcde"))
    expect(excerpt).toHaveLength(40)
  })

  it("makes visible what cannot be seen, and lets no half pair out", () => {
    expect(problemOf('["\u0000\u001f').excerpt).toBe('["␀␟')
    expect(problemOf('["a\u007f\u200b\u202e\ufeff\u2028é').excerpt).toBe('["a␡����é')
    expect(problemOf(`["${"😀".repeat(30)}x`).excerpt).toBe(`�${"😀".repeat(19)}x`)
  })
})
