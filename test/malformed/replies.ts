/** The replies of a model that makes three calls, the second of which is the one in question, in each way a reply can arrive. */
import { wholeBeats } from "../../src/scripted-model/completion.ts"
import { bareReply, call, frame, type Reply, rawCall, reply, type Scenario, say } from "../../src/scripted-model/scenario.ts"

/** Of the call in question, when it is made in the first turn. */
export const KEY = "1.2"

/** Streamed in small pieces, everything in one frame of a stream, or one document from a server that does not stream. */
export const DELIVERIES = ["in deltas", "in one frame", "in one document"] as const
export type Delivery = (typeof DELIVERIES)[number]

export interface Sending {
  delivery: Delivery
  tool?: string
  finish?: string
  /** Characters of a delta. */
  chunkSize?: number
}

/** The text as arguments between two good calls; then the model is content, and after a restart once more. */
export function between(text: string, sending: Sending): Scenario {
  return [threeCalls(text, sending), complete("Done."), complete("Done again.")]
}

export function threeCalls(
  text: string,
  { delivery, tool = "write_to_file", finish = "tool_calls", chunkSize = 12 }: Sending,
): Reply {
  const pieces = [
    say("I write three files."),
    call("write_to_file", { path: "before.txt", content: "before" }, "first"),
    rawCall(tool, text, "second"),
    call("write_to_file", { path: "after.txt", content: "after" }, "third"),
  ]
  return arriving({ pieces, finish, chunkSize }, delivery)
}

export function arriving(whole: Reply, delivery: Delivery): Reply {
  if (delivery === "in deltas") return whole
  const label = { id: "c", model: "m", created: 0, callPrefix: "call_", usage: undefined }
  const [body = ""] = [...wholeBeats(whole, label)].map(String)
  return delivery === "in one document" ? { pieces: [], body } : bareReply(frame(asChunk(JSON.parse(body))))
}

export const complete = (result: string): Reply => reply(call("attempt_completion", { result }))

/** The same message, as the only frame of a stream. */
function asChunk(document: { choices: [{ message: { tool_calls: object[] }; finish_reason: string }] }): object {
  const [{ message, finish_reason }] = document.choices
  const tool_calls = message.tool_calls.map((called, index) => ({ index, ...called }))
  return { object: "chat.completion.chunk", choices: [{ index: 0, delta: { ...message, tool_calls }, finish_reason }] }
}
