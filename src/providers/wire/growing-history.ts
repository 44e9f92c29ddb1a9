/** For tests of requests: a history of as many turns as wanted, with thoughts, calls side by side, images, faults and words between. */
import type { AssistantPart, Content, Message } from "../../types/message.ts"

const text = (words: string): { type: "text"; text: string } => ({ type: "text", text: words })
const image: Content = { type: "image", mediaType: "image/png", data: "AAAA" }

/** Each turn's messages; joined, they are the history at its end. `state` is what the model's provider wants back. */
export function growingHistory(turns: number, model: string, state: unknown = undefined): Message[][] {
  return Array.from({ length: turns }, (_, turn) => {
    const opaque = state === undefined || turn % 2 > 0 ? {} : { state: { model, data: state } }
    const call = (place: number): AssistantPart => {
      const key = `${turn}.${place}`
      const named = { key, id: turn % 4 === 0 ? `call_${place}` : `call_${turn}_${place}`, name: "look" }
      const malformed = { problem: "it ends too early", offset: 5, excerpt: "", raw: '{"of":' }
      if (turn % 5 === 4) return { type: "call", call: { ...named, input: {}, malformed } }
      return { type: "call", call: { ...named, input: { of: `${key} é\ud800` } }, ...opaque }
    }
    const calls = turn % 3 === 2 ? [call(1)] : [call(1), call(2)]
    const reply: AssistantPart[] = [{ type: "reasoning", text: `thought ${turn}`, ...opaque }, text(`I look ${turn}.`), ...calls]
    const results = calls.map((_, place): Message => {
      const content = [text(turn % 7 === 6 ? "" : `result ${turn}`), ...(turn % 6 === 5 ? [image] : [])]
      return { role: "result", callKey: `${turn}.${place + 1}`, kind: turn % 5 === 4 ? "invalid" : "done", content }
    })
    const broken: Message = { role: "assistant", parts: [text("I was")], model, interrupted: true }
    const said: Message[] = [{ role: "user", content: [text(`go ${turn}`), ...(turn % 8 === 7 ? [image] : [])] }]
    const before = turn === 0 || turn % 4 === 3 ? [...(turn > 0 ? [broken] : []), ...said] : []
    return [...before, { role: "assistant", parts: reply, model: turn % 9 === 8 ? "other/model" : model }, ...results]
  })
}
