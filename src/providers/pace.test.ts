import { describe, expect, it } from "vitest"
import type { Chunk } from "../types/chunk.ts"
import type { Fault, FaultKind } from "../types/fault.ts"
import type { Model, Waiting } from "../types/model.ts"
import { type Paces, paces } from "./pace.ts"

const facts = { known: true, window: 1, images: false, edits: "blocks" } as const
const request = { system: "", messages: [], tools: [] }
const end: Chunk = { type: "end", reason: "stop" }
const fail = (kind: FaultKind, retryAfterMs?: number): Chunk => {
  const fault: Fault = { kind, message: "slower, please", retryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  return { type: "fail", fault }
}
/** Lets everything happen that need not wait. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A server of our own making: replies are answered by hand. */
function server() {
  const asked: { name: string; answer(chunk: Chunk, more?: boolean): void }[] = []
  const model: Model = {
    id: "v/m",
    facts,
    endsSilently: false,
    async *stream({ system: name }, signal) {
      for (let more = true; more && !signal.aborted; ) {
        const chunk = await new Promise<Chunk | undefined>((resolve) => {
          signal.addEventListener("abort", () => resolve(undefined))
          asked.push({
            name,
            answer(given, goesOn = false) {
              more = goesOn
              resolve(given)
            },
          })
        })
        if (chunk) yield [chunk]
      }
    },
  }
  return { model, asked, names: () => asked.map(({ name }) => name) }
}

interface Timer {
  at: number
  act(): void
}

/** Time that passes only when told to. */
function world() {
  let now = 1_000_000
  const timers = new Set<Timer>()
  const pace = paces({
    now: () => now,
    later(ms, act) {
      const timer = { at: now + ms, act }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  })
  async function pass(ms: number): Promise<void> {
    await settled()
    now += ms
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.act()
    await settled()
  }
  return { pace, pass, timers, now: () => now }
}

function ask(model: Model, name: string) {
  const cancel = new AbortController()
  const waits: Waiting[] = []
  const chunks: Chunk[] = []
  const stream = model.stream({ ...request, system: name }, cancel.signal, (waiting) => waits.push(waiting))
  const done = (async () => {
    for await (const read of stream) chunks.push(...read)
    return chunks
  })()
  return { cancel, waits, chunks, done }
}

const kept = (pace: Paces, model: Model, atOnce = 8, key = "k") => pace.keep(model, { server: "https://s", key, atOnce })

describe("one pace for a server and a key", () => {
  it("lets so many ask at once, across models, and the others in the order in which they came", async () => {
    const { pace } = world()
    const there = server()
    const [one, other] = [kept(pace, there.model, 2), kept(pace, there.model, 2)]
    const all = ["a", "b", "c", "d"].map((name, at) => ask(at % 2 ? one : other, name))
    await settled()
    expect(there.names()).toEqual(["a", "b"])
    expect(all[2]?.waits).toEqual([{ for: "turn", sinceMs: 1_000_000 }])
    there.asked[1]?.answer(end)
    await settled()
    expect(there.names()).toEqual(["a", "b", "c"])
    there.asked[0]?.answer(end)
    await settled()
    expect(there.names()).toEqual(["a", "b", "c", "d"])
    for (const { answer } of there.asked.slice(2)) answer(end)
    expect(await Promise.all(all.map(({ done }) => done))).toEqual([[end], [end], [end], [end]])
  })

  it("who has another key, or asks elsewhere, does not wait", async () => {
    const { pace } = world()
    const there = server()
    const models = [
      kept(pace, there.model, 1),
      kept(pace, there.model, 1, "other"),
      pace.keep(there.model, { server: "https://t" }),
    ]
    for (const [at, model] of models.entries()) ask(model, String(at))
    await settled()
    expect(there.names()).toEqual(["0", "1", "2"])
  })

  it("after a limit nobody asks before the server's pause is over; then one goes first, and its answer lets the others in", async () => {
    const { pace, pass, now } = world()
    const there = server()
    const model = kept(pace, there.model)
    const first = ask(model, "first")
    await settled()
    there.asked[0]?.answer(fail("rate-limit", 5_000))
    await first.done
    const others = ["a", "b", "c"].map((name) => ask(model, name))
    await settled()
    expect(there.names()).toEqual(["first"])
    expect(others[0]?.waits).toEqual([{ for: "turn", sinceMs: now(), untilMs: now() + 5_000 }])
    await pass(4_999)
    expect(there.names()).toEqual(["first"])
    await pass(1)
    expect(there.names()).toEqual(["first", "a"])
    there.asked[1]?.answer({ type: "text", text: "hi" }, true)
    await settled()
    expect([...new Set(there.names())]).toEqual(["first", "a", "b", "c"])
  })

  it("those who wait already hear of a pause that begins meanwhile", async () => {
    const { pace, pass, now } = world()
    const there = server()
    const model = kept(pace, there.model, 1)
    ask(model, "a")
    const waiting = ask(model, "b")
    await settled()
    there.asked[0]?.answer(fail("overloaded", 2_000))
    await settled()
    expect(waiting.waits.at(-1)).toMatchObject({ for: "turn", untilMs: now() + 2_000 })
    expect(there.names()).toEqual(["a"])
    await pass(2_000)
    expect(there.names()).toEqual(["a", "b"])
  })

  it("a pause that is not worth waiting for is everybody's fault at once, with what is left of it", async () => {
    const { pace, pass } = world()
    const there = server()
    const model = kept(pace, there.model, 1)
    const [first, waiting] = [ask(model, "a"), ask(model, "b")]
    await settled()
    there.asked[0]?.answer(fail("rate-limit", 60_000))
    await first.done
    expect(await waiting.done).toEqual([fail("rate-limit", 60_000)])
    await pass(20_000)
    expect(await ask(model, "c").done).toEqual([fail("rate-limit", 40_000)])
    await pass(30_000)
    ask(model, "d")
    await pass(10_000)
    expect(there.names()).toEqual(["a", "d"])
  })

  it("a pause of hours is not kept: whoever is sent on by the person asks again", async () => {
    const { pace } = world()
    const there = server()
    const model = kept(pace, there.model)
    const first = ask(model, "a")
    await settled()
    there.asked[0]?.answer(fail("rate-limit", 3_600_000))
    await first.done
    ask(model, "b")
    await settled()
    expect(there.names()).toEqual(["a", "b"])
  })

  it.each<FaultKind>(["quota", "network", "server", "auth"])("a %s holds nobody up", async (kind) => {
    const { pace } = world()
    const there = server()
    const model = kept(pace, there.model)
    const first = ask(model, "a")
    await settled()
    there.asked[0]?.answer(fail(kind, 5_000))
    await first.done
    for (const name of ["b", "c"]) ask(model, name)
    await settled()
    expect(there.names()).toEqual(["a", "b", "c"])
  })

  it("whoever is cancelled leaves the queue, and whoever is cancelled while it asks makes room", async () => {
    const { pace, timers } = world()
    const there = server()
    const model = kept(pace, there.model, 1)
    const [asking, gone, next] = ["a", "b", "c"].map((name) => ask(model, name))
    await settled()
    gone?.cancel.abort()
    expect(await gone?.done).toEqual([])
    asking?.cancel.abort()
    await settled()
    expect(there.names()).toEqual(["a", "c"])
    there.asked[1]?.answer(fail("rate-limit", 5_000))
    await next?.done
    const late = ask(model, "d")
    await settled()
    expect(timers.size).toBe(1)
    late.cancel.abort()
    expect(await late.done).toEqual([])
    expect(timers.size).toBe(0) // nothing keeps the process alive
  })

  it("sends at once, before the first chunk is asked for, when nobody is in the way", () => {
    const { pace } = world()
    let sent = 0
    const model: Model = {
      id: "v/m",
      facts,
      endsSilently: false,
      stream() {
        sent++
        return (async function* () {})()
      },
    }
    kept(pace, model).stream(request, new AbortController().signal)
    expect(sent).toBe(1)
  })
})
