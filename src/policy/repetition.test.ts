/** Identical calls in a row: how many may run, what counts as identical, and when counting starts anew. */
import { describe, expect, it } from "vitest"
import type { JsonObject } from "../types/json.ts"
import type { ReceivedCall } from "../types/message.ts"
import { DEFAULT_REPETITION, repetition } from "./repetition.ts"

let made = 0
const call = (name: string, input: JsonObject = {}): ReceivedCall => ({ key: `k${++made}`, id: "id", name, input })
const malformed = (name: string, raw: string): ReceivedCall => ({
  ...call(name),
  malformed: { problem: "bad", offset: 0, excerpt: "", raw },
})

/** Which of the calls, one in each reply, are stopped: a dot for one that runs, else how often it came. */
function stopped(limit: number, calls: ReceivedCall[]): string {
  // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
  const { see, tooOften } = repetition({ limit, then: "ask" })
  return calls
    .map((each) => {
      see([each])
      return tooOften(each.key) ?? "."
    })
    .join("")
}

const same = (times: number) => Array.from({ length: times }, () => call("look", { path: "a" }))

describe("how many may run", () => {
  it.each([
    [1, ".2.2.2"],
    [2, "..3..3"],
    [3, "...4...4"],
    [5, ".....6....."],
    [0, "......"],
    [-1, "......"],
  ])("S26: A8.1–2, A8.5, A8.7–9, A8.14–20: with a limit of %i, identical calls go %s", (limit, expected) => {
    expect(stopped(limit, same(expected.length))).toBe(expected)
  })

  it("S26: A8.1: the limit is 3 and a person is asked, unless set otherwise", () => {
    expect(Object.entries(DEFAULT_REPETITION)).toEqual([
      ["limit", 3],
      ["then", "ask"],
    ])
  })

  it("S26: A8.3: different tools always run", () => {
    expect(stopped(1, [call("look"), call("jot"), call("look"), call("jot")])).toBe("....")
  })

  it("S26: A8.4: a different call between starts anew", () => {
    expect(stopped(2, [...same(2), call("jot"), ...same(3)])).toBe(".....3")
  })

  it("S26: A8.7–8, A8.19: after a stop another tool runs, and so does the same one again", () => {
    expect(stopped(2, [...same(3), call("jot"), ...same(2)])).toBe("..3...")
  })
})

describe("what is identical", () => {
  const twice = (one: ReceivedCall, other: ReceivedCall) => stopped(1, [one, other])

  it.each<[string, ReceivedCall, ReceivedCall, boolean]>([
    ["A8.11: calls without arguments", call("list"), call("list"), true],
    ["A8.13: another order of keys", call("look", { a: 1, b: { c: 2, d: 3 } }), call("look", { b: { d: 3, c: 2 }, a: 1 }), true],
    [
      "A8.13: objects in lists in another order of keys",
      call("look", { a: [{ x: 1, y: 2 }] }),
      call("look", { a: [{ y: 2, x: 1 }] }),
      true,
    ],
    ["A8.21: different paths", call("look", { path: "a" }), call("look", { path: "b" }), false],
    ["A8.22: the same path", call("look", { path: "a" }), call("look", { path: "a" }), true],
    ["A8.23: different offsets", call("look", { path: "a", offset: 1 }), call("look", { path: "a", offset: 2 }), false],
    ["A8.24: the same arguments and one more", call("look", { path: "a" }), call("look", { path: "a", limit: 5 }), false],
    ["another order in a list", call("look", { a: [1, 2] }), call("look", { a: [2, 1] }), false],
    ["a number and its text", call("look", { a: 1 }), call("look", { a: "1" }), false],
    ["A8.12: the same arguments of different tools", call("look", { path: "a" }), call("jot", { path: "a" }), false],
    ["the same malformed text", malformed("look", '{"pa'), malformed("look", '{"pa'), true],
    ["different malformed text", malformed("look", '{"pa'), malformed("look", '{"pat'), false],
  ])("S26: %s", (_, one, other, identical) => {
    expect(twice(one, other)).toBe(identical ? ".2" : "..")
  })

  it("S26: calls of one reply count like calls of several, however many they are", () => {
    // biome-ignore lint/suspicious/noThenProperty: the setting is named so; it is data and never awaited.
    const { see, tooOften } = repetition({ limit: 1, then: "refuse" })
    const calls = same(60)
    see(calls)
    expect(calls.map(({ key }) => (tooOften(key) ? "x" : ".")).join("")).toBe(".x".repeat(30))
  })
})
