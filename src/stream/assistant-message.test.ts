import { describe, expect, it } from "vitest"
import type { Chunk, EndReason } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import { type Reply, type ReplyOptions, readReply } from "./assistant-message.ts"

const TOOLS = new Set(["read_file", "write_to_file", "now"])

function reader(options: Partial<ReplyOptions> = {}) {
  return readReply({ model: "v/m", keyPrefix: "3", isKnownTool: (name) => TOOLS.has(name), endsSilently: false, ...options })
}

function read(chunks: readonly Chunk[], options: Partial<ReplyOptions> = {}): Reply {
  const { step, halt } = reader(options)
  for (const chunk of chunks) step(chunk)
  return halt()
}

const text = (words: string): Chunk => ({ type: "text", text: words })
const thought = (words: string): Chunk => ({ type: "reasoning", text: words })
const end = (reason: EndReason): Chunk => ({ type: "end", reason })
const usage = (inputTokens: number, outputTokens: number): Chunk => ({ type: "usage", usage: { inputTokens, outputTokens } })
const partial = (index: number, args?: string, name = "read_file"): Chunk => ({
  type: "tool_call_partial",
  index,
  id: `id-${index}`,
  name,
  ...(args !== undefined && { arguments: args }),
})
const call = (number: number, input: object, name = "read_file") => ({ key: `3.${number}`, id: `id-${number - 1}`, name, input })
const overloaded: Fault = { kind: "overloaded", message: "the server is overloaded", retryable: true }
const WHOLE = '{"path":"a"}'
const HALF = '{"path":"a'

describe("the message", () => {
  it("S2: reads four chunks that each repeat everything so far", () => {
    const texts = [
      "",
      '{"path": "he',
      '{"path": "hello.txt", "file_text": "Hello Wo',
      '{"path": "hello.txt", "file_text": "Hello World"}',
    ]
    const chunks = texts.map((args): Chunk => {
      return { type: "tool_call_partial", index: 0, id: "toolu_01ABC", name: "write_to_file", arguments: args }
    })
    expect(read([...chunks, end("tool-calls")]).calls).toEqual([
      { key: "3.1", id: "toolu_01ABC", name: "write_to_file", input: { path: "hello.txt", file_text: "Hello World" } },
    ])
  })

  it("keeps text, reasoning and calls in their true order and joins what is consecutive", () => {
    const chunks = [
      thought("h"),
      thought("m"),
      text("I "),
      text("read"),
      text(""),
      thought(""),
      partial(0, HALF),
      partial(0, '"}'),
    ]
    const { message, calls } = read([...chunks, text("and"), text(" more"), partial(1, WHOLE), thought("ok"), end("stop")])
    expect(message).toEqual({
      role: "assistant",
      model: "v/m",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "I read" },
        { type: "call", call: call(1, { path: "a" }) },
        { type: "text", text: "and more" },
        { type: "call", call: call(2, { path: "a" }) },
        { type: "reasoning", text: "ok" },
      ],
    })
    expect(calls).toEqual([call(1, { path: "a" }), call(2, { path: "a" })])
  })

  it("S2: takes start, delta and end from a provider beside raw partials", () => {
    const { calls } = read([
      { type: "tool_call_start", key: "0", id: "id-0", name: "read_file" },
      { type: "tool_call_delta", key: "0", text: HALF },
      { type: "tool_call_delta", key: "0", text: '"}' },
      { type: "tool_call_end", key: "0" },
      partial(1, WHOLE),
      end("stop"),
    ])
    expect(calls).toEqual([call(1, { path: "a" }), call(2, { path: "a" })])
  })

  it("keeps provider state with its part: the last of a reasoning part, and a call's own (R8, R10)", () => {
    const state = (data: number) => ({ model: "v/m", data })
    const { message } = read([
      { type: "reasoning", text: "a", state: state(1) },
      { type: "reasoning", text: "b" },
      { type: "reasoning", text: "", state: state(2) },
      { type: "tool_call_partial", index: 0, id: "id-0", name: "now", arguments: "{}", state: state(3) },
      { type: "reasoning", text: "", state: state(4) },
      end("stop"),
    ])
    expect(message.parts).toEqual([
      { type: "reasoning", text: "ab", state: state(2) },
      { type: "call", call: call(1, {}, "now"), state: state(3) },
      { type: "reasoning", text: "", state: state(4) },
    ])
  })

  it("tells what happens while it happens", () => {
    const seen: unknown[] = []
    const note = (kind: string) => (what: string) => seen.push([kind, what])
    read(
      [
        text("a"),
        text(""),
        thought("b"),
        partial(0),
        partial(0, HALF),
        partial(0, "b'"),
        { type: "tool_call_partial" },
        end("stop"),
      ],
      {
        onText: note("text"),
        onReasoning: note("reasoning"),
        onDraft: ({ name, received, input }) => seen.push([name, received, structuredClone(input)]),
      },
    )
    expect(seen).toEqual([
      ["text", "a"],
      ["reasoning", "b"],
      ["read_file", 0, undefined],
      ["read_file", 10, { path: "a" }],
      ["read_file", 12, { path: "ab'" }],
    ])
  })

  it("I9: drops a phantom call and says so", () => {
    const words: string[] = []
    const phantom: Chunk = { type: "tool_call_partial", id: "" }
    const { message } = read([text("hi"), phantom, end("stop")], { onDiagnostic: (word) => words.push(word) })
    expect(message.parts).toEqual([{ type: "text", text: "hi" }])
    expect(words).toHaveLength(1)
  })

  it("answers the same reply again and ignores what comes after it", () => {
    const { step, halt } = reader()
    step(text("a"))
    step(end("stop"))
    const reply = halt()
    step(text("b"))
    expect(halt()).toBe(reply)
    expect(reply.message.parts).toEqual([{ type: "text", text: "a" }])
  })
})

