/** Token counts of the Anthropic wire. They come in two frames, and not every server fills both. */
import type { Usage } from "../../../types/usage.ts"

export interface Counts {
  fresh: number
  written: number
  read: number
  output: number
}

export function noCounts(): Counts {
  return { fresh: 0, written: 0, read: 0, output: 0 }
}

/** Counts are cumulative: the last that is not zero stands. */
export function addCounts(counts: Counts, value: unknown): void {
  if (typeof value !== "object" || value === null) return
  const usage = value as Record<string, unknown>
  counts.fresh = positive(usage["input_tokens"]) ?? counts.fresh
  counts.written = positive(usage["cache_creation_input_tokens"]) ?? counts.written
  counts.read = positive(usage["cache_read_input_tokens"]) ?? counts.read
  counts.output = positive(usage["output_tokens"]) ?? counts.output
}

/** Undefined when nothing was counted. The wire counts cached tokens apart from the others. */
export function usageOf({ fresh, written, read, output }: Counts): Usage | undefined {
  const inputTokens = fresh + written + read
  if (inputTokens === 0 && output === 0) return undefined
  const usage: Usage = { inputTokens, outputTokens: output }
  if (read > 0) usage.cachedTokens = read
  if (written > 0) usage.cacheWriteTokens = written
  return usage
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined
}
