/** Test support: moments of a task, and the front in them. */
import type { DurableEvent } from "../../types/event.ts"
import type { JsonObject } from "../../types/json.ts"
import type { Question } from "../../types/question.ts"
import { type TestFront, testFront } from "./test-front.ts"

export const ESCAPE = "\u001b"
export const usage = { inputTokens: 40_000, outputTokens: 500, cachedTokens: 30_000, cost: 0.0412 }
export const started: DurableEvent = {
  type: "task-started",
  version: 1,
  task: "t",
  workspace: "/work",
  mode: "code",
  model: "test/model",
  protocol: "native",
}
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
