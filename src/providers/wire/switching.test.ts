/** A task goes on when its model is exchanged in the middle, from any wire to any other: what one made, the next can be sent. */
import { afterEach, describe, expect, it } from "vitest"
import { call, reply, say, think } from "../../scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../scripted-model/server.ts"
import { readReply } from "../../stream/assistant-message.ts"
import type { AssistantMessage, Message } from "../../types/message.ts"
import type { Model, ModelRequest } from "../../types/model.ts"
import { connectModel } from "../connect.ts"
import type { WireName } from "../target.ts"
import { wires } from "../wires.ts"
import { testTarget } from "./split-reading.ts"

const names = Object.keys(wires) as WireName[]
const tools: ModelRequest["tools"] = [
  { name: "look", description: "Looks.", parameters: { type: "object", properties: { of: { type: "string" } } } },
]
const words = (text: string): { type: "text"; text: string } => ({ type: "text", text })
const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" }
const timers = { headersMs: 60_000, firstTokenMs: 60_000, betweenChunksMs: 60_000 }

let scripted: ScriptedModel | undefined
afterEach(() => scripted?.close())

/** Each reply thinks, speaks and calls twice, the first call with an id of its own. */
const start = async (): Promise<ScriptedModel> => {
  scripted = await startScriptedModel((_, turn) => {
    return reply(
      think(`thought ${turn}`),
      say(`Turn ${turn}.`),
      call("look", { of: `a${turn}` }, `id${turn}`),
      call("look", { of: "b" }),
    )
  })
  return scripted
}

function modelOn(wire: WireName, at: ScriptedModel, id: string): Model {
  return connectModel({ ...testTarget, id, model: wire === "gemini" ? "gemini-3-pro" : "m", wire, baseUrl: at.at(wire), timers })
}

let keys = 0
async function ask(model: Model, messages: readonly Message[]): Promise<AssistantMessage> {
  const options = { model: model.id, keyPrefix: `k${++keys}`, isKnownTool: () => true, endsSilently: false }
  const reader = readReply(options)
  for await (const read of model.stream({ system: "rules", messages, tools }, new AbortController().signal)) {
    for (const chunk of read) reader.step(chunk)
  }
  const { message, fault } = reader.halt()
  expect(fault).toBeUndefined()
  return message
}

/** One turn: its calls answered in the wrong order, one with an image, one not at all on the way out. */
async function turn(model: Model, history: Message[]): Promise<void> {
  const message = await ask(model, history)
  const calls = message.parts.flatMap((part) => (part.type === "call" ? [part.call] : []))
  expect(calls.map(({ input }) => Object.keys(input))).toEqual([["of"], ["of"]])
  history.push(message)
  for (const { key } of calls.toReversed()) {
    history.push({ role: "result", callKey: key, kind: "done", content: [words(`saw ${key}`), image] })
  }
}

/** What breaks off and what cannot be read are part of a life. */
function trouble(model: string): Message[] {
  const malformed = { problem: "it ends too early", offset: 5, excerpt: "", raw: '{"of":' }
  const name = { key: `x${++keys}`, id: "id0", name: "look at\ud800" }
  return [
    { role: "assistant", model, interrupted: true, parts: [{ type: "reasoning", text: "half" }, words("I was")] },
    { role: "user", content: [words("go on"), image] },
    { role: "assistant", model, parts: [{ type: "call", call: { ...name, input: { of: "\ud800" }, malformed } }] },
    { role: "result", callKey: name.key, kind: "invalid", content: [] },
    { role: "assistant", model, parts: [{ type: "call", call: { key: `y${keys}`, id: "", name: "look", input: {} } }] },
    { role: "user", content: [words("and now?")] },
  ]
}

describe("a task whose model is exchanged in the middle", () => {
  for (const from of names) {
    for (const to of names) {
      it(`S11: goes on from ${from} to ${to} and back`, async () => {
        const server = await start()
        const [one, other] = [modelOn(from, server, "one/m"), modelOn(to, server, "other/m")]
        const history: Message[] = [{ role: "user", content: [words("do it")] }]
        await turn(one, history)
        await turn(one, history)
        history.push(...trouble(one.id))
        await turn(other, history)
        history.push(...trouble(other.id))
        await turn(other, history)
        await turn(one, history)
        expect(server.problems).toEqual([])
        expect(server.requests).toHaveLength(5)
      })
    }
  }

  it("R10: the same name on another wire gets nothing of the state that the first one made", async () => {
    const server = await start()
    for (const from of names) {
      const history: Message[] = [{ role: "user", content: [words("do it")] }]
      await turn(modelOn(from, server, "custom/m"), history)
      for (const to of names) await ask(modelOn(to, server, "custom/m"), history)
    }
    expect(server.problems).toEqual([])
  })
})
