/** Test support: moments of a task, and the front in them. */
import type { DurableEvent, LiveEvent } from "../../types/event.ts"
import type { JsonObject } from "../../types/json.ts"
import type { Question } from "../../types/question.ts"
import { type TestFront, testFront } from "./test-front.ts"

export const ESCAPE = "\u001b"
export const usage = { inputTokens: 40_000, outputTokens: 500, cachedTokens: 30_000, cost: 0.0412 }
export const started: DurableEvent = {
  type: "task-started",
  version: 1,
  task: "t",
  workspace: "/project",
  mode: "code",
  model: "test/model",
  protocol: "native",
}
export const startedIn = (task: string, mode: string): DurableEvent =>
  started.type === "task-started" ? { ...started, task, mode } : started
export const said = (text: string): DurableEvent => ({ type: "said", by: "person", content: [{ type: "text", text }] })
export const turn: DurableEvent = { type: "turn-started", turn: 1 }
export const finished: DurableEvent = { type: "task-finished", ending: { reason: "answered", result: "" }, usage, tools: {} }
export const replied = (...parts: (DurableEvent & { type: "replied" })["message"]["parts"]): DurableEvent => ({
  type: "replied",
  turn: 1,
  end: "stop",
  usage,
  message: { role: "assistant", model: "m", parts },
})

export const UNIFIED = `--- a/a.ts
+++ b/a.ts
@@ -1,2 +1,2 @@
-one
+ONE
 two
@@ -20,2 +20,2 @@
 twenty
-last
+LAST
`
export const approve = (show: (Question & { kind: "approve" })["show"], callKey = "k1"): Question => ({
  kind: "approve",
  callKey,
  tool: "edit",
  digest: "d",
  reason: "it changes files",
  show,
  always: { covers: "edits below src", grant: "g" },
})
export const edit = approve({ kind: "diff", path: "a.ts", operation: "modify", unified: UNIFIED, added: 2, removed: 2 })
export const command = approve({ kind: "command", command: "npm test\nrm -rf build", output: "" })

export async function working(options: Parameters<typeof testFront>[0] = {}): Promise<TestFront> {
  const front = testFront(options)
  await front.type("go\r")
  await front.happen(started, said("go"), turn)
  return front
}

export async function asked(question: Question, options: Parameters<typeof testFront>[0] = {}): Promise<TestFront> {
  const front = await working(options)
  const input: JsonObject =
    question.kind === "approve" && question.show.kind === "command"
      ? { command: question.show.command, cwd: null }
      : { path: "a.ts" }
  await front.happen(replied({ type: "call", call: { key: "k1", id: "1", name: "edit", input } }), {
    type: "asked",
    id: "q1",
    question,
  })
  front.grace()
  return front
}

export const answers = ({ task }: TestFront) => task.sent.flatMap((sent) => (sent.type === "answer" ? [sent.answer] : []))

/** What happens in a subtask, as the task above it tells. */
export const below = (task: string, callKey: string, ...events: (DurableEvent | LiveEvent)[]): LiveEvent[] =>
  events.map((event, at) => ({
    type: "subtask",
    callKey,
    task,
    event: isLive(event) ? event : { ...event, seq: 1 + at, at: AT },
  }))

const AT = "2026-01-01T00:00:00.000Z"
const LIVE = new Set(["text", "reasoning", "draft", "progress", "waiting", "subtask"])

function isLive(event: DurableEvent | LiveEvent): event is LiveEvent {
  return LIVE.has(event.type)
}

/** Two subtasks, side by side, at their beginning. */
export async function delegating(options: Parameters<typeof testFront>[0] = {}): Promise<TestFront> {
  const front = await working({ columns: 90, rows: 30, ...options })
  const call = (key: string) => ({ type: "call" as const, call: { key, id: key, name: "delegate", input: {} } })
  const begun = (key: string, task: string, mode: string, message: string): DurableEvent[] => [
    { type: "call-started", callKey: key, tool: "delegate", effect: "none" },
    { type: "subtask-started", callKey: key, task, mode, message },
  ]
  await front.happen(
    replied({ type: "text", text: "I share it out." }, call("1.1"), call("1.2")),
    ...begun("1.1", "task-a", "code", "Repair the parser\nand more"),
    ...begun("1.2", "task-b", "ask", "Look at the docs"),
    ...below("task-a", "1.1", startedIn("task-a", "code"), said("Repair the parser"), turn),
    ...below("task-b", "1.2", startedIn("task-b", "ask"), said("Look at the docs"), turn),
  )
  return front
}
