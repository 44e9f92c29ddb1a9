import { describe, expect, it } from "vitest"
import { allText, filler, type PastWorld, pastWorld } from "../../test/past-world.ts"
import { call, chunks, fails, reply, used, words } from "../../test/replies.ts"
import type { Message } from "../types/message.ts"

const GOAL = "Make the parser linear, and keep the old tests green."
const NOTES = "The parser is being made linear; the tokenizer was slow because it copied. Next: measure parse.ts once more."
const summary = reply(words(NOTES), used(9_000, 40, 0.01))

/** Sixteen turns of about a thousand tokens each, and a request that comes next. */
function longPast(world: PastWorld, turns = 16): PastWorld {
  world.say(GOAL)
  for (let turn = 1; turn <= turns; turn++)
    world.turn({ result: `result ${turn} ${filler(1_000)}`, input: { path: `file${turn}.ts` } })
  world.begin()
  return world
}

const recordIn = (messages: readonly Message[]) =>
  messages.filter((message) => message.role === "user" && message.item?.startsWith("condensed-"))

describe("below the threshold", () => {
  it("nothing is asked of any model, and nothing changes", async () => {
    const world = longPast(pastWorld(), 3)
    expect(await world.condense()).toEqual({ kind: "fits" })
    expect(world.model.requests).toEqual([])
  })

  it("a threshold of 0 never condenses by itself", async () => {
    const world = longPast(pastWorld({ ports: { settings: () => ({ threshold: 0 }) } }))
    expect(await world.condense()).toEqual({ kind: "fits" })
  })

  it("hooks are not asked what must not be lost", async () => {
    let asked = 0
    const notes = async () => [`${++asked}`]
    await longPast(pastWorld(), 3).condense("threshold", { notes })
    expect(asked).toBe(0)
  })
})

describe("above it", () => {
  it("S50: the summary is asked for with the prompt, the tools and the history as they were, and one message behind them", async () => {
    const world = longPast(pastWorld({ script: [summary], tools: [{ name: "look", description: "", parameters: {} }] }), 14)
    const { messages } = world.state()
    await world.condensed()
    const [request] = world.model.requests
    expect(request?.system).toBe("the system prompt")
    expect(request?.tools).toEqual(["look"])
    expect(request?.messages.slice(0, -1)).toEqual(messages)
    expect(request?.messages.at(-1)).toMatchObject({ role: "user" })
  })

  it("keeps the first words as they were, the latest turns whole, and the summary beside Joey's own record", async () => {
    const world = longPast(pastWorld({ script: [summary] }))
    const event = await world.condensed()
    expect(event).toMatchObject({ by: "threshold", how: "summary", usage: { inputTokens: 9_000, outputTokens: 40, cost: 0.01 } })
    expect(event.tokensAfter).toBeLessThan(event.tokensBefore * 0.6)
    expect(event.messages[0]).toEqual({ role: "user", item: "words-2", content: [{ type: "text", text: GOAL }] })
    expect(recordIn(event.messages)).toHaveLength(1)
    expect(allText(event.messages)).toContain(NOTES)
    expect(allText(event.messages)).toContain("result 16 ")
    expect(allText(event.messages)).not.toContain("result 1 ")
  })

  it("goes on with what it made: the next request fits, and a second condensing keeps the same first words", async () => {
    const world = longPast(pastWorld({ script: [summary, reply(words(`Second notes. ${NOTES}`))] }))
    await world.condensed()
    expect(await world.condense()).toEqual({ kind: "fits" })
    for (let turn = 0; turn < 14; turn++) world.turn({ result: filler(1_000) })
    const event = await world.condensed()
    expect(event.messages[0]).toMatchObject({ item: "words-2", content: [{ type: "text", text: GOAL }] })
    expect(recordIn(event.messages)).toHaveLength(1)
    expect(allText(event.messages)).toContain("Second notes.")
    expect(allText(world.model.requests[1]?.messages ?? [])).toContain(NOTES)
  })

  it("hears what hooks want to keep, in the request and in the record", async () => {
    const world = longPast(pastWorld({ script: [summary] }))
    const event = await world.condensed("threshold", { notes: async () => ["the ticket is ABC-7"] })
    expect(allText(world.model.requests[0]?.messages.slice(-1) ?? [])).toContain("the ticket is ABC-7")
    expect(allText(recordIn(event.messages))).toContain("the ticket is ABC-7")
  })

  it("a call in the summary's answer is not looked at", async () => {
    const world = longPast(pastWorld({ script: [reply(words(NOTES), call("look", { path: "x" }))] }))
    expect(await world.condensed()).toMatchObject({ how: "summary" })
  })

  it("another model can write the summary, with words of the person's own", async () => {
    const small = pastWorld({ script: [summary] }).model
    const world = longPast(
      pastWorld({ ports: { settings: () => ({ threshold: 0.8, model: "cheap", prompt: "Sum up!" }), summariser: () => small } }),
    )
    expect(await world.condensed()).toMatchObject({ how: "summary" })
    expect(world.model.requests).toEqual([])
    expect(allText(small.requests[0]?.messages.slice(-1) ?? [])).toBe("Sum up!")
  })

  it("one with a smaller window gets the past shortened to its own measure", async () => {
    const small = pastWorld({ script: [summary], facts: { window: 8_000 } }).model
    const world = longPast(
      pastWorld({ ports: { settings: () => ({ threshold: 0.8, model: "cheap" }), summariser: () => small } }),
    )
    expect(await world.condensed()).toMatchObject({ how: "summary" })
    expect(allText(small.requests[0]?.messages ?? []).length).toBeLessThan(8_000 * 5)
    expect(allText(small.requests[0]?.messages ?? [])).toContain(GOAL)
  })
})

