import { describe, expect, it } from "vitest"
import type { ModelRequest } from "../../types/model.ts"
import { classifyRefusal } from "../classify.ts"
import { growingHistory } from "./growing-history.ts"
import { ollama } from "./ollama.ts"
import { testTarget } from "./split-reading.ts"

const target = { ...testTarget, id: "ollama/m", wire: "ollama" as const }
const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false }
const request: ModelRequest = {
  system: "rules",
  messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }],
  tools: [{ name: "look", description: "Looks.", parameters }],
}

describe("the Ollama request", () => {
  it("S1, S11, O3: offers tools, says how large the window is, and has a prompt that is too long refused", () => {
    const { path, headers, body } = ollama.request(request, target)
    expect(path).toBe("/chat")
    expect(headers).toEqual({ "content-type": "application/json", accept: "application/x-ndjson" })
    expect(JSON.parse(body)).toEqual({
      model: "m",
      stream: true,
      keep_alive: "30m",
      truncate: false,
      shift: false,
      options: { num_ctx: 32768 },
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters } }],
      messages: [
        { role: "system", content: "rules" },
        { role: "user", content: "do it" },
      ],
    })
    expect(JSON.parse(ollama.request(request, { ...target, window: 8192 }).body).options).toEqual({ num_ctx: 8192 })
  })

  it("carries a key in its header and nowhere else", () => {
    const { headers, body } = ollama.request(request, { ...target, key: { value: "sk-1", variable: "K" } })
    expect(headers["authorization"]).toBe("Bearer sk-1")
    expect(body).not.toContain("sk-1")
  })

  it("counts text as the prompt's length, not images", () => {
    const withImage = (data: string): ModelRequest => ({
      ...request,
      messages: [{ role: "user", content: [{ type: "image", mediaType: "image/png", data }] }],
    })
    const [small, large] = ["A", "A".repeat(1000)].map((data) => ollama.request(withImage(data.repeat(4)), target).promptLength)
    expect(small).toBe(large)
    expect(ollama.request(request, target).promptLength).toBeGreaterThan(100)
  })

  it("a property that is no record does not have the whole request refused", () => {
    const odd = { name: "odd", description: "", parameters: { type: "object", properties: { a: true } } as never }
    const { tools } = JSON.parse(ollama.request({ ...request, tools: [odd] }, target).body)
    expect(tools[0].function.parameters).toEqual({ type: "object", properties: { a: {} } })
  })

  it("O3: its refusals are told apart, and so are Gemini's", () => {
    const refused = (status: number, body: object) => classifyRefusal(target, { status, headers: {}, body: JSON.stringify(body) })
    expect(refused(400, { error: "registry.ollama.ai/library/m does not support tools" })).toMatchObject({
      kind: "bad-request",
      message: expect.stringMatching(/m cannot call tools .* Choose a model that can\.$/),
    })
    expect(refused(500, { error: "no user query found in messages" }).kind).toBe("context-overflow")
    expect(refused(404, { error: "model 'm' not found" }).kind).toBe("model-not-found")
    const google = (code: number, message: string) => refused(code, { error: { code, message, status: "X" } }).kind
    expect(google(400, "API key not valid. Please pass a valid API key.")).toBe("auth")
    expect(google(404, "models/m is not found for API version v1beta")).toBe("model-not-found")
    const tooLong = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    expect(google(400, tooLong)).toBe("context-overflow")
  })

  it("sends each turn's bytes again unchanged, over fifty turns", () => {
    const turns = growingHistory(50, target.id)
    let before = ""
    for (let turn = 1; turn <= turns.length; turn++) {
      const { body } = ollama.request({ ...request, messages: turns.slice(0, turn).flat() }, target)
      expect(body.startsWith(before)).toBe(true)
      before = body.slice(0, body.lastIndexOf("]}"))
    }
    expect(before.length).toBeGreaterThan(10_000)
    expect(before).not.toMatch(/\\ud800/)
  })
})
