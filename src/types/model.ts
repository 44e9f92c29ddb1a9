/** The port through which the loop talks to a language model. */
import type { Chunk } from "./chunk.ts"
import type { JsonSchema } from "./json.ts"
import type { Message } from "./message.ts"

export interface ToolDefinition {
  name: string
  description: string
  parameters: JsonSchema
}

export interface ModelRequest {
  system: string
  messages: readonly Message[]
  tools: readonly ToolDefinition[]
}

export interface Model {
  /** As people name it, `vendor/name`. */
  readonly id: string
  /** Its server is known to leave out the terminal: a text-only reply that simply ends counts as whole. */
  readonly endsSilently: boolean
  /**
   * Streams one reply, an array of chunks per network read. Never throws: the last chunk is `end` or `fail`.
   * Aborting the signal closes the connection and ends the iteration without a further chunk.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly Chunk[]>
}
