import { describe, expect, it } from "vitest"
import type { Malformation, ReceivedCall } from "../types/message.ts"
import { parseToolCalls } from "./tool-call-parser.ts"

function seal(pieces: readonly string[], cut = false): ReceivedCall {
  const parser = parseToolCalls()
  parser.start("1.1", "a", "write_to_file")
  for (const piece of pieces) parser.delta("1.1", piece)
  return parser.seal("1.1", { cut })
}

function malformation(call: ReceivedCall): Malformation {
  if (!("malformed" in call)) throw new Error(`sealed: ${JSON.stringify(call.input)}`)
  return call.malformed
}

describe("drafts", () => {
  it("S4: show nothing before there is a value, then the string as it grows", () => {
    const parser = parseToolCalls()
    expect(parser.start("1.1", "a", "write_to_file")).toEqual({
      key: "1.1",
      id: "a",
      name: "write_to_file",
      input: undefined,
      received: 0,
    })
    expect(parser.delta("1.1", '{"path":')).toMatchObject({ input: {}, received: 8 })
    expect(parser.delta("1.1", ' "hel')).toMatchObject({ input: { path: "hel" }, received: 13 })
    expect(parser.delta("1.1", "lo.txt")).toMatchObject({ input: { path: "hello.txt" }, received: 19 })
  })

  it("S3: say at that delta that they can no longer become valid, and go on counting", () => {
    const parser = parseToolCalls()
    expect(parser.delta("1.1", '{"path": ').problem).toBeUndefined()
    expect(parser.delta("1.1", "'a'").problem).toContain("double quotes")
    const { received, problem } = parser.delta("1.1", "}")
    expect(received).toBe(13)
    expect(malformation(parser.seal("1.1", { cut: false })).problem).toBe(problem)
  })

  it("say at once that an array is no set of arguments", () => {
    expect(parseToolCalls().delta("1.1", "[").problem).toBe("an object was expected, got an array")
  })

  it("take a corrected name and id without losing what was read", () => {
    const parser = parseToolCalls()
    parser.start("1.1", "minted", "edit")
    parser.delta("1.1", '{"path":"x"}')
    expect(parser.start("1.1", "a", "edit_file")).toMatchObject({ id: "a", name: "edit_file", input: { path: "x" } })
    expect(parser.seal("1.1", { cut: false })).toEqual({ key: "1.1", id: "a", name: "edit_file", input: { path: "x" } })
  })

  it("belong to one parser and one key each", () => {
    const [one, two] = [parseToolCalls(), parseToolCalls()]
    one.delta("1.1", '{"a":')
    two.delta("1.1", '{"b":2}')
    one.delta("1.2", "{}")
    one.delta("1.1", "1}")
    expect(one.seal("1.1", { cut: false }).input).toEqual({ a: 1 })
    expect(two.seal("1.1", { cut: false }).input).toEqual({ b: 2 })
  })
})