describe("usage and late chunks", () => {
  it("T12: lets the first end win and reads usage after it", () => {
    const {
      message,
      end: reason,
      usage: used,
    } = read([text("a"), end("stop"), end("length"), text("b"), partial(0, WHOLE), usage(5, 2)])
    expect([message.parts, reason, used]).toEqual([[{ type: "text", text: "a" }], "stop", { inputTokens: 5, outputTokens: 2 }])
  })

  it("E7: takes the last usage that is not zero", () => {
    const chunks = [usage(0, 0), text("a"), usage(5, 1), usage(5, 3), usage(0, 0), end("stop")]
    expect(read(chunks).usage).toEqual({ inputTokens: 5, outputTokens: 3 })
    expect(read([usage(0, 0), text("a"), end("stop")])).not.toHaveProperty("usage")
  })
})

describe("how it ends (decision 5)", () => {
  const parts = [{ type: "text", text: "so" }]

  it.each(["stop", "tool-calls", "length", "content-filter", "other"] as const)(
    "runs whole calls when it ends with %s (E11, T9)",
    (reason) => {
      const reply = read([text("so"), partial(0, WHOLE), end(reason)])
      expect(reply).toMatchObject({ calls: [call(1, { path: "a" })], end: reason })
      expect(reply).not.toHaveProperty("fault")
    },
  )

  it("S12: gives a malformed call its error and lets the others run", () => {
    const { calls, fault } = read([partial(0, WHOLE), partial(1, '{"path":a}'), partial(2, WHOLE), end("tool-calls")])
    expect(calls).toMatchObject([
      call(1, { path: "a" }),
      { ...call(2, {}), malformed: { offset: 8, raw: '{"path":a}' } },
      call(3, { path: "a" }),
    ])
    expect([calls[0], calls[2]]).toEqual([call(1, { path: "a" }), call(3, { path: "a" })])
    expect(fault).toBeUndefined()
  })

  it.each([
    ["length", true],
    ["stop", undefined],
  ] as const)("A12: a call cut at %s is malformed, and the whole one before it is not", (reason, cut) => {
    const { calls } = read([partial(0, WHOLE), partial(1, HALF), end(reason)])
    expect(calls[0]).toEqual(call(1, { path: "a" }))
    expect(calls[1]).toMatchObject({ input: { path: "a" }, malformed: { problem: "the text ends inside a string", raw: HALF } })
    expect(calls[1] && "malformed" in calls[1] && calls[1].malformed.cut).toBe(cut)
  })

  it("A12: every call that was open at length is cut", () => {
    const { calls } = read([partial(0, HALF), partial(1, HALF), end("length")])
    expect(calls).toMatchObject([{ malformed: { cut: true } }, { malformed: { cut: true } }])
  })

  it("A12: a last call without arguments is cut at length, one that is followed by something or closed is not", () => {
    expect(read([partial(0, "", "now"), end("length")]).calls).toMatchObject([{ malformed: { cut: true } }])
    expect(read([partial(0, "", "now"), text("so"), end("length")]).calls).toEqual([call(1, {}, "now")])
    const closed: Chunk[] = [
      { type: "tool_call_start", key: "0", id: "id-0", name: "now" },
      { type: "tool_call_end", key: "0" },
    ]
    expect(read([...closed, end("length")]).calls).toEqual([call(1, {}, "now")])
    expect(read(closed).calls).toEqual([call(1, {}, "now")])
  })

  const silent = { endsSilently: true }
  it.each([
    ["T8: nothing at all", [], silent],
    ["T8: reasoning only", [thought("hm")], silent],
    ["T8: text where the vendor always says how it ends", [text("so")], {}],
    ["T8: half a call", [text("so"), partial(0, HALF)], silent],
    ["T8: a broken call", [partial(0, "{'")], silent],
    ["T8: a whole call and half a call", [text("so"), partial(0, WHOLE), partial(1, HALF)], silent],
    ["T8: a call whose arguments have not begun", [partial(0)], silent],
    ["T8: a call with nothing but white space", [partial(0, " ")], silent],
    ["T8: a call without a name", [{ type: "tool_call_partial", index: 0, arguments: WHOLE }], silent],
    ["an end that says nothing", [text("so"), partial(0, HALF), end("none")], silent],
  ] satisfies [string, Chunk[], Partial<ReplyOptions>][])("is a cut-off without a terminal: %s", (_, chunks, options) => {
    const { message, calls, fault } = read(chunks, options)
    expect(fault).toMatchObject({ kind: "cut-off", retryable: true })
    expect(calls).toEqual([])
    expect(message.interrupted).toBe(true)
    expect(message.parts).toEqual(chunks.filter((chunk) => chunk.type === "text" || chunk.type === "reasoning"))
  })

  it.each([
    ["T8: whole calls", [partial(0, WHOLE), partial(1, WHOLE)], {}, 2],
    ["T8: text and a whole call", [text("so"), partial(0, WHOLE), end("none")], {}, 1],
    ["T8, E8: text where the vendor ends silently", [text("so")], silent, 0],
  ] satisfies [string, Chunk[], Partial<ReplyOptions>, number][])(
    "is accepted without a terminal: %s",
    (_, chunks, options, count) => {
      const { message, calls, end: reason, fault } = read(chunks, options)
      expect([fault, reason, calls.length, message.interrupted]).toEqual([undefined, "none", count, undefined])
    },
  )

  it("T7: keeps text and reasoning of a reply that failed, never a call", () => {
    const reply = read([
      thought("hm"),
      text("so"),
      partial(0, WHOLE),
      { type: "fail", fault: overloaded },
      text("x"),
      usage(3, 1),
      end("stop"),
    ])
    expect(reply).toEqual({
      message: { role: "assistant", model: "v/m", interrupted: true, parts: [{ type: "reasoning", text: "hm" }, ...parts] },
      calls: [],
      end: "none",
      usage: { inputTokens: 3, outputTokens: 1 },
      fault: overloaded,
    })
  })

  it.each([
    ["nothing", [], "stop", "the model's reply was empty"],
    ["reasoning only", [thought("hm")], "stop", "the model's reply was empty"],
    ["white space", [text("\n\n")], "stop", "the model's reply was empty"],
    ["a phantom call", [{ type: "tool_call_partial", id: "" }], "tool-calls", "the model's reply was empty"],
    ["nothing at the limit", [], "length", "the model's reply was empty: the output limit was used up before any answer"],
  ] satisfies [string, Chunk[], EndReason, string][])(
    "is an empty reply, to be tried again: %s",
    (_, chunks, reason, message) => {
      expect(read([...chunks, end(reason)]).fault).toEqual({ kind: "cut-off", message, retryable: true })
    },
  )

  it("names the content filter when it left nothing, and does not try again", () => {
    expect(read([end("content-filter")]).fault).toMatchObject({ kind: "content-filter", retryable: false })
  })

  it("E10: takes text as the answer when the promised calls never came", () => {
    expect(read([text("so"), end("tool-calls")])).toMatchObject({ message: { parts }, calls: [], end: "tool-calls" })
  })
})

