/** The judges of the properties, each shown something wrong: a judge that sees nothing would let everything pass. */
import { describe, expect, it } from "vitest"
import type { Reply } from "../../src/stream/assistant-message.ts"
import type { Chunk } from "../../src/types/chunk.ts"
import type { DurableEvent, Recorded } from "../../src/types/event.ts"
import type { AssistantPart, ReceivedCall } from "../../src/types/message.ts"
import { random } from "../random.ts"
import { damaged } from "./damage.ts"
import { interleave } from "./dialect.ts"
import { logProblems } from "./loop-invariants.ts"
import { differenceFrom, inputIn, isTooDeep, type MeantReply } from "./meant-reply.ts"
import { chunkProblem, readChunks, replyProblem, splitBytes } from "./reading.ts"

const partial = (text: string): Chunk => ({ type: "tool_call_partial", index: 0, id: "a", name: "look", arguments: text })
const end: Chunk = { type: "end", reason: "stop" }

describe("what must hold of a reply", () => {
  const chunks = [{ type: "text", text: "I look." } as const, partial('{"path":"a"}'), end]
  const reply = readChunks(chunks)
  const withCall = (change: Partial<ReceivedCall>): Reply => {
    const calls = reply.calls.map((call) => ({ ...call, ...change }))
    const parts: AssistantPart[] = [{ type: "text", text: "I look." }, ...calls.map((call) => ({ type: "call" as const, call }))]
    return { ...reply, calls, message: { ...reply.message, parts } }
  }

  it("holds for one that was read", () => {
    expect(replyProblem(chunks, reply)).toBeUndefined()
    expect(chunkProblem(chunks)).toBeUndefined()
  })
  it("sees an input that was not sent, a call without an id, and text that is missing", () => {
    expect(replyProblem(chunks, withCall({ input: { path: "b" } }))).toContain("not what")
    expect(replyProblem(chunks, withCall({ id: " " }))).toContain("without an id")
    expect(replyProblem([{ type: "text", text: "Well. " }, ...chunks], reply)).toContain("the text is")
  })
  it("sees calls that survive a fault", () => {
    expect(replyProblem(chunks, { ...reply, fault: { kind: "server", message: "", retryable: true } })).toContain("after a fault")
  })
  it("sees an end that is missing, or not the last", () => {
    expect(chunkProblem([partial("{}")])).toBeDefined()
    expect(chunkProblem([end, partial("{}")])).toBeDefined()
  })
})

describe("what was meant", () => {
  const meant = (text: string, finish: string | null = "stop"): MeantReply => ({
    parts: [{ call: { name: "look", id: "a", text } }],
    finish,
    done: finish !== null,
  })

  it("differs from what was read when a text, a tool or the verdict is another one", () => {
    const reply = readChunks([partial('{"a":1}'), end])
    expect(differenceFrom(meant('{"a":1}'), reply, false)).toBeUndefined()
    expect(differenceFrom(meant('{"a":2}'), reply, false)).toContain("the input")
    expect(differenceFrom(meant('{"a":1'), reply, false)).toContain("count as sound")
    expect(differenceFrom(meant('{"a":1', null), reply, false)).toContain("should have been refused")
    expect(differenceFrom({ ...meant("{}"), parts: [] }, reply, false)).toBeDefined()
  })
  it("reads argument text by the rules: nothing and null are empty, once encoded is decoded, anything else is no input", () => {
    expect([" ", "null", '"{}"', '""', "{}"].map(inputIn)).toEqual([{}, {}, {}, {}, {}])
    expect(["[1]", "7", '"x"', "{", "{}}"].map(inputIn)).toEqual([undefined, undefined, undefined, undefined, undefined])
    const deep = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
    expect([isTooDeep(deep(512)), isTooDeep(deep(513)), isTooDeep(`{"a":"${"[".repeat(2_000)}"}`)]).toEqual([false, true, false])
  })
})

describe("what must hold of a log", () => {
  const call = { key: "1.1", id: "a", name: "jot", input: {} }
  const replied: DurableEvent = {
    type: "replied",
    turn: 1,
    message: { role: "assistant", parts: [{ type: "call", call }], model: "m" },
    end: "stop",
  }
  const started: DurableEvent = { type: "call-started", callKey: "1.1", tool: "jot", effect: "write" }
  const finished: DurableEvent = {
    type: "call-finished",
    callKey: "1.1",
    tool: "jot",
    result: "done",
    content: [{ type: "text", text: "ok" }],
  }
  const over: DurableEvent = {
    type: "task-finished",
    ending: { reason: "cancelled" },
    usage: { inputTokens: 0, outputTokens: 0 },
    tools: {},
  }
  const begun: DurableEvent[] = [
    { type: "task-started", version: 1, task: "t", workspace: "/w", mode: "code", model: "m", protocol: "native" },
    { type: "said", by: "person", content: [{ type: "text", text: "Go." }] },
    { type: "turn-started", turn: 1 },
    replied,
  ]
  const log = (...events: DurableEvent[]): Recorded[] =>
    [...begun, ...events].map((event, place) => ({ seq: place + 1, at: "", ...event }))

  it("holds for one that is in order", () => {
    expect(logProblems(log(started, finished, over), "yes")).toEqual([])
  })
  it.each<[string, DurableEvent[]]>([
    ["a call that is started twice", [started, started, finished, over]],
    ["a call that is finished twice", [started, finished, finished, over]],
    ["an end before the last result", [started, over]],
    ["work after the end", [started, finished, over, { type: "turn-started", turn: 2 }]],
  ])("sees %s", (_, events) => expect(logProblems(log(...events), "yes")).not.toEqual([]))
  it("sees a call that began without the yes it needed, and a gap in the numbers", () => {
    expect(logProblems(log(started, finished, over), "default")).toEqual(["jot (1.1) began without a yes"])
    expect(logProblems(log(started, finished, over).slice(1), "yes")).not.toEqual([])
  })
})

describe("accidents", () => {
  it("mix lists without changing the order within any of them", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const mixed = interleave([["a1", "a2", "a3"], ["b1", "b2"], ["c1"]], random(seed))
      expect(mixed).toHaveLength(6)
      for (const list of ["a", "b"])
        expect(mixed.filter((item) => item.startsWith(list))).toEqual(mixed.filter((item) => item.startsWith(list)).sort())
    }
  })
  it("happen to most transcripts, and the same ones for the same seed", () => {
    const frames = ["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]
    const made = Array.from({ length: 60 }, (_, seed) => Buffer.from(damaged(random(seed), frames, [])).toString())
    expect(new Set(made).size).toBeGreaterThan(30)
    expect(Buffer.from(damaged(random(7), frames, [])).toString()).toBe(made[7])
  })
  it("split bytes into pieces that give them back", () => {
    const bytes = Buffer.from("some bytes that are cut anywhere")
    for (let seed = 1; seed <= 50; seed++) expect(Buffer.concat(splitBytes(random(seed), bytes))).toEqual(bytes)
  })
})
