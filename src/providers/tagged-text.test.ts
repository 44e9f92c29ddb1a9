import { describe, expect, it } from "vitest"
import { taggedTools } from "../prompt/tagged-tools.ts"
import { lastWords } from "../scripted-model/chat-request.ts"
import { reply, say } from "../scripted-model/scenario.ts"
import { startScriptedModel } from "../scripted-model/server.ts"
import { readReply } from "../stream/assistant-message.ts"
import definitions from "../tools/definitions.json" with { type: "json" }
import type { Chunk } from "../types/chunk.ts"
import type { Json, JsonObject, JsonSchema } from "../types/json.ts"
import type { Message } from "../types/message.ts"
import type { Model, ModelRequest, ToolDefinition } from "../types/model.ts"
import { connectModel } from "./connect.ts"
import { spokenHistory, writeCall } from "./tagged-text/history.ts"
import { readTaggedText } from "./tagged-text/reader.ts"
import { knownTools } from "./tagged-text/syntax.ts"
import { inputFromTags, resolveToolProtocol, taggedText } from "./tagged-text.ts"
import { testTarget } from "./wire/split-reading.ts"

const builtIn = definitions.map(({ definition }) => definition as unknown as ToolDefinition)
const look: ToolDefinition = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}
const text = (words: string): { type: "text"; text: string } => ({ type: "text", text: words })
const start: Message = { role: "user", content: [text("do it")] }
const called = (id = "c1"): Message => ({
  role: "assistant",
  model: "m",
  parts: [text("I look."), { type: "call", call: { key: "1.1", id, name: "look", input: { path: "a", n: 2 } } }],
})

/** Writes the given pieces and keeps what it was asked. */
function writer(...pieces: string[]): Model & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  return {
    id: "m",
    facts: { known: false, window: 1000, images: false, edits: "blocks" },
    endsSilently: false,
    asked,
    stream(request) {
      asked.push(request)
      return (async function* () {
        for (const piece of pieces) yield [{ type: "text", text: piece }] as Chunk[]
        yield [
          { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } },
          { type: "end", reason: "stop" },
        ] as Chunk[]
      })()
    },
  }
}

async function collect(model: Model, request: Partial<ModelRequest> = {}): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  const whole = { system: "rules", messages: [start], tools: [look], ...request }
  for await (const read of model.stream(whole, new AbortController().signal)) chunks.push(...read)
  return chunks
}

