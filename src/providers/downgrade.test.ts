import { describe, expect, it } from "vitest"
import { downgrade } from "./downgrade.ts"
import type { WireName } from "./target.ts"
import { testTarget } from "./wire/split-reading.ts"

const on = (wire: WireName) => ({ ...testTarget, wire })

describe("downgrade", () => {
  it.each<[string, WireName, string, string]>([
    [
      "M8: eager_input_streaming",
      "anthropic",
      "tools.0.eager_input_streaming: Extra inputs are not permitted",
      "eager_input_streaming",
    ],
    ["M8: cache_control", "anthropic", "system.0.cache_control: Extra inputs are not permitted", "cache_control"],
    ["R10: a signature", "anthropic", "messages.1.content.0: Invalid `signature` in `thinking` block", "reasoning"],
    ["stream_options", "openai-chat", "Unrecognized request argument supplied: stream_options", "stream_options"],
    ["M8: tool_choice", "openai-chat", '"tool_choice" is not supported', "tool_choice"],
    ["include", "openai-responses", "Unknown parameter: 'include'.", "include"],
    ["the cache key", "openai-responses", "Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key"],
    [
      "R12: a missing item",
      "openai-responses",
      "Item 'rs_68' of type 'reasoning' was provided without its required following item.",
      "reasoning",
    ],
    ["R12: content it cannot decrypt", "openai-responses", "The encrypted content gAAA could not be verified.", "reasoning"],
  ])("gives up %s once, when the refusal names it", (_, wire, body, field) => {
    const lesser = downgrade(on(wire), { status: 400, body })
    expect(lesser).toMatchObject({ lasting: true, target: { profile: { omit: [field] } } })
    expect(lesser && downgrade(lesser.target, { status: 400, body })).toBeUndefined()
  })

  it("takes the output limit that the server names, and no larger one", () => {
    const body = "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku"
    const lesser = downgrade(on("anthropic"), { status: 400, body })
    expect(lesser).toMatchObject({ lasting: true, target: { outputLimit: 8192 } })
    expect(lesser && downgrade(lesser.target, { status: 400, body })).toBeUndefined()
  })

  it("asks once for a shorter reply where the window leaves room for one, and gives up where it does not", () => {
    const full = (prompt: number) =>
      `input length and \`max_tokens\` exceed context limit: ${prompt} + 32000 > 200000, decrease it`
    const lesser = downgrade(on("anthropic"), { status: 400, body: full(180_000) })
    expect(lesser).toMatchObject({ lasting: false, target: { outputLimit: 20_000 } })
    expect(lesser && downgrade(lesser.target, { status: 400, body: full(180_000) })).toBeUndefined()
    expect(downgrade(on("anthropic"), { status: 400, body: full(199_000) })).toBeUndefined()
  })

  it("D.10: names the longest reply as the server wants it, where a person asks for one", () => {
    const body = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    const asked = { ...on("openai-chat"), options: { maxOutput: 9 } }
    const lesser = downgrade(asked, { status: 400, body })
    expect(lesser).toMatchObject({ lasting: true, target: { profile: { outputField: "max_completion_tokens" } } })
    expect(lesser && downgrade(lesser.target, { status: 400, body })).toBeUndefined()
    expect(downgrade(on("openai-chat"), { status: 400, body })).toBeUndefined()
  })

  it("gives up nothing for another wire's field, another status, or a refusal that names nothing", () => {
    expect(downgrade(on("anthropic"), { status: 400, body: "stream_options" })).toBeUndefined()
    expect(downgrade(on("openai-chat"), { status: 401, body: "stream_options" })).toBeUndefined()
    expect(
      downgrade(on("anthropic"), { status: 400, body: "prompt is too long: 210000 tokens > 200000 maximum" }),
    ).toBeUndefined()
  })
})
