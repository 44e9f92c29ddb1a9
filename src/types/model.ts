/** The port through which the loop talks to a language model. */
import type { Chunk } from "./chunk.ts"
import type { Fault } from "./fault.ts"
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
  /** Told what comes from the network, as it comes, for a report about a reply that was read wrongly. It is not to be changed. */
  onBytes?(bytes: Uint8Array): void
}

/** US dollars per million tokens. */
export interface Price {
  input: number
  output: number
  /** Of prompt tokens that came from the cache; the input price where nothing is said. */
  cached?: number
}

/** How calls travel: as the provider's own, or as tags in the text, for models that have no calls of their own (S9). */
export type ToolProtocol = "native" | "xml"

/** What is known of a model, besides how to talk to it. */
export interface ModelFacts {
  /** False: nobody knows this model, and careful defaults stand in. */
  known: boolean
  /** Tokens of prompt and reply together. */
  window: number
  /** Tokens of one reply at most. */
  output?: number
  price?: Price
  /** It takes images. */
  images: boolean
  /** False: it cannot call tools by itself. */
  nativeTools?: boolean
  /** The way of editing it was trained on. */
  edits: "blocks" | "patch" | "replace"
}

/** The models of a task: which one answers, and who takes over when it cannot. */
export interface Models {
  /** The one that answers in this mode now. */
  for(mode: string): Model
  /** After the fault of a request's nth attempt: who answers instead; undefined leaves it to the same one, or to nobody. */
  instead(of: Model, fault: Fault, attempt: number): Model | undefined
  /** From now on the one of this profile, or with this name; undefined when there is none. */
  choose(name: string): Model | undefined
  /** The same models for another task: what is chosen there later, and who answered last, is its own. */
  branch(): Models
}

/** What is waited for, since when and, where that is known, until when, by the clock. */
export interface Waiting {
  /**
   * `turn`: its server is asked by others of this process, or wants a pause. `connection`: the request is on its way. `headers`: it was
   * sent, and nothing came back yet.
   */
  for: "turn" | "connection" | "headers" | "first-token" | "between-chunks"
  sinceMs: number
  untilMs?: number
}

export interface Model {
  /** As people name it, `vendor/name`. */
  readonly id: string
  readonly facts: ModelFacts
  /** Learns what only its server can say, once; `facts` may change by it. To be awaited before a request is made up. Never rejects. */
  ready?(signal: AbortSignal): Promise<void>
  /** Its server is known to leave out the terminal: a text-only reply that simply ends counts as whole. */
  readonly endsSilently: boolean
  /**
   * Streams one reply, an array of chunks per network read. Never throws: the last chunk is `end` or `fail`.
   * `onWait` hears of each wait
   * that begins, and of a pause in the middle that lasts. Aborting the signal closes the connection and ends the iteration without a further chunk.
   */
  stream(request: ModelRequest, signal: AbortSignal, onWait?: (waiting: Waiting) => void): AsyncIterable<readonly Chunk[]>
}
