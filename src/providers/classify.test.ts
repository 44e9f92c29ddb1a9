import { describe, expect, it } from "vitest"
import type { FaultKind } from "../types/fault.ts"
import { classifyBreak, classifyComplaint, classifyRefusal, classifySilence, complaintIn } from "./classify.ts"
import type { Target } from "./target.ts"

const key = "sk-secret-0123456789"
const target: Target = {
  id: "openai/gpt-x",
  vendor: "OpenAI",
  wire: "openai-chat",
  model: "gpt-x",
  baseUrl: "https://user:pass@api.openai.com/v1?token=hidden",
  key: { value: key, variable: "OPENAI_API_KEY" },
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /./, omit: [] },
}
const refuse = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  classifyRefusal(target, { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) })

const refusals: [name: string, status: number, body: unknown, kind: FaultKind][] = [
  ["OpenAI, wrong key", 401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } }, "auth"],
  ["whatever comes with a 401", 401, { error: { message: "see your billing page" } }, "auth"],
  ["a bare 403", 403, "", "auth"],
  ["OpenAI, no money", 429, { error: { message: "You exceeded your current quota", code: "insufficient_quota" } }, "quota"],
  ["OpenRouter, no money", 402, { error: { code: 402, message: "This request requires more credits" } }, "quota"],
  ["OpenRouter, key limit", 403, { error: { code: 403, message: "Key limit exceeded" } }, "quota"],
  ["OpenRouter, moderation", 403, { error: { code: 403, message: "Your input was flagged" } }, "content-filter"],
  ["Azure, content filter", 400, { error: { code: "content_filter", message: "The response was filtered" } }, "content-filter"],
  ["OpenAI, rate limit", 429, { error: { message: "Rate limit reached for gpt-x" } }, "rate-limit"],
  ["a bare 429", 429, "slow down", "rate-limit"],
  [
    "OpenAI, too long",
    400,
    { error: { code: "context_length_exceeded", message: "maximum context length is 8" } },
    "context-overflow",
  ],
  ["llama.cpp, too long", 400, { error: { type: "exceed_context_size_error", message: "exceeds" } }, "context-overflow"],
  ["Anthropic behind a gateway, too long", 400, { error: { message: "prompt is too long: 9 > 8" } }, "context-overflow"],
  [
    "OpenAI, unknown model",
    404,
    { error: { code: "model_not_found", message: "The model `gpt-x` does not exist" } },
    "model-not-found",
  ],
  ["Ollama, unknown model", 404, { error: { message: 'model "gpt-x" not found, try pulling it first' } }, "model-not-found"],
  ["vLLM, unknown model", 404, { object: "error", message: "The model `gpt-x` does not exist.", code: 404 }, "model-not-found"],
  ["OpenRouter, unknown model", 400, { error: { code: 400, message: "gpt-x is not a valid model ID" } }, "model-not-found"],
  ["FastAPI, wrong path", 404, { detail: "Not Found" }, "not-a-model"],
  ["llama.cpp, wrong path", 404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } }, "not-a-model"],
  ["a web page with status 404", 404, "<html>", "not-a-model"],
  ["a web page with status 405", 405, "<html>", "not-a-model"],
  ["a gateway's page with status 502", 502, "<html>Bad gateway", "server"],
  ["llama.cpp, loading", 503, { error: { message: "Loading model", type: "unavailable_error" } }, "overloaded"],
  ["Anthropic behind a gateway, overloaded", 529, { error: { type: "overloaded_error", message: "Overloaded" } }, "overloaded"],
  ["a bare 500", 500, "", "server"],
  ["a gateway that waited too long", 504, "", "timeout"],
  ["Ollama, no tools", 400, { error: { message: "gpt-x does not support tools" } }, "bad-request"],
  ["FastAPI, wrong field", 422, { detail: [{ msg: "extra fields", input: "billing" }] }, "bad-request"],
  ["a redirect", 307, "", "not-a-model"],
]