describe("random transcripts", () => {
  const input = { path: "a.txt", edits: [{ search: '{"path":', replace: "x\n\u2028" }], deep: { path: { path: [] } } }
  const argumentText = JSON.stringify(input)

  /** mulberry32: small, seeded, good enough. */
  function random(seed: number): (below: number) => number {
    let state = seed
    return (below) => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) % below
    }
  }

  function transcript(pick: (below: number) => number): Chunk[] {
    const chunks: Chunk[] = [thought("hm"), text("so")]
    for (let index = 0; index < 3; index++) {
      const [ids, names, indexed, snapshots, size] = [pick(3), pick(3), pick(3), pick(2), 1 + pick(20)]
      for (let from = 0; from < argumentText.length; from += size) {
        chunks.push({
          type: "tool_call_partial",
          ...(indexed > 0 && { index: indexed === 1 ? index : 0 }),
          ...((ids === 1 || (ids === 0 && from === 0)) && { id: `id-${index}` }),
          ...((names === 1 || from === 0) && { name: names === 2 ? "fly" : "read_file" }),
          arguments: argumentText.slice(snapshots ? 0 : from, from + size),
        })
      }
    }
    chunks.push({ type: "tool_call_start", key: "k", id: "id-0", name: "now" }, { type: "tool_call_delta", key: "k", text: "{" })
    chunks.push({ type: "tool_call_delta", key: "k", text: "}" }, { type: "tool_call_end", key: "k" })
    return [...chunks, usage(1, 1), end(pick(2) ? "stop" : "length")]
  }

  function damage(chunks: Chunk[], pick: (below: number) => number): Chunk[] {
    const damaged = [...chunks]
    for (let count = pick(6); count > 0; count--) {
      const at = pick(damaged.length)
      const taken = damaged.splice(at, pick(3))
      const kind = pick(4)
      if (kind === 0) damaged.splice(at, 0, ...taken, ...taken)
      else if (kind === 1) damaged.splice(pick(damaged.length + 1), 0, ...taken)
      else if (kind === 2) damaged.splice(Math.max(1, at))
    }
    return damaged
  }

  it("I3: are read exactly while nothing is damaged, even if each call comes in a shape of its own", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const { calls } = read(transcript(random(seed)))
      expect(
        calls.map((each) => each.input),
        `seed ${seed}`,
      ).toEqual([input, input, input, {}])
    }
  })

  it("S12: never throw, never share a key or an id, and never give out a call that is not whole", () => {
    let whole = 0
    for (let seed = 1; seed <= 1_500; seed++) {
      const pick = random(seed)
      const { calls, message, fault } = read(damage(transcript(pick), pick), { endsSilently: pick(2) === 0 })
      const received = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
      expect(received, `seed ${seed}`).toEqual(calls)
      expect(new Set(calls.map(({ key }) => key)).size, `seed ${seed}`).toBe(calls.length)
      expect(new Set(calls.map(({ id }) => id)).size, `seed ${seed}`).toBe(calls.length)
      if (fault) expect([calls, message.interrupted], `seed ${seed}`).toEqual([[], true])
      for (const each of calls) {
        if ("malformed" in each) expect(() => sealed(each.malformed.raw), `seed ${seed}`).toThrow()
        else whole++
      }
    }
    expect(whole).toBeGreaterThan(500)
  })

  /** What may be sealed: text that is JSON of an object. */
  function sealed(raw: string): void {
    const value: unknown = JSON.parse(raw)
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("no object")
  }
})
