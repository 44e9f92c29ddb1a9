/** What people see while a reply streams: in its true order, thinned out, and never stopped by a preview that fails. */
import { describe, expect, it } from "vitest"
import { fakeTool } from "../../test/fake-tools.ts"
import { call, chunks, hold, rawCall, reply, thoughts, words } from "../../test/replies.ts"
import { type Opening, taskWorld } from "../../test/task-harness.ts"
import type { LiveEvent } from "../types/event.ts"

const done = reply(call("hand_in", { result: "done" }))

/** Live events of the first reply, neighbours of the same kind joined. */
function shown(opening: Opening): string[] {
  const replied = opening.heard.findIndex((event) => event.type === "replied")
  const lines: string[] = []
  let last = ""
  for (const event of opening.heard.slice(0, replied)) {
    if (event.type !== "text" && event.type !== "reasoning" && event.type !== "draft") continue
    const kind = event.type === "draft" ? event.callKey : event.type
    const text = event.type === "draft" ? `draft of ${event.tool}` : event.text
    if (kind === last && event.type !== "draft") lines.push(`${lines.pop() ?? ""}${text}`)
    else if (kind !== last) lines.push(text)
    last = kind
  }
  return lines
}

describe("the order of what streams", () => {
  it("S3: text, thoughts and calls are shown as they came, also within one moment", async () => {
    const burst = chunks(
      { type: "text", text: "One. " },
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Two." },
      { type: "tool_call_partial", index: 0, id: "c", name: "look", arguments: '{"path":"a"}' },
      { type: "text", text: "Three." },
    )
    const world = taskWorld({ script: [reply(burst), done], files: { a: "A" } })
    const opening = world.open()
    opening.say("go")
    await opening.next("replied")
    expect(shown(opening)).toEqual(["One. ", "Hm.", "Two.", "draft of look", "Three."])
  })

  it("S4: nothing of it is lost or told twice", async () => {
    const text = "All of this text must arrive once, ".repeat(20)
    const world = taskWorld({ script: [reply(thoughts("Let me see. ".repeat(10)), words(text)), done] })
    const opening = world.open()
    opening.say("go")
    await opening.next("replied")
    expect(shown(opening)).toEqual(["Let me see. ".repeat(10), text])
  })
})

describe("how often", () => {
  it("a thousand pieces in a moment make a handful of events, none of them in the log", async () => {
    const many = chunks(...Array.from({ length: 1_000 }, () => ({ type: "text", text: "word " }) as const))
    const growing = rawCall("look", `{"path":"${"long/".repeat(1_000)}"}`)
    const world = taskWorld({ script: [reply(many, growing), done] })
    const opening = world.open()
    opening.say("go")
    await opening.next("replied")
    const live = opening.heard.filter((event): event is LiveEvent => !("seq" in event))
    expect(live.length).toBeLessThan(30)
    expect(live.some(({ type }) => type === "text")).toBe(true)
    expect(live.some(({ type }) => type === "draft")).toBe(true)
    expect(world.log().map(({ type }) => `${type}`)).not.toContain("draft")
  })

  it("what came is shown while the stream pauses", async () => {
    const pause = hold()
    const world = taskWorld({ script: [reply(words("So far"), pause), done] })
    const opening = world.open()
    opening.say("go")
    await pause.reached
    expect(await opening.next("text")).toEqual({ type: "text", text: "So far" })
    expect(opening.recorded("replied")).toEqual([])
    pause.release()
  })
})

describe("drafts", () => {
  it("S3, S4: the row shows at the start and grows with what can be read", async () => {
    const [first, second] = [hold(), hold()]
    const started = chunks({ type: "tool_call_partial", index: 0, id: "c", name: "look" })
    const half = chunks({ type: "tool_call_partial", index: 0, arguments: '{"path": "hel' })
    const rest = chunks({ type: "tool_call_partial", index: 0, arguments: 'lo"}' })
    const world = taskWorld({ script: [reply(started, first, half, second, rest), done] })
    const opening = world.open()
    opening.say("go")
    expect(await opening.next("draft")).toMatchObject({ tool: "look", show: { kind: "title", text: "Look at …" }, received: 0 })
    first.release()
    expect(await opening.next("draft")).toMatchObject({ show: { text: "Look at hel" }, received: 13 })
    second.release()
    const { callKey } = await opening.next("draft", ({ show }) => show.kind === "title" && show.text === "Look at hello")
    expect(await opening.next("call-finished")).toMatchObject({ callKey })
  })

  it("S3: a draft that can no longer become valid says so at once", async () => {
    const pause = hold()
    const broken = chunks({ type: "tool_call_partial", index: 0, id: "c", name: "look", arguments: '{"path": oops' })
    const world = taskWorld({ script: [reply(broken, pause), done] })
    const opening = world.open()
    opening.say("go")
    const { problem } = await opening.next("draft", (draft) => draft.problem !== undefined)
    expect(problem).toMatch(/\w/)
    pause.release()
  })

  it("S57: a preview that fails is caught and noted once, its row shows the tool's name, and the call runs", async () => {
    const shaky = fakeTool({
      name: "shaky",
      preview() {
        throw new Error("cannot preview")
      },
    })
    const world = taskWorld({ script: [reply(call("shaky", { path: "a/long/path/to/a/file" })), done], tools: () => [shaky] })
    const opening = world.open()
    opening.say("go")
    expect(await opening.next("draft")).toMatchObject({ tool: "shaky", show: { kind: "title", text: "shaky" } })
    expect(await opening.next("call-finished")).toMatchObject({ tool: "shaky", result: "done" })
    const notices = opening.recorded("notice").map(({ text }) => text)
    expect(notices).toEqual([expect.stringMatching(/shaky.*cannot preview/)])
  })

  it("a tool without a preview, and one nobody knows, show their name", async () => {
    const world = taskWorld({ script: [reply(call("launch", { command: "x" }), call("unheard_of", {})), done] })
    const opening = world.open()
    opening.say("go")
    await opening.next("replied")
    const drafts = opening.heard.flatMap((event) => (event.type === "draft" ? [event.show] : []))
    expect(drafts).toContainEqual({ kind: "title", text: "launch" })
    expect(drafts).toContainEqual({ kind: "title", text: "unheard_of" })
  })
})
