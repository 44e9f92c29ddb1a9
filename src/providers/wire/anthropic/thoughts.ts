/** Thinking as the Anthropic wire wants it back: verbatim, to the model that made it. */
import type { ProviderState } from "../../../types/message.ts"

export type ThoughtBlock = { type: "thinking"; thinking: string; signature: string } | { type: "redacted_thinking"; data: string }

/** What the reader keeps with a reasoning part: the blocks it was made of, in order. */
export interface AnthropicState {
  anthropic: ThoughtBlock[]
}

/** Undefined when this state is of another wire. */
export function thoughtsIn({ data }: ProviderState): readonly ThoughtBlock[] | undefined {
  if (typeof data !== "object" || data === null || !("anthropic" in data)) return undefined
  const { anthropic } = data
  return Array.isArray(anthropic) ? (anthropic as ThoughtBlock[]) : undefined
}
