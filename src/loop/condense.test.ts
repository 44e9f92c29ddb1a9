import { describe, expect, it } from "vitest"
import { allText, filler } from "../../test/past-world.ts"
import { call, fails, type Reply, reply, used, words } from "../../test/replies.ts"
import { taskWorld, textOf, type World, type WorldOptions } from "../../test/task-harness.ts"
import { createCondenser } from "../context/condense.ts"
import { foldLog } from "../task/fold.ts"
import { livingEvents } from "../task/rewind.ts"
import type { Message } from "../types/message.ts"
import type { ModelRequest } from "../types/model.ts"

const GOAL = "Make the parser linear."
const NOTES = "The parser is being made linear; the tokenizer copied its input. Next: measure it once more."

const condensing: NonNullable<WorldOptions["around"]> = (stations, events) => {
  const condenser = createCondenser({
    settings: () => ({ threshold: 0.8 }),
    summariser: () => undefined,
    events: () => livingEvents(events()),
    describe: async () => undefined,
    keep: async () => undefined,
    sleep: async () => {},
  })
  const see: typeof stations.policy.see = (event) => {
    stations.policy.see(event)
    condenser.see(event)
  }
  return { ...stations, condenser, policy: { ...stations.policy, see } }
}

const lastText = ({ messages }: { messages: readonly Message[] }) => allText(messages.slice(-1))
const wantsSummary = (request: { messages: readonly Message[] }) =>
  lastText(request).startsWith("[From Joey, not from the person]")

/** A model with a window of 32 K that looks at a long file `looks` times and hands in; whatever `summary` says sums up. */
function longWorld(
  options: WorldOptions & {
    looks?: number
    summary?: () => Reply
    replyTo?(request: ModelRequest, turn: number): Reply | undefined
  },
): World {
  const { looks = 14, summary = () => reply(words(NOTES), used(20_000, 60)), replyTo, ...rest } = options
  let turn = 0
  const script = (request: ModelRequest): Reply => {
    if (wantsSummary(request)) return summary()
    turn++
    const own = replyTo?.(request, turn)
    if (own) return own
    return turn > looks
      ? reply(words("All is done."))
      : reply(words(`step ${turn}`), call("look", { path: `long${turn % 3}.txt` }))
  }
  const files = Object.fromEntries([0, 1, 2].map((at) => [`long${at}.txt`, filler(3_000)]))
  return taskWorld({ script, files, around: condensing, reminders: 0, ...rest })
}

const requestsOf = (world: World) => world.model.requests.filter((request) => !wantsSummary(request))

describe("before a request", () => {
  it("the past is condensed once the window fills, and the task goes on to its end", async () => {
    const world = longWorld({})
    const opening = world.open()
    expect(await opening.run(GOAL)).toMatchObject({ reason: "answered" })
    const events = opening.recorded("condensed")
    expect(events.length).toBeGreaterThan(0)
    for (const request of requestsOf(world)) expect(allText(request.messages)).toContain(GOAL)
    expect(allText(requestsOf(world).at(-1)?.messages ?? [])).toContain(NOTES)
  })

  it("between two condensings each request only adds to the one before it", async () => {
    const world = longWorld({})
    const opening = world.open()
    await opening.run(GOAL)
    let changes = 0
    for (const [at, request] of requestsOf(world).entries()) {
      const before = requestsOf(world)[at - 1]
      if (!before) continue
      const kept = JSON.stringify(request.messages.slice(0, before.messages.length)) === JSON.stringify(before.messages)
      if (!kept) changes++
    }
    expect(changes).toBe(opening.recorded("condensed").length)
  })

  it("hooks say what must not be lost, only when something is condensed", async () => {
    let asked = 0
    const beforeCondense = async () => ({ notes: [`note ${++asked}`] })
    const world = longWorld({ hooks: { beforeCondense } })
    const opening = world.open()
    await opening.run(GOAL)
    expect(asked).toBe(opening.recorded("condensed").length)
    expect(allText(world.model.requests.filter(wantsSummary)[0]?.messages.slice(-1) ?? [])).toContain("note 1")
  })

  it("a person's wish is heeded before the next request, and answered when there is nothing to shorten", async () => {
    const world = longWorld({ looks: 1 })
    const opening = world.open()
    opening.task.send({ type: "condense" })
    await opening.run(GOAL)
    expect(opening.recorded("notice").map(({ text }) => text)).toContain("There is nothing to shorten yet.")
    expect(opening.recorded("condensed")).toEqual([])
  })

  it("a prompt that leaves no room pauses the task with a line that says why", async () => {
    const world = longWorld({
      around: (stations, events) => {
        const prompt = { ...stations.prompt, system: async () => filler(30_000) }
        return condensing({ ...stations, prompt }, events)
      },
    })
    const ending = await world.open().run(GOAL)
    expect(ending).toMatchObject({ reason: "fault", fault: { kind: "context-overflow" } })
    expect(ending.reason === "fault" && ending.fault.message).toMatch(
      /^The window of script\/one.* the system prompt and the tools take \d{5}/,
    )
    expect(world.model.requests).toEqual([])
  })
})

