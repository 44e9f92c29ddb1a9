import { describe, expect, it } from "vitest"
import type { ModelRequest } from "../../types/model.ts"
import { gemini } from "./gemini.ts"
import { growingHistory } from "./growing-history.ts"
import { testTarget } from "./split-reading.ts"

const target = { ...testTarget, id: "google/gemini-3-pro", model: "gemini-3-pro", wire: "gemini" as const }
const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false }
const request: ModelRequest = {
  system: "rules",
  messages: [{ role: "user", content: [{ type: "text", text: "do it" }] }],
  tools: [
    { name: "look", description: "Looks.", parameters },
    { name: "rest", description: "Rests.", parameters: { type: "object", properties: {} } },
  ],
}

describe("the Gemini request", () => {
  it("S1, S11: declares the tools, asks for events and for thoughts", () => {
    const { path, headers, body } = gemini.request(request, target)
    expect(path).toBe("/models/gemini-3-pro:streamGenerateContent?alt=sse")
    expect(headers).toEqual({ "content-type": "application/json", accept: "text/event-stream" })
    const { additionalProperties, ...schema } = parameters
    expect(JSON.parse(body)).toEqual({
      systemInstruction: { parts: [{ text: "rules" }] },
      tools: [
        {
          functionDeclarations: [
            { name: "look", description: "Looks.", parameters: schema },
            { name: "rest", description: "Rests." },
          ],
        },
      ],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
      contents: [{ role: "user", parts: [{ text: "do it" }] }],
    })
  })

  it("G3: writes references out, and leaves out a tool that cannot be put right, with a word about it", () => {
    const point = { type: "object", properties: { x: { type: "number" } } }
    const referring = { type: "object", properties: { at: { $ref: "#/$defs/point", description: "where" } }, $defs: { point } }
    const tools = [
      { name: "go", description: "Goes.", parameters: referring },
      { name: "no such name", description: "", parameters: { type: "object" } },
    ]
    const { body, notices } = gemini.request({ ...request, tools }, target)
    expect(JSON.parse(body).tools[0].functionDeclarations).toEqual([
      {
        name: "go",
        description: "Goes.",
        parameters: { type: "object", properties: { at: { ...point, description: "where" } } },
      },
    ])
    expect(notices).toEqual([expect.stringMatching(/no such name/)])
  })

  it("carries the key in its header, never in the address or the body", () => {
    const { path, headers, body } = gemini.request(request, { ...target, key: { value: "AIza-1", variable: "K" } })
    expect(headers["x-goog-api-key"]).toBe("AIza-1")
    expect(path + body).not.toContain("AIza-1")
  })

  it("asks for nothing that there is no use for or that the model refuses, and names no model twice", () => {
    const bare = gemini.request({ ...request, tools: [], system: " " }, { ...target, model: "models/gemini-2.0-flash" })
    expect(bare.path).toBe("/models/gemini-2.0-flash:streamGenerateContent?alt=sse")
    expect(Object.keys(JSON.parse(bare.body))).toEqual(["contents"])
    const odd = gemini.request(request, { ...target, model: "../../x?y=1#z" })
    expect(odd.path).toBe("/models/..%2F..%2Fx%3Fy%3D1%23z:streamGenerateContent?alt=sse")
  })

  it("sends each turn's bytes again unchanged, over fifty turns", () => {
    const turns = growingHistory(50, target.id, { gemini: { signature: "c2ln", parts: [{ signature: "czE=", thought: true }] } })
    let before = ""
    for (let turn = 1; turn <= turns.length; turn++) {
      const { body } = gemini.request({ ...request, messages: turns.slice(0, turn).flat() }, target)
      expect(body.startsWith(before)).toBe(true)
      before = body.slice(0, body.lastIndexOf("]}"))
    }
    expect(before.length).toBeGreaterThan(10_000)
    expect(before).not.toMatch(/\\ud800/)
  })
})
