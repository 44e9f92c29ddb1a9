/**
 * A server that refuses a request by naming something it can do without gets the same request without it, from now on. Each thing is
 * given up once, so that this comes to an end.
 */
import type { OptionalField, Target, WireName } from "./target.ts"

interface Concession {
  field: OptionalField
  wires: readonly WireName[]
  /** How the refusal names it. */
  says: RegExp
}

const CONCESSIONS: readonly Concession[] = [
  { field: "stream_options", wires: ["openai-chat"], says: /stream_options/ },
  { field: "tool_choice", wires: ["openai-chat"], says: /tool_choice/ },
  { field: "eager_input_streaming", wires: ["anthropic"], says: /eager_input_streaming/ },
  { field: "cache_control", wires: ["anthropic"], says: /cache_control/ },
  // Signatures expire, and accounts and gateways change: what was thought is lost then, the task is not (R10).
  { field: "reasoning", wires: ["anthropic"], says: /signature|`?(redacted_)?thinking`?.{0,40}\b(block|cannot|must|not)/i },
  { field: "include", wires: ["openai-responses"], says: /\binclude\b/ },
  { field: "prompt_cache_key", wires: ["openai-responses"], says: /prompt_cache_key/ },
  { field: "strict", wires: ["openai-responses"], says: /\bstrict\b/ },
  {
    field: "reasoning",
    wires: ["openai-responses"],
    says: /encrypted.?content|\brs_\w+|type 'reasoning'|reasoning.{0,40}\b(item|following)/i,
  },
  { field: "thinkingConfig", wires: ["gemini"], says: /thinking|include_?thoughts/i },
  { field: "reasoning", wires: ["gemini"], says: /thought.?signature/i },
  { field: "result_images", wires: ["openai-responses"], says: /\.output\b.{0,80}(string|array|image)|function_call_output/i },
]

export interface Lesser {
  target: Target
  /** Every later request goes without it too. */
  lasting: boolean
}

export function downgrade(target: Target, { status, body }: { status: number; body: string }): Lesser | undefined {
  if (status !== 400 && status !== 404 && status !== 422) return undefined
  const allowed = allowedOutput(body)
  if (allowed && allowed.limit < (target.outputLimit ?? Number.POSITIVE_INFINITY)) {
    return { target: { ...target, outputLimit: allowed.limit }, lasting: allowed.lasting }
  }
  const { profile, wire } = target
  const isNamedOtherwise = target.options?.maxOutput !== undefined && /max_completion_tokens/.test(body)
  if (wire === "openai-chat" && isNamedOtherwise && profile.outputField === undefined) {
    return { target: { ...target, profile: { ...profile, outputField: "max_completion_tokens" } }, lasting: true }
  }
  const given = CONCESSIONS.find(
    ({ field, wires, says }) => wires.includes(wire) && !profile.omit.includes(field) && says.test(body),
  )
  return given && { target: { ...target, profile: { ...profile, omit: [...profile.omit, given.field] } }, lasting: true }
}

/** A reply that may be shorter than this is not worth its request: then the conversation is too long. */
const SHORTEST_REPLY = 4_096

/** The server says how long a reply may be: of this model, or behind a prompt of this length. */
function allowedOutput(body: string): { limit: number; lasting: boolean } | undefined {
  const [, most] = /max_tokens: \d+ > (\d+)/.exec(body) ?? []
  if (Number(most) > 0) return { limit: Number(most), lasting: true }
  const [, prompt, window] = /exceed context limit: (\d+) \+ \d+ > (\d+)/.exec(body) ?? []
  const left = Number(window) - Number(prompt)
  return left >= SHORTEST_REPLY ? { limit: left, lasting: false } : undefined
}