describe("a model that says it is too much", () => {
  const overflow = reply(fails("context-overflow", { retryable: false, message: "too long" }))

  it("gets a shorter past, in the same turn", async () => {
    let refused = false
    const world = longWorld({
      looks: 6,
      replyTo: (_, turn) => {
        if (turn !== 6 || refused) return undefined
        refused = true
        return overflow
      },
    })
    const opening = world.open()
    expect(await opening.run(GOAL)).toMatchObject({ reason: "answered" })
    const [event] = opening.recorded("condensed")
    expect(event).toMatchObject({ by: "overflow", how: "summary" })
    expect(opening.recorded("request-failed")).toMatchObject([{ fault: { kind: "context-overflow" }, retryInMs: 0 }])
    const turns = opening.recorded("turn-started").map(({ turn }) => turn)
    expect(new Set(turns).size).toBe(turns.length)
  })

  it("and says so however short it is: twice in a turn, then the task pauses with what the model said", async () => {
    const world = longWorld({ looks: 6, replyTo: (_, turn) => (turn >= 6 ? overflow : undefined) })
    const opening = world.open()
    const ending = await opening.run(GOAL)
    expect(ending).toMatchObject({ reason: "fault", fault: { kind: "context-overflow" } })
    expect(opening.recorded("condensed").length).toBeLessThanOrEqual(2)
    expect(requestsOf(world).length).toBeLessThanOrEqual(6 + 2)
  })

  it("without a condenser it is the fault it was", async () => {
    const world = longWorld({
      looks: 6,
      around: (stations) => stations,
      replyTo: (_, turn) => (turn === 3 ? overflow : undefined),
    })
    expect(await world.open().run(GOAL)).toMatchObject({ reason: "fault", fault: { message: "too long" } })
  })
})

describe("the log", () => {
  it("a summariser that never shrinks or always fails does not keep the task from its end", async () => {
    for (const summary of [() => reply(words(filler(40_000))), () => reply(fails("server"))]) {
      const world = longWorld({ looks: 30, summary })
      const opening = world.open()
      expect(await opening.run(GOAL)).toMatchObject({ reason: "answered" })
      expect(new Set(opening.recorded("condensed").map(({ how }) => how))).toEqual(new Set(["truncation"]))
      for (const request of requestsOf(world)) expect(allText(request.messages)).toContain(GOAL)
    }
  })

  it("killed right after it: the task goes on from the condensed past, and nothing is condensed again", async () => {
    const world = longWorld({})
    const opening = world.open()
    await opening.run(GOAL)
    const line = world.log().findIndex(({ type }) => type === "condensed")
    const killed = world.killed({ lines: line + 1 })
    const asked = killed.model.requests.length
    const again = killed.open()
    again.task.send({ type: "continue" })
    await again.ending()
    const next = killed.model.requests[asked]
    expect(next && wantsSummary(next)).toBe(false)
    expect(allText(next?.messages ?? [])).toContain(NOTES)
  })

  it("killed right before it: it is condensed then, and only once", async () => {
    const world = longWorld({})
    await world.open().run(GOAL)
    const line = world.log().findIndex(({ type }) => type === "condensed")
    const killed = world.killed({ lines: line })
    const again = killed.open()
    again.task.send({ type: "continue" })
    await again.next("condensed")
    const { messages } = foldLog(killed.log())
    expect(allText(messages)).toContain(GOAL)
  })

  it("a rewind crosses a condensing: the model sees again what was there before, and the summary stays paid", async () => {
    const world = longWorld({})
    await world.open().run(GOAL)
    const events = world.log()
    const condensed = events.find((event) => event.type === "condensed")
    const to = (condensed?.seq ?? 0) - 1
    const rewound = foldLog([...events, { type: "rewound", to, reason: "", seq: events.length + 1, at: "" }])
    expect(rewound.messages).toEqual(foldLog(events.filter(({ seq }) => seq <= to)).messages)
    expect(rewound.usage).toEqual(foldLog(events).usage)
  })

  it("a cancel while the summary is written leaves no trace of it", async () => {
    let stop = () => {}
    const world = longWorld({
      summary: () => {
        stop()
        return reply(words(NOTES))
      },
    })
    const opening = world.open()
    stop = () => opening.task.send({ type: "cancel" })
    expect(await opening.run(GOAL)).toEqual({ reason: "cancelled" })
    expect(opening.recorded("condensed")).toEqual([])
    const results = opening.recorded("call-finished").map((event) => textOf(event).length)
    expect(results.length).toBe(opening.recorded("replied").length)
  })
})