describe("classifyRefusal", () => {
  it.each(refusals)("%s", (_, status, body, kind) => {
    const fault = refuse(status, body)
    expect(fault.kind).toBe(kind)
    expect(fault.retryable).toBe(["rate-limit", "overloaded", "server", "timeout"].includes(kind))
    expect(fault.message).toMatch(/^OpenAI at https:\/\/api\.openai\.com\/v1 .+\.$/)
  })

  it("says what to do about a key, whether one was sent or not", () => {
    expect(refuse(401, "").message).toContain("Check the key in OPENAI_API_KEY.")
    const { key: _, ...keyless } = target
    expect(classifyRefusal(keyless, { status: 401, headers: {}, body: "" }).message).toContain("--api-key-env")
  })

  it("never repeats the key, the credentials or the query of the address", () => {
    const { message } = refuse(401, { error: { message: `Wrong key ${key} (sk-secr***6789)` } })
    expect(message).not.toMatch(/secr|pass|hidden|6789/)
    const plain = { ...target, key: { value: "plain0123", variable: "K" } }
    expect(classifyRefusal(plain, { status: 400, headers: {}, body: "you sent plain0123" }).message).toContain("you sent …")
    expect(refuse(302, "", { location: "https://a:b@c.d/e?f=g" }).message).toContain("to https://c.d/e.")
  })

  it("is one short line whatever the server says", () => {
    const { message } = refuse(500, `two\nlines\u0000 ${"x".repeat(10_000)}`)
    expect(message).not.toMatch(/[\n\u0000]/)
    expect(message.length).toBeLessThan(500)
  })

  it("reads how long the server wants to be left alone", () => {
    expect(refuse(429, "", { "retry-after": "7" }).retryAfterMs).toBe(7000)
    expect(refuse(429, "", { "retry-after": "0.5" }).retryAfterMs).toBe(500)
    expect(refuse(429, "", { "retry-after-ms": "90", "retry-after": "7" }).retryAfterMs).toBe(90)
    expect(refuse(503, "", { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).retryAfterMs).toBeGreaterThan(50_000)
    expect(refuse(429, { error: { details: [{ retryDelay: "30s" }] } }).retryAfterMs).toBe(30_000)
    expect(refuse(429, "", { "retry-after": "soon" }).retryAfterMs).toBeUndefined()
  })

  it("takes a quota that comes back for a rate limit", () => {
    expect(refuse(429, { error: { message: "You exceeded your current quota" } }, { "retry-after": "30" }).kind).toBe(
      "rate-limit",
    )
  })
})

describe("classifyComplaint", () => {
  const complain = (value: unknown) => {
    const complaint = complaintIn(value)
    return complaint && classifyComplaint(target, complaint).kind
  }

  it("finds errors in all the shapes they have inside a reply", () => {
    expect(complain({ error: "busy" })).toBe("server")
    expect(complain({ error: { code: "rate_limit_exceeded", message: "x" } })).toBe("rate-limit")
    expect(complain({ error: { code: 402, message: "x" } })).toBe("quota")
    expect(complain({ error: { message: "Provider returned error", metadata: { raw: '{"type":"overloaded_error"}' } } })).toBe(
      "overloaded",
    )
    expect(complain({ error: { type: "invalid_request_error", message: "x" } })).toBe("bad-request")
    expect(complain({ object: "error", message: "x", code: 500 })).toBe("server")
    expect(complain({ type: "error", error: { type: "overloaded_error", message: "x" } })).toBe("overloaded")
    expect(complain([{ error: { status: "RESOURCE_EXHAUSTED", message: "x" } }])).toBe("rate-limit")
    expect(complain({ detail: "x" })).toBe("server")
  })

  it("finds none where there is none", () => {
    for (const value of [
      undefined,
      null,
      3,
      "error",
      [],
      {},
      { error: null },
      { error: {} },
      { type: "ping" },
      { message: {} },
    ]) {
      expect(complain(value)).toBeUndefined()
    }
  })
})

describe("classifyBreak and classifySilence", () => {
  const broken = (code: string, begun = false) => classifyBreak(target, Object.assign(new Error("x"), { code }), begun)

  it("tells the ways apart in which a line breaks", () => {
    expect(broken("ECONNREFUSED")).toMatchObject({ kind: "network", retryable: true })
    expect(broken("ENOTFOUND").message).toContain("name cannot be resolved")
    expect(broken("ECONNRESET")).toMatchObject({ kind: "network", retryable: true })
    expect(broken("ECONNRESET", true)).toMatchObject({ kind: "cut-off", retryable: true })
    expect(broken("HPE_INVALID_CHUNK_SIZE", true)).toMatchObject({ kind: "cut-off", retryable: true })
    expect(broken("DEPTH_ZERO_SELF_SIGNED_CERT")).toMatchObject({ kind: "network", retryable: false })
    expect(broken("EPROTO")).toMatchObject({ kind: "network", retryable: false })
    expect(broken("HPE_INVALID_CONSTANT")).toMatchObject({ kind: "not-a-model", retryable: false })
    expect(broken("EHOSTUNREACH").message).toContain("EHOSTUNREACH")
  })

  it("T11: says which of the three waits was too long", () => {
    const messages = (["headers", "first-token", "between-chunks"] as const).map(
      (wait) => classifySilence(target, wait, 90_000).message,
    )
    expect(new Set(messages).size).toBe(3)
    expect(messages.every((message) => message.includes("90 s"))).toBe(true)
  })
})
