/** Events → one story: who said what, what came of each call, what was used. */
import { describe, expect, it } from "vitest"
import { finished, part, ran, recorded, replied, said, started, text, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { type Reply, transcriptOf } from "./transcript.ts"

const USAGE = { inputTokens: 100, outputTokens: 10, cost: 0.25 }
const read = (...events: DurableEvent[]) => transcriptOf(recorded([started(), said("go"), ...events]))
const callsOf = (...events: DurableEvent[]) =>
  read(...events)
    .entries.filter((entry): entry is Reply => entry.kind === "reply")
    .flatMap(({ parts }) => parts.filter((one) => one.type === "call"))

describe("a transcript", () => {
  it("tells the task, its ending, and what was used", () => {
    const told = read(...turn(1, "hi", { key: "1.1", name: "look" }, USAGE), finished("done", USAGE))
    expect(told).toMatchObject({
      title: "go",
      workspace: "/home/someone/shop",
      mode: "code",
      turns: 1,
      usage: USAGE,
      tools: { look: { attempts: 1, failures: 0 } },
      ending: { reason: "accepted" },
      waiting: 0,
    })
    expect(told.entries.map(({ kind }) => kind)).toEqual(["said", "reply", "ending"])
  })

  it("joins each call with its approval, its result and its time", () => {
    const made = { key: "1.1", name: "jot", input: { path: "a" }, says: "written" }
    const question = {
      kind: "approve",
      callKey: "1.1",
      tool: "jot",
      digest: "d",
      reason: "it writes",
      show: { kind: "title", text: "x" },
      always: { covers: "c", grant: "g" },
    } as const
    const [call] = callsOf(
      ...replied(1, [part(made)]),
      { type: "asked", id: "q", question },
      { type: "answered", id: "q", answer: { kind: "yes" }, by: "me" },
      ...ran(made),
      { type: "call-finished", callKey: "1.1", tool: "jot", result: "failed", content: text("a second result") },
    )
    expect(call).toMatchObject({
      status: "done",
      content: text("written"),
      effect: "write",
      tookMs: 1000,
      asked: [{ question, answer: { kind: "yes" }, by: "me" }],
    })
    expect(call).not.toHaveProperty("startedAt")
  })

  it("keeps a call that nothing came of, and one that could not be read", () => {
    const malformed = { problem: "it ends", offset: 1, excerpt: "", raw: '{"a' }
    const calls = callsOf(
      ...replied(1, [
        part({ key: "1.1", name: "look" }),
        { type: "call", call: { key: "1.2", id: "i", name: "jot", input: {}, malformed } },
      ]),
    )
    expect(calls).toMatchObject([{ status: "open" }, { malformed: { problem: "it ends", raw: '{"a' } }])
  })

  it("puts what words brought along behind them", () => {
    const told = read({ type: "turn-started", turn: 1, brought: text("a file") })
    expect(told.entries).toMatchObject([{ kind: "said", brought: text("a file") }])
    const later = read(...replied(1, []), { type: "turn-started", turn: 2, brought: text("rules") })
    expect(later.entries.at(-1)).toMatchObject({ kind: "said", by: "joey", content: text("rules") })
  })

  it("sums up the files that were changed, by calls that were done", () => {
    const diff = (path: string, added: number, removed: number) =>
      ({ kind: "diff", path, operation: "modify", unified: "", added, removed }) as const
    const { files } = read(
      ...turn(1, "", { key: "1.1", name: "jot", show: diff("a", 2, 1) }),
      ...turn(2, "", { key: "2.1", name: "jot", show: diff("a", 3, 0) }),
      ...turn(3, "", { key: "3.1", name: "jot", show: diff("b", 9, 9), result: "failed" }),
      ...turn(4, "", {
        key: "4.1",
        name: "jot",
        show: { kind: "changes", files: [{ path: "c", operation: "delete", unified: "", added: 0, removed: 4 }] },
      }),
    )
    expect(files).toEqual([
      { path: "a", added: 5, removed: 1, callKey: "2.1" },
      { path: "c", added: 0, removed: 4, callKey: "4.1" },
    ])
  })

  it("says what waits", () => {
    const asked: DurableEvent = { type: "asked", id: "l", question: { kind: "limit", limit: "turns", reason: "enough" } }
    expect(read({ type: "turn-started", turn: 1 }, asked)).toMatchObject({ waiting: 1 })
    expect(read(asked).entries.at(-1)).toMatchObject({ kind: "limit", asked: { question: { reason: "enough" } } })
  })
})

describe("what changes in a long task", () => {
  const kinds = (...events: DurableEvent[]) => read(...events).entries.map((entry) => ("text" in entry ? entry.text : entry.kind))

  it("is left out where it was taken back, and said in a line; what it took stays counted", () => {
    const told = read(
      ...turn(1, "wrong", { key: "1.1", name: "look" }, USAGE),
      { type: "rewound", to: 2, reason: "by the person" },
      ...turn(2, "right", { key: "2.1", name: "look" }, USAGE),
    )
    expect(told).toMatchObject({
      usage: { inputTokens: 200, cost: 0.5 },
      tools: { look: { attempts: 2 } },
      entries: [
        { kind: "said" },
        { kind: "notice", tone: "warning", text: "What came next was taken back and is left out here: by the person" },
        { kind: "reply", turn: 2 },
      ],
    })
  })

  it("S50: a shortened past is one line with tokens and cost, which count", () => {
    const condensed = { type: "condensed", upTo: 2, by: "threshold", how: "summary" } as const
    const told = read({ ...condensed, messages: [], tokensBefore: 12_000, tokensAfter: 3_400, usage: USAGE })
    expect(told.usage).toEqual(USAGE)
    expect(told.entries.at(-1)).toMatchObject({
      text: "What the model sees of the past was shortened by a summary: about 12,000 → 3,400 tokens, which took 100 in · 10 out · $0.2500 (the window was filling up)",
      usage: USAGE,
    })
  })

  it("shows words where the model heard them, as it heard them", () => {
    const later = { type: "said", by: "person", content: text("later"), when: "end" } as const
    expect(read(later, ...replied(1, []), { type: "words-released", said: 3 }).entries).toMatchObject([
      { content: text("go") },
      { kind: "reply" },
      { content: text("later") },
    ])
    expect(read(later, ...replied(1, [])).entries.at(-1)).toMatchObject({ content: text("later"), waits: true })
    expect(read({ type: "words-changed", said: 2, content: text("stop") }).entries).toMatchObject([
      { content: text("stop"), changed: true },
    ])
    expect(kinds(later, { type: "words-changed", said: 3, content: [] }, { type: "words-released", said: 3 })).toEqual([
      "said",
      "Words were taken back before the model heard them",
    ])
    expect(kinds({ type: "words-changed", said: 99, content: [] }, { type: "words-released", said: 99 })).toEqual(["said"])
  })

  it("tells in a line what the model sees and what it is offered", () => {
    expect(
      kinds(
        { type: "pinned", item: "reply-3", pinned: true },
        { type: "pinned", item: "reply-3", pinned: false },
        { type: "dropped", item: "2.1" },
        { type: "tools-changed", added: ["a", "b"], removed: [] },
        { type: "tools-changed", added: [], removed: Array.from({ length: 500 }, (_, at) => `tool${at}`) },
        { type: "tools-loaded", names: ["c"] },
      ),
    ).toEqual([
      "said",
      "Kept from being shortened: reply-3",
      "May be shortened again: reply-3",
      "Taken out of what the model sees: 2.1",
      "Other tools are offered now. Added: a, b.",
      expect.stringMatching(/^Other tools are offered now\. Gone: tool0, .{250,300}…\.$/),
      "Tools that were looked up are offered now: c",
    ])
  })
})
