import { expect, it } from "vitest"
import type { Chunk } from "../types/chunk.ts"
import type { Fault } from "../types/fault.ts"
import type { Model } from "../types/model.ts"
import { lateModel } from "./late-model.ts"

const request = { system: "", messages: [], tools: [] }
const never = new AbortController().signal

function model(nativeTools?: boolean): Model {
  return {
    id: "v/m",
    facts: { known: true, window: 1, images: false, edits: "blocks", ...(nativeTools !== undefined && { nativeTools }) },
    endsSilently: false,
    async *stream() {
      yield [{ type: "end", reason: "stop" }]
    },
  }
}

async function collect(from: Model, signal = never): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const read of from.stream(request, signal)) chunks.push(...read)
  return chunks
}

it("prepares once, when it is first wanted, and knows more from then on", async () => {
  let prepared = 0
  const late = lateModel(model(), async () => {
    prepared++
    return model(false)
  })
  expect([prepared, late.facts.nativeTools]).toEqual([0, undefined])
  await Promise.all([late.ready?.(never), late.ready?.(never)])
  expect(late.facts.nativeTools).toBe(false)
  expect(await collect(late)).toEqual([{ type: "end", reason: "stop" }])
  expect(prepared).toBe(1)
})

it("meets its fault as any other, and is prepared anew the next time", async () => {
  const fault: Fault = { kind: "auth", message: "no key", retryable: false }
  const outcomes = [fault, model()]
  const late = lateModel(model(), async () => outcomes.shift() ?? model())
  expect(await collect(late)).toEqual([{ type: "fail", fault }])
  expect(await collect(late)).toEqual([{ type: "end", reason: "stop" }])
})

it("a task that is cancelled does not wait for it, and does not call it off for others", async () => {
  let finish = (_: Model): void => {}
  const late = lateModel(model(), () => new Promise((resolve) => (finish = resolve)))
  const cancel = new AbortController()
  const [gone, stays] = [collect(late, cancel.signal), collect(late)]
  await new Promise((resolve) => setImmediate(resolve))
  cancel.abort()
  expect(await gone).toEqual([])
  finish(model())
  expect(await stays).toEqual([{ type: "end", reason: "stop" }])
})

it("is prepared anew after it could not even be tried", async () => {
  let tries = 0
  const late = lateModel(model(), async () => {
    if (++tries === 1) throw new Error("no disk")
    return model()
  })
  await expect(collect(late)).rejects.toThrow("no disk")
  expect(await collect(late)).toEqual([{ type: "end", reason: "stop" }])
})