describe("seals", () => {
  it.each([
    ["S5, S6: an object", '{"path":"a","n":[1,{"x":null}]}', { path: "a", n: [1, { x: null }] }],
    ["A1: empty text as no arguments", "", {}],
    ["A1: white space as no arguments", " \n\t", {}],
    ["A3: null as no arguments", " null ", {}],
    ["A4: an object the wire has put into words", JSON.stringify({ path: "a" }), { path: "a" }],
    ["A5: an object encoded twice", JSON.stringify('{"path":"a\\n"}'), { path: "a\n" }],
    ["A5: nothing, encoded twice", '""', {}],
    ["A6, A7: strings that look like JSON, untouched", '{"a":"[1]","b":"{}","c":"true"}', { a: "[1]", b: "{}", c: "true" }],
    ["A14: optional keys that are null, untouched", '{"a":null}', { a: null }],
    ["an argument that is called malformed", '{"malformed":{"problem":"x"}}', { malformed: { problem: "x" } }],
    ["S12: wrong types, which are the schema's business", '{"path":["a"],"text":1}', { path: ["a"], text: 1 }],
  ])("take %s, split anywhere", (_, text, input) => {
    const call = { key: "1.1", id: "a", name: "write_to_file", input }
    expect(seal([text])).toEqual(call)
    for (let cut = 1; cut < text.length; cut++) expect(seal([text.slice(0, cut), text.slice(cut)])).toEqual(call)
  })

  it("A2: take a call whose arguments were never sent", () => {
    expect(seal([])).toEqual({ key: "1.1", id: "a", name: "write_to_file", input: {} })
  })

  it("take __proto__ as plain data", () => {
    const { input } = seal(['{"__proto__":{"x":1}}'])
    expect(Object.keys(input)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  })
})

describe("what cannot be sealed", () => {
  it.each([
    ["S12: a missing closing brace", '{"path":"a","text":"Hi"', "closed", 23, { path: "a", text: "Hi" }],
    ["S12: an extra closing brace", '{"path":"a"}}', "more text", 12, { path: "a" }],
    ["S12: a bad escape", '{"path":"a\\q"}', "backslash", 11, { path: "a" }],
    ["S12, A10: a raw line break in a string", '{"path":"a\nb"}', "line break", 10, { path: "a" }],
    ["S12: random text", "asdfghjkl12345!@#$%", "value was expected", 0, {}],
    ["A10: unescaped quotes", '{"text":"say "hi""}', "comma", 14, { text: "say " }],
    ["A11: parameters as tags", "<parameter=x>v</parameter>", "value was expected", 0, {}],
    ["A12: an end inside a string", '{"text":"half', "inside a string", 13, { text: "half" }],
    ["two objects", '{"a":1}{"b":2}', "more text", 7, { a: 1 }],
    ["an array", ' [{"a":1}]', "an object was expected, got an array", 1, {}],
    ["a number", "12", "an object was expected, got a number", 0, {}],
    ["a word", "true", "an object was expected, got true", 0, {}],
    ["A5: a string that holds no object", '"run it"', "an object was expected, got a string", 0, {}],
    ["A5: an array encoded twice", '"[1]"', "an object was expected, got an array", 0, {}],
    ["A5: an object encoded three times", JSON.stringify(JSON.stringify("{}")), "an object was expected, got a string", 0, {}],
    ["A5: half an object encoded twice", '"{\\"a\\":"', "an object was expected, got a string", 0, {}],
  ])("S13: is told with its place: %s, split anywhere", (_, text, problem, offset, input) => {
    const whole = seal([text])
    expect(whole).toMatchObject({ key: "1.1", id: "a", name: "write_to_file", input })
    expect(malformation(whole)).toMatchObject({ problem: expect.stringContaining(problem), offset, raw: text })
    expect(malformation(whole).cut).toBeUndefined()
    expect(text).toContain(malformation(whole).excerpt.replace("␊", "\n"))
    for (let cut = 1; cut < text.length; cut++) expect(seal([text.slice(0, cut), text.slice(cut)])).toEqual(whole)
  })

  it("S14: keeps what could be read, and never gives it out as a call", () => {
    const text = '{"path":"hello.txt","file_text":"Hello World"}'
    for (let length = 1; length < text.length; length++) expect("malformed" in seal([text.slice(0, length)])).toBe(true)
  })

  it("A12: says so when the output limit cut it", () => {
    expect(malformation(seal(['{"text":"ha', "lf"], true))).toEqual({
      problem: "the text ends inside a string",
      offset: 13,
      excerpt: '{"text":"half',
      unfinished: "text",
      raw: '{"text":"half',
      cut: true,
    })
  })

  it("A12: does not blame the limit for text that was wrong before it", () => {
    expect(malformation(seal(['{"text": half'], true)).cut).toBeUndefined()
  })

  it("A12: does not take text that was cut before it began as no arguments", () => {
    for (const pieces of [[], [" "]]) expect(malformation(seal(pieces, true))).toMatchObject({ cut: true })
  })

  it("A12: seals a whole call, whatever the limit did after it", () => {
    expect(seal(['{"text":"whole"}'], true)).toMatchObject({ input: { text: "whole" } })
    expect("malformed" in seal(["{}"], true)).toBe(false)
  })

  it("is bounded in depth", () => {
    const call = seal(["[".repeat(100_000)])
    expect(malformation(call).problem).toContain("nested more than")
  })
})