describe("when the summary does not help", () => {
  const refused = reply(fails("bad-request", { retryable: false }))
  it.each([
    ["it fails for good", [refused], 1],
    ["it fails for a while", [reply(fails("rate-limit")), reply(fails("overloaded"))], 2],
    ["it is empty", [reply(words("")), reply(words("ok"))], 2],
    ["it is only a call", [reply(call("look", { path: "a" })), reply(call("look", { path: "a" }))], 2],
    ["it is as long as what it replaces", [reply(words(filler(12_000))), reply(words(filler(12_000)))], 2],
    ["the summariser itself overflows", [reply(fails("context-overflow")), reply(fails("context-overflow"))], 2],
    [
      "the connection breaks",
      [[words("The parser is being made linear and")], [words("The parser is being made linear and")]],
      2,
    ],
    ["it never ends", [[...Array.from({ length: 400 }, () => words(filler(400)))], [words(filler(400_000))]], 2],
  ])("%s: old results are shortened without it", async (_, script, requests) => {
    const world = longPast(pastWorld({ script }))
    const event = await world.condensed()
    expect(event.how).toBe("truncation")
    expect(world.model.requests).toHaveLength(requests)
    expect(event.tokensAfter).toBeLessThan(event.tokensBefore * 0.9)
    expect(allText(event.messages)).toContain(GOAL)
    expect(allText(event.messages)).toMatch(/Joey shortened this old result: \d+ of \d+ characters left out/)
    expect(await world.condense()).toEqual({ kind: "fits" })
  })

  it("a second attempt works: the first one's tokens are counted too", async () => {
    const world = longPast(pastWorld({ script: [reply(used(100, 1), fails("rate-limit")), summary] }))
    expect(await world.condensed()).toMatchObject({ how: "summary", usage: { inputTokens: 9_100, outputTokens: 41 } })
  })

  it("where even short results are too many, the oldest turns go, and that is said", async () => {
    const world = longPast(pastWorld({ script: [refused], facts: { window: 20_000 } }), 0)
    for (let turn = 1; turn <= 120; turn++) world.turn({ text: `step ${turn} ${filler(100)}`, result: "ok" })
    world.begin()
    const event = await world.condensed()
    expect(allText(event.messages)).toMatch(/\d+ earlier turns were left out here without a summary/)
    expect(allText(event.messages)).toContain("step 120 ")
    expect(allText(event.messages)).not.toContain("step 1 ")
    expect(allText(event.messages)).toContain(GOAL)
  })

  it("an earlier summary is not lost by it", async () => {
    const world = longPast(pastWorld({ script: [summary, refused] }))
    await world.condensed()
    for (let turn = 0; turn < 14; turn++) world.turn({ result: filler(1_000) })
    const event = await world.condensed()
    expect(event.how).toBe("truncation")
    expect(allText(event.messages)).toContain(NOTES)
  })

  it("after three in a row no more summaries are bought: each turn fills the window again", async () => {
    const world = longPast(pastWorld({ script: Array.from({ length: 9 }, () => summary) }))
    const how: string[] = []
    for (let turn = 0; turn < 5; turn++) {
      how.push((await world.condensed()).how)
      world.turn({ text: filler(14_000), result: "ok" })
    }
    expect(how).toEqual(["summary", "summary", "summary", "truncation", "truncation"])
  })
})

