/** What the Responses wire wants back: reasoning items with their encrypted content, and the phase of a message. */
import type { ProviderState } from "../../../types/message.ts"

/** Without its id: the server keeps nothing, and looks up no item (R12). */
export interface ReasoningItem {
  type: "reasoning"
  summary: unknown[]
  encrypted_content: string
}

/** What the reader keeps with a reasoning part. */
export interface ResponsesState {
  responses: {
    items: ReasoningItem[]
    /** Of the message that follows. */
    phase?: string
  }
}

/** Undefined when this state is of another wire. */
export function itemsIn({ data }: ProviderState): ResponsesState["responses"] | undefined {
  if (typeof data !== "object" || data === null || !("responses" in data)) return undefined
  const { responses } = data as Partial<ResponsesState>
  return responses && Array.isArray(responses.items) ? responses : undefined
}
