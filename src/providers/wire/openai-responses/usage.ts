/** Token counts of the Responses wire. */
import type { Usage } from "../../../types/usage.ts"

interface WireUsage {
  input_tokens?: unknown
  output_tokens?: unknown
  input_tokens_details?: { cached_tokens?: unknown } | null
  output_tokens_details?: { reasoning_tokens?: unknown } | null
}

/** Undefined when nothing is counted. */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const wire = value as WireUsage
  const usage: Usage = { inputTokens: count(wire.input_tokens) ?? 0, outputTokens: count(wire.output_tokens) ?? 0 }
  if (usage.inputTokens === 0 && usage.outputTokens === 0) return undefined
  const cached = count(wire.input_tokens_details?.cached_tokens)
  const reasoning = count(wire.output_tokens_details?.reasoning_tokens)
  if (cached !== undefined) usage.cachedTokens = cached
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  return usage
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined
}
