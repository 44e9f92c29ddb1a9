/** Token counts in the spellings that are around. */
import type { Usage } from "../../../types/usage.ts"

interface WireUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
  /** DeepSeek. */
  prompt_cache_hit_tokens?: unknown
  /** Moonshot. */
  cached_tokens?: unknown
  /** OpenRouter, in US dollars. */
  cost?: unknown
}

/** Undefined when nothing is counted: some servers send zeros with every chunk (E7). */
export function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const wire = value as WireUsage
  const inputTokens = count(wire.prompt_tokens) ?? 0
  const outputTokens = count(wire.completion_tokens) ?? 0
  if (inputTokens === 0 && outputTokens === 0) return undefined
  const usage: Usage = { inputTokens, outputTokens }
  const cached =
    count(wire.prompt_tokens_details?.cached_tokens) ?? count(wire.prompt_cache_hit_tokens) ?? count(wire.cached_tokens)
  const reasoning = count(wire.completion_tokens_details?.reasoning_tokens)
  const cost = count(wire.cost)
  if (cached !== undefined) usage.cachedTokens = cached
  if (reasoning !== undefined) usage.reasoningTokens = reasoning
  if (cost !== undefined) usage.cost = cost
  return usage
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined
}