describe("taggedText", () => {
  it("S9, S10: offers no tools, puts the catalogue into the prompt, and gives calls as everybody's chunks", async () => {
    const inner = writer("I look.\n<lo", "ok>\n<path>a.ts</path>\n</look>")
    const chunks = await collect(taggedText(inner, { catalogue: taggedTools }))
    expect(inner.asked[0]).toEqual({ system: `rules\n\n${taggedTools([look])}`, messages: [start], tools: [] })
    expect(chunks.map(({ type }) => type)).toEqual([
      "text",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_delta",
      "tool_call_delta",
      "tool_call_delta",
      "tool_call_end",
      "usage",
      "end",
    ])
    const json = chunks.map((chunk) => (chunk.type === "tool_call_delta" ? chunk.text : "")).join("")
    expect(JSON.parse(json)).toEqual({ path: "a.ts" })
  })

  it("asks at once, puts the catalogue where it is told to, and says what it still held", async () => {
    const inner = writer("a <lo")
    const model = taggedText(inner, { catalogue: () => "TOOLS", insert: (system, tools) => `${tools}/${system}` })
    model.stream({ system: "rules", messages: [start], tools: [look] }, new AbortController().signal)
    expect(inner.asked).toMatchObject([{ system: "TOOLS/rules" }])
    expect((await collect(model)).filter(({ type }) => type === "text")).toEqual([text("a "), text("<lo")])
  })

  it("knows a tool that is not offered now, so that calling it is answered and not taken for text", async () => {
    const model = taggedText(writer("<other><a>1</a></other>"), { catalogue: () => "", isKnownTool: (name) => name === "other" })
    expect((await collect(model)).at(0)).toMatchObject({ type: "tool_call_start", name: "other" })
  })

  it("S10: tells the history's calls and results as text, images beside, in call order, and once for all requests", () => {
    const image = { type: "image" as const, mediaType: "image/png", data: "AAAA" }
    const results: Message[] = [{ role: "result", callKey: "1.1", kind: "failed", content: [text("no such file"), image] }]
    const history = [start, called(), ...results, { role: "user" as const, content: [text("go on")] }]
    const spoken = spokenHistory(history)
    expect(spoken).toEqual([
      start,
      { role: "assistant", model: "m", parts: [text("I look."), text("<look>\n<path>a</path>\n<n>2</n>\n</look>")] },
      { role: "user", content: [text("[look] Error:\nno such file"), image] },
      { role: "user", content: [text("go on")] },
    ])
    expect(spokenHistory(history)[1]).toBe(spoken[1])
    expect(spokenHistory(history)[2]).toBe(spoken[2])
    expect(spokenHistory([start, called()])[2]).toMatchObject({ content: [text(expect.stringMatching(/Interrupted/) as never)] })
  })

  it("S10: every built-in tool's call, written as text, is read as the same call", () => {
    for (const tool of builtIn) {
      for (const odd of ["a.ts", "line one\n  two\n", "\n\n", '"quoted" <b>é😀</b>\r\n', " spaces ", "", "```\nfence"]) {
        const input = sampleOf(tool.parameters, odd) as JsonObject
        const chunks = readTaggedText(knownTools(builtIn)).push(writeCall({ key: "", id: "", name: tool.name, input }))
        const json = chunks.map((chunk) => (chunk.type === "tool_call_delta" ? chunk.text : "")).join("")
        expect(chunks.at(-1)?.type, tool.name).toBe("tool_call_end")
        expect(JSON.parse(json), tool.name).toEqual(input)
      }
    }
  })

  it("S9, S10: over a server that knows only text, a call is sealed, answered as text, and followed by the next", async () => {
    const scripted = await startScriptedModel([
      reply(say("I look.\n\n<look>\n<path>a b.ts</path>\n</look>")),
      (request) => reply(say(`Heard ${lastWords(request)}; tools: ${request.tools?.length ?? 0}`)),
    ])
    const target = {
      ...testTarget,
      baseUrl: scripted.url,
      timers: { headersMs: 9000, firstTokenMs: 9000, betweenChunksMs: 9000 },
    }
    const model = taggedText(connectModel(target), { catalogue: taggedTools })
    const ask = async (messages: Message[]) => {
      const reader = readReply({ model: model.id, keyPrefix: "1", isKnownTool: (name) => name === "look", endsSilently: false })
      for (const chunk of await collect(model, { messages })) reader.step(chunk)
      return reader.halt()
    }
    const first = await ask([start])
    expect(first.calls).toMatchObject([{ key: "1.1", name: "look", input: { path: "a b.ts" } }])
    const result: Message = { role: "result", callKey: "1.1", kind: "done", content: [text("empty")] }
    const second = await ask([start, first.message, result])
    expect(second.message.parts).toEqual([text("Heard [look] Result:\nempty; tools: 0")])
    expect(scripted.problems).toEqual([])
    await scripted.close()
  })

  it("S5, A11: reads arguments that are the tool's form in tags, and nothing else", () => {
    expect(inputFromTags("<path>a</path>", look)).toEqual({ path: "a" })
    expect(inputFromTags("<look><path>a</path></look>", look)).toEqual({ path: "a" })
    expect(inputFromTags("<parameter=path>\na\n</parameter>", look)).toEqual({ path: "a" })
    expect(inputFromTags("<function=look><parameter=path>a</parameter></function>", look)).toEqual({ path: "a" })
    for (const other of ["", "{}", "a", "<path>a", "<path>a</path> and", "<other><path>a</path></other>"]) {
      expect(inputFromTags(other, look), other).not.toMatchObject({ path: "a" })
    }
  })
})

/** A value that fits the schema, with this text wherever one may stand. */
function sampleOf(schema: JsonSchema, odd: string): Json {
  const { type, anyOf, enum: words } = schema
  if (words) return words[0] ?? null
  if (anyOf?.[0]) return sampleOf(anyOf[0], odd)
  const [first] = [type ?? "string"].flat()
  if (first === "object") {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, sampleOf(inner, odd)]))
  }
  if (first === "array") return schema.items ? [sampleOf(schema.items, odd), sampleOf(schema.items, odd)] : [odd]
  return first === "integer" || first === "number" ? 3 : first === "boolean" ? true : odd
}

describe("resolveToolProtocol", () => {
  const native = { nativeTools: true }
  it("S9: the lock comes first, then the history, then the model; native where nothing is known", () => {
    expect(resolveToolProtocol({ locked: "xml", history: [called()], model: native })).toBe("xml")
    expect(resolveToolProtocol({ locked: "native", model: { nativeTools: false } })).toBe("native")
    expect(resolveToolProtocol({ history: [start, called()], model: { nativeTools: false } })).toBe("native")
    expect(resolveToolProtocol({ history: [start, called("")], model: native })).toBe("xml")
    expect(resolveToolProtocol({ history: [start], model: { nativeTools: false } })).toBe("xml")
    expect(resolveToolProtocol({ model: {} })).toBe("native")
  })

  it("S9: a known tool's tag in a reply of an imported task means text, in a person's words or in code it does not", () => {
    const said = (role: "user" | "assistant", words: string): Message =>
      role === "user" ? { role, content: [text(words)] } : { role, model: "m", parts: [text(words)] }
    const isKnownTool = (name: string) => name === "look"
    const resolve = (message: Message) => resolveToolProtocol({ history: [message], model: native, isKnownTool })
    expect(resolve(said("assistant", "<look><path>a</path></look>"))).toBe("xml")
    expect(resolve(said("user", "<look><path>a</path></look>"))).toBe("native")
    expect(resolve(said("assistant", "`<look><path>a</path></look>`"))).toBe("native")
    expect(resolve(said("assistant", "<other><path>a</path></other>"))).toBe("native")
  })
})
