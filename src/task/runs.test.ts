/** One run at a time; a start behind a cancel is kept until that has wound down; whatever goes wrong is an ending. */
import { describe, expect, it } from "vitest"
import { signpost } from "../../test/replies.ts"
import type { Ending } from "../types/event.ts"
import { FaultError } from "../types/fault.ts"
import { endingOf, runs } from "./runs.ts"

const CANCELLED: Ending = { reason: "cancelled" }
const storage = new FaultError({ kind: "storage", message: "the disk is full", retryable: false })

/** Runs that last until they are let go, and what was told of their ends. */
function stage(run: (signal: AbortSignal) => Promise<Ending> = async () => CANCELLED) {
  const begun: AbortSignal[] = []
  const ends: string[] = []
  const gates: ReturnType<typeof signpost>[] = []
  const under = runs(
    async () => {
      const gate = signpost()
      gates.push(gate)
      begun.push(under.signal)
      await gate.passed
      return run(under.signal)
    },
    async (ending, startAgain) => {
      ends.push(`${ending.reason}${startAgain ? ", again" : ""}`)
    },
  )
  const letGo = async () => {
    gates.at(-1)?.pass()
    await under.idle()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { ...under, under, begun, ends, letGo }
}

describe("one at a time", () => {
  it("a start while one runs begins no other, and is not kept", async () => {
    const { start, begun, ends, letGo, under } = stage()
    start()
    start()
    expect(under.running).toBe(true)
    await letGo()
    expect(begun).toHaveLength(1)
    expect(ends).toEqual(["cancelled"])
    expect(under.running).toBe(false)
  })

  it("each run has a signal of its own", async () => {
    const { start, stop, begun, letGo } = stage()
    start()
    stop(new Error("enough"))
    await letGo()
    start()
    expect(begun.map(({ aborted }) => aborted)).toEqual([true, false])
    await letGo()
  })

  it("a stop with nothing to stop does not spoil the next run", async () => {
    const { start, stop, begun, letGo } = stage()
    stop(new Error("nothing"))
    start()
    expect(begun[0]?.aborted).toBe(false)
    await letGo()
  })
})

describe("a start behind a cancel", () => {
  it("is told when the run has wound down, unless another cancel follows", async () => {
    const { start, stop, ends, letGo } = stage()
    start()
    stop(new Error("enough"))
    start()
    await letGo()
    start()
    stop(new Error("enough"))
    start()
    stop(new Error("really"))
    await letGo()
    expect(ends).toEqual(["cancelled, again", "cancelled"])
  })
})

describe("what goes wrong", () => {
  it("S25: a fault stays that fault, anything else is a defect with its stack for the log", async () => {
    expect(endingOf(storage)).toEqual({ reason: "fault", fault: storage.fault })
    const defect = endingOf(new TypeError("x is undefined"))
    expect(defect).toMatchObject({
      reason: "fault",
      fault: { kind: "defect", detail: expect.stringContaining("x is undefined") },
    })
    expect(JSON.stringify(defect)).not.toMatch(/"message":"[^"]*x is undefined/)
    expect(endingOf("words")).toMatchObject({ fault: { detail: "words" } })
  })

  it("S25: a run that throws ends with a fault, and one stopped by a fault ends with that fault", async () => {
    const throwing = stage(() => Promise.reject(new Error("boom")))
    throwing.start()
    await throwing.letGo()
    expect(throwing.ends).toEqual(["fault"])
    const stopped = stage()
    stopped.start()
    stopped.stop(storage)
    await stopped.letGo()
    expect(stopped.ends).toEqual(["fault"])
  })
})
