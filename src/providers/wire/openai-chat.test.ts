import { describe, expect, it } from "vitest"
import type { ModelRequest } from "../../types/model.ts"
import type { Target } from "../target.ts"
import { openaiChat } from "./openai-chat.ts"

const target: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://host/v1",
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /./, omit: [] },
}
const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false }
const request: ModelRequest = {
  system: "rules",
  messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }],
  tools: [{ name: "look", description: "Looks.", parameters }],
}

describe("the chat completions request", () => {
  it("S1: offers tools as function definitions with their JSON Schema, and asks for a stream with usage", () => {
    const { path, headers, body } = openaiChat.request(request, target)
    expect(path).toBe("/chat/completions")
    expect(headers).toEqual({ "content-type": "application/json", accept: "text/event-stream" })
    expect(JSON.parse(body)).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "rules" },
        { role: "user", content: "do it" },
      ],
      stream: true,
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters } }],
      tool_choice: "auto",
      stream_options: { include_usage: true },
    })
  })

  it("carries the key in its header and nowhere else", () => {
    const { headers, body } = openaiChat.request(request, { ...target, key: { value: "sk-1", variable: "K" } })
    expect(headers["authorization"]).toBe("Bearer sk-1")
    expect(body).not.toContain("sk-1")
  })

  it("leaves out what there is no use for, and what the server refuses", () => {
    expect(JSON.parse(openaiChat.request({ ...request, tools: [] }, target).body)).not.toHaveProperty("tools")
    const modest = { ...target, profile: { ...target.profile, omit: ["stream_options", "tool_choice"] as const } }
    expect(Object.keys(JSON.parse(openaiChat.request(request, modest).body))).toEqual(["model", "messages", "stream", "tools"])
  })

  it("writes the same bytes for the same history, and a longer one begins with the shorter", () => {
    const body = (text: string[]) => {
      const messages = text.map((words) => ({ role: "user" as const, content: [{ type: "text" as const, text: words }] }))
      return openaiChat.request({ ...request, messages }, target).body
    }
    expect(body(["a"])).toBe(body(["a"]))
    const shared = body(["a"]).split('"content":"a"')[0] ?? ""
    expect(body(["a", "b"]).startsWith(shared)).toBe(true)
  })
})
