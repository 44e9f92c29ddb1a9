/** Reasoning in the fields that servers invented for it (R1–R4), as text for people and as opaque state for the next request. */
import type { Chunk } from "../../../types/chunk.ts"
import type { ProviderState } from "../../../types/message.ts"

export interface ReasoningFields {
  reasoning_content?: unknown
  reasoning?: unknown
  reasoning_text?: unknown
  reasoning_opaque?: unknown
  reasoning_details?: unknown
}

/** What must go back verbatim, gathered over the whole reply. */
export interface ReasoningState {
  details: Record<string, unknown>[]
  opaque: string | undefined
}

export function readReasoning(delta: ReasoningFields, state: ReasoningState, chunks: Chunk[]): void {
  // One text only: gateways like to send the same words under several names.
  const text = words(delta.reasoning_content) || words(delta.reasoning) || words(delta.reasoning_text)
  if (text !== "") chunks.push({ type: "reasoning", text })
  if (Array.isArray(delta.reasoning_details)) {
    for (const detail of delta.reasoning_details) addDetail(detail, state, text === "" ? chunks : undefined)
  }
  if (typeof delta.reasoning_opaque === "string" && delta.reasoning_opaque !== "") {
    state.opaque = (state.opaque ?? "") + delta.reasoning_opaque
  }
}

/** What was gathered, tagged with its model. */
export function reasoningState({ details, opaque }: ReasoningState, model: string): ProviderState {
  return {
    model,
    data: {
      ...(details.length > 0 && { reasoning_details: details }),
      ...(opaque !== undefined && { reasoning_opaque: opaque }),
    },
  }
}

/** Pieces of one block are joined, blocks are kept apart. The text goes to `chunks` when no other field carries it. */
function addDetail(value: unknown, state: ReasoningState, chunks: Chunk[] | undefined): void {
  if (typeof value !== "object" || value === null) return
  const detail = value as Record<string, unknown>
  const text = words(detail["text"]) || words(detail["summary"])
  if (text !== "") chunks?.push({ type: "reasoning", text })
  const last = state.details.at(-1)
  const continues = last && last["type"] === detail["type"] && last["index"] === detail["index"] && last["data"] === undefined
  if (!continues) {
    state.details.push({ ...detail })
    return
  }
  for (const [key, piece] of Object.entries(detail)) {
    if (piece === null || piece === undefined) continue
    const joined = (key === "text" || key === "summary") && typeof last[key] === "string" && typeof piece === "string"
    last[key] = joined ? last[key] + piece : piece
  }
}

function words(value: unknown): string {
  return typeof value === "string" ? value : ""
}