it("a model that never sums up is asked in three condensings, and again when the person has spoken", async () => {
  const world = longPast(pastWorld({ script: () => reply(fails("bad-request", { retryable: false })) }))
  const asked: number[] = []
  for (let time = 0; time < 6; time++) {
    if (time === 5) world.say("Go on.")
    const before = world.model.requests.length
    await world.condensed()
    asked.push(world.model.requests.length - before)
    for (let turn = 0; turn < 16; turn++) world.turn({ result: filler(1_000) })
    world.begin()
  }
  expect(asked).toEqual([1, 1, 1, 0, 0, 1])
})

describe("no loop", () => {
  it("a prompt that fills the window stops the task with a reason that names it, and asks no model", async () => {
    const world = longPast(pastWorld({ script: [summary], system: filler(19_000) }))
    const condensing = await world.condense()
    expect(condensing.kind === "stuck" && condensing.reason).toMatch(
      /^The window of script\/one, 20000 tokens, is too small to go on: the system prompt and the tools take \d+, the reply 2000\. Choose/,
    )
    expect(world.model.requests).toEqual([])
  })

  it("pinned items that fill the window are named too", async () => {
    const world = longPast(pastWorld({ script: [summary] }), 16)
    for (let turn = 1; turn <= 16; turn++) world.record({ type: "pinned", item: `${turn}.1`, pinned: true })
    const condensing = await world.condense()
    expect(condensing.kind === "stuck" && condensing.reason).toMatch(/pinned items \d+\. .*unpin something/)
  })

  it("an overflow of a model whose window is smaller than it says: it is remembered, and the past stays below it", async () => {
    const world = longPast(pastWorld({ script: [summary, summary], facts: { window: 200_000 } }))
    expect(await world.condense()).toEqual({ kind: "fits" })
    const first = await world.condensed("overflow")
    expect(first.tokensAfter).toBeLessThan(first.tokensBefore * 0.7)
    for (let turn = 0; turn < 12; turn++) world.turn({ result: filler(1_000) })
    expect(await world.condensed("threshold")).toMatchObject({ how: "summary" })
  })
})

describe("asked for by the person", () => {
  it("shortens well below the threshold", async () => {
    const world = longPast(pastWorld({ script: [summary], facts: { window: 200_000 } }), 24)
    expect(await world.condensed("person")).toMatchObject({ by: "person", how: "summary" })
    const small = longPast(pastWorld({ script: [summary], facts: { window: 1_000_000 } }), 6)
    const { tokensBefore, tokensAfter } = await small.condensed("person")
    expect(tokensAfter).toBeLessThan(tokensBefore * 0.9)
  })

  it("says that there is nothing to shorten, or why nothing was, and leaves the past alone", async () => {
    expect(await longPast(pastWorld(), 1).condense("person")).toEqual({ kind: "fits" })
    const failing = longPast(pastWorld({ script: [reply(fails("auth", { retryable: false, message: "wrong key" }))] }))
    expect(await failing.condense("person")).toEqual({ kind: "stuck", reason: "Nothing was shortened: wrong key." })
  })
})

describe("what is said and taken out while the summary is written", () => {
  it("an item the person drops meanwhile is in no part of what is kept", async () => {
    let drop = () => {}
    const script = () => {
      drop()
      return reply(words(NOTES), chunks())
    }
    const world = longPast(pastWorld({ script }))
    const state = world.state()
    let dropped = false
    drop = () => {
      if (dropped) return
      dropped = true
      world.record({ type: "dropped", item: "16.1" })
      state.messages = world.state().messages
    }
    const event = await world.condensed("threshold", { state })
    expect(world.model.requests).toHaveLength(2)
    expect(allText(event.messages)).not.toContain("result 16 ")
    expect(allText(event.messages)).toContain("The person took this out.")
  })

  it("a cancel ends it without an event", async () => {
    const stop = new AbortController()
    const world = longPast(
      pastWorld({
        script: () => {
          stop.abort()
          return summary
        },
      }),
    )
    expect(await world.condense("threshold", {}, stop.signal)).toEqual({ kind: "fits" })
  })
})
