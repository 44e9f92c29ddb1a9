/** Every class of fault on every wire, as a status and inside a reply that began with 200. */
import { describe, expect, it } from "vitest"
import type { Chunk } from "../types/chunk.ts"
import type { FaultKind } from "../types/fault.ts"
import { classifyRefusal } from "./classify.ts"
import type { WireName } from "./target.ts"
import { testTarget } from "./wire/split-reading.ts"
import { wires } from "./wires.ts"

const names = Object.keys(wires) as WireName[]

interface Complaint {
  status: number
  /** As OpenAI, Anthropic and Google call it. */
  codes: readonly [string, string, string]
  message: string
}

const CLASSES: readonly (readonly [FaultKind, Complaint])[] = [
  [
    "overloaded",
    { status: 503, codes: ["server_overloaded", "overloaded_error", "UNAVAILABLE"], message: "The model is overloaded" },
  ],
  [
    "rate-limit",
    {
      status: 429,
      codes: ["rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"],
      message: "Rate limit reached. Please try again in 7s.",
    },
  ],
  [
    "quota",
    {
      status: 402,
      codes: ["insufficient_quota", "billing_error", "FAILED_PRECONDITION"],
      message: "You exceeded your current quota, check your plan and billing",
    },
  ],
  ["auth", { status: 401, codes: ["invalid_api_key", "authentication_error", "UNAUTHENTICATED"], message: "API key not valid" }],
  [
    "context-overflow",
    {
      status: 400,
      codes: ["context_length_exceeded", "invalid_request_error", "INVALID_ARGUMENT"],
      message: "prompt is too long: 300000 tokens > 200000 maximum context",
    },
  ],
  [
    "content-filter",
    {
      status: 400,
      codes: ["content_filter", "invalid_request_error", "INVALID_ARGUMENT"],
      message: "flagged by the content policy",
    },
  ],
  [
    "model-not-found",
    { status: 404, codes: ["model_not_found", "not_found_error", "NOT_FOUND"], message: "The model m does not exist" },
  ],
  [
    "bad-request",
    {
      status: 400,
      codes: ["invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"],
      message: "Invalid request: messages.3 is wrong",
    },
  ],
  ["server", { status: 500, codes: ["server_error", "api_error", "INTERNAL"], message: "Something went wrong" }],
]

const begun: Record<WireName, string> = {
  "openai-chat":
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{"}}]}}]}\n\n',
  "openai-responses": 'data: {"type":"response.output_text.delta","delta":"half"}\n\n',
  anthropic:
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  gemini: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"half"}]}}]}\n\n',
  ollama: '{"message":{"role":"assistant","content":"half"},"done":false}\n',
}

/** One or two forms in which each wire complains in the middle of a reply. */
function framesOn(wire: WireName, { codes: [openai, anthropic, google], message, status }: Complaint): string[] {
  const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
  switch (wire) {
    case "openai-chat":
      return [
        data({ error: { message, code: openai } }),
        data({ error: { message, code: status }, choices: [{ finish_reason: "error", delta: {} }] }),
      ]
    case "openai-responses":
      return [
        data({ type: "error", code: openai, message }),
        data({ type: "response.failed", response: { status: "failed", error: { code: openai, message } } }),
      ]
    case "anthropic":
      return [`event: error\n${data({ type: "error", error: { type: anthropic, message } })}`]
    case "gemini":
      return [data({ error: { code: status, message, status: google } })]
    case "ollama":
      return [`${JSON.stringify({ error: message })}\n`]
  }
}

async function read(wire: WireName, text: string): Promise<Chunk[]> {
  const reader = (await wires[wire].load()).open({ ...testTarget, wire })
  const chunks = reader.step(Buffer.from(text))
  return reader.phase === "failed" ? chunks : [...chunks, ...reader.halt()]
}

describe.each(names)("faults on %s", (wire) => {
  it.each(CLASSES)("%s inside a reply with status 200, at its head and in the middle", async (kind, complaint) => {
    for (const frame of framesOn(wire, complaint)) {
      for (const text of [frame, begun[wire] + frame]) {
        const last = (await read(wire, text)).at(-1)
        expect(last, text).toMatchObject({ type: "fail", fault: { kind } })
        if (kind === "rate-limit") expect(last, text).toMatchObject({ fault: { retryAfterMs: 7_000, retryable: true } })
      }
    }
  })

  it.each(CLASSES)("%s as a status, with the wait the server asks for", (kind, { status, codes, message }) => {
    for (const code of codes) {
      const body = JSON.stringify({ error: { type: code, message } })
      const fault = classifyRefusal(
        { ...testTarget, wire },
        { status, body, headers: status === 429 ? { "retry-after": "3" } : {} },
      )
      expect(fault, code).toMatchObject({ kind, status })
      expect(fault.message).not.toContain("\n")
      if (kind === "rate-limit") expect(fault.retryAfterMs).toBe(3_000)
    }
  })
})
