/** What a person asks of a reply, as each wire writes it, and the flags of a server that change a request. */
import { describe, expect, it } from "vitest"
import type { Message } from "../types/message.ts"
import { chooseModel } from "./connect.ts"
import type { Profile, RequestOptions, Target, WireName } from "./target.ts"
import { testTarget } from "./wire/split-reading.ts"
import { wires } from "./wires.ts"

const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "do it" }] }]

async function sent(wire: WireName, options: RequestOptions, more: Partial<Target> = {}, history = messages) {
  const { request } = await wires[wire].load()
  const { body } = request({ system: "rules", messages: history, tools: [] }, { ...testTarget, wire, options, ...more })
  return JSON.parse(body)
}

const everything: RequestOptions = { temperature: 0.2, maxOutput: 500, reasoningEffort: "high" }

describe("what a person asks of a reply", () => {
  it.each<[WireName, Partial<Target>, object]>([
    [
      "openai-chat",
      { profile: { ...testTarget.profile, thinking: "effort" } },
      { temperature: 0.2, max_tokens: 500, reasoning_effort: "high" },
    ],
    ["openai-responses", {}, { temperature: 0.2, max_output_tokens: 500, reasoning: { effort: "high" } }],
    ["anthropic", { outputLimit: 32_000 }, { thinking: { type: "enabled", budget_tokens: 24_576 } }],
    ["anthropic", { model: "claude-opus-4-7" }, { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
    [
      "gemini",
      { model: "gemini-3-pro" },
      {
        generationConfig: {
          temperature: 0.2,
          maxOutputTokens: 500,
          thinkingConfig: { includeThoughts: true, thinkingLevel: "high" },
        },
      },
    ],
    [
      "gemini",
      { model: "gemini-2.5-pro" },
      { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 24_576 } } },
    ],
    ["gemini", { model: "gemma" }, { generationConfig: { temperature: 0.2, maxOutputTokens: 500 } }],
    ["ollama", {}, { think: true, options: { temperature: 0.2, num_predict: 500, num_ctx: 32_768 } }],
    ["ollama", { model: "gpt-oss:20b" }, { think: "high" }],
  ])("reaches %s (%o)", async (wire, more, fields) => {
    expect(await sent(wire, everything, more)).toMatchObject(fields)
  })

  it.each(Object.keys(wires) as WireName[])("where nothing is asked, %s says nothing", async (wire) => {
    const body = JSON.stringify(await sent(wire, {}))
    expect(body).not.toMatch(/temperature|effort|"think|num_predict|max_output|maxOutput|max_completion/)
  })

  it("keeps thinking within the reply, and away from a server that refused what was thought before (R10)", async () => {
    const short = await sent("anthropic", { reasoningEffort: "high" }, { outputLimit: 5_000 })
    expect(short.thinking).toEqual({ type: "enabled", budget_tokens: 4_000 })
    const none = await sent(
      "anthropic",
      { reasoningEffort: "high", temperature: 1 },
      { profile: { ...testTarget.profile, omit: ["reasoning"] } },
    )
    expect(none).toMatchObject({ temperature: 1 })
    expect(none.thinking).toBeUndefined()
    expect((await sent("anthropic", { reasoningEffort: "none" })).thinking).toBeUndefined()
  })
})

const chat = (flags: Partial<Profile>, options: RequestOptions = {}, history = messages) =>
  sent("openai-chat", options, { profile: { ...testTarget.profile, ...flags } }, history)

const afterCall: Message[] = [
  ...messages,
  { role: "assistant", model: "custom/m", parts: [{ type: "call", call: { key: "k", id: "call_1", name: "look", input: {} } }] },
  { role: "result", callKey: "k", kind: "done", content: [{ type: "text", text: "seen" }] },
  { role: "user", content: [{ type: "text", text: "and now?" }] },
]
const roles = (body: { messages: { role: string }[] }) => body.messages.map(({ role }) => role)

describe("D.10: flags of a server", () => {
  it("the role of the system prompt", async () => {
    expect(roles(await chat({}))[0]).toBe("system")
    expect(roles(await chat({ systemRole: "developer" }))[0]).toBe("developer")
  })

  it("the name of the longest reply", async () => {
    expect(await chat({ outputField: "max_completion_tokens" }, { maxOutput: 9 })).toMatchObject({ max_completion_tokens: 9 })
  })

  it.each<[Profile["thinking"], object, object]>([
    ["object", { reasoning: { effort: "low" } }, { reasoning: { effort: "none" } }],
    ["switch", { thinking: { type: "enabled" } }, { thinking: { type: "disabled" } }],
    ["flag", { enable_thinking: true }, { enable_thinking: false }],
    ["template", { chat_template_kwargs: { enable_thinking: true } }, { chat_template_kwargs: { enable_thinking: false } }],
  ])("how it hears how much to think: %s", async (thinking, low, none) => {
    expect(await chat({ thinking }, { reasoningEffort: "low" })).toMatchObject(low)
    expect(await chat({ thinking }, { reasoningEffort: "none" })).toMatchObject(none)
  })

  it("results that name their tool, and a reply before a person may speak again", async () => {
    const plain = await chat({}, {}, afterCall)
    expect(roles(plain).slice(-3)).toEqual(["assistant", "tool", "user"])
    expect(plain.messages.at(-2).name).toBeUndefined()
    const mistral = await chat({ namedResults: true, assistantAfterResults: true }, {}, afterCall)
    expect(roles(mistral).slice(-4)).toEqual(["assistant", "tool", "assistant", "user"])
    expect(mistral.messages.at(-3).name).toBe("look")
    expect(roles(await chat({ assistantAfterResults: true }, {}, afterCall.slice(0, -1))).at(-1)).toBe("tool")
  })

  it("fields that each request carries", async () => {
    expect(await chat({ fields: { tool_stream: true } })).toMatchObject({ tool_stream: true })
  })

  it("I18: Mistral gets ids of nine characters", async () => {
    const chosen = chooseModel({ model: "mistral/devstral" }, { MISTRAL_API_KEY: "k" })
    if (!chosen.ok) throw new Error(chosen.problem)
    const { request } = await wires["openai-chat"].load()
    const body = JSON.parse(request({ system: "", messages: afterCall, tools: [] }, chosen.target).body)
    expect(JSON.stringify(body.messages)).toMatch(/"id":"[A-Za-z0-9]{9}".*"tool_call_id":"[A-Za-z0-9]{9}"/)
    expect(body.stream_options).toBeUndefined()
  })

  it("R7: DeepSeek and Moonshot get the field of their thoughts with every message of theirs", async () => {
    for (const [model, key] of [
      ["deepseek/deepseek-chat", "DEEPSEEK_API_KEY"],
      ["moonshot/kimi-k2", "MOONSHOT_API_KEY"],
    ] as const) {
      const chosen = chooseModel({ model }, { [key]: "k" })
      if (!chosen.ok) throw new Error(chosen.problem)
      const { request } = await wires["openai-chat"].load()
      expect(request({ system: "", messages: afterCall, tools: [] }, chosen.target).body).toContain('"reasoning_content":""')
    }
  })
})
