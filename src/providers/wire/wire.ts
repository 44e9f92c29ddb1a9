/** What a wire format is: how a request is written, and how the bytes of a reply are read. */
import type { Chunk } from "../../types/chunk.ts"
import type { ModelRequest } from "../../types/model.ts"
import type { Target } from "../target.ts"

export interface WireRequest {
  /** Below the target's base URL. */
  path: string
  headers: Record<string, string>
  body: string
  /** Characters of the prompt's text, for a wire that compares them with what the server says it read. */
  promptLength?: number
  /** What a person should know about this request, for example that a tool was left out. */
  notices?: readonly string[]
}

/** How far a reply has come: its content still flows, its reason to end is known, all was said, or it failed. */
export type Phase = "open" | "ending" | "done" | "failed"

/**
 * Reads one reply. Any bytes at all are accepted, in pieces of any size; nothing is thrown. `step` may yield a `fail` as its
 * last chunk, after which nothing more comes. `halt` is called once, when no more bytes come, and yields the `end`.
 */
export interface WireReader {
  readonly phase: Phase
  step(bytes: Uint8Array): Chunk[]
  halt(): Chunk[]
}

export interface Wire {
  request(input: ModelRequest, target: Target): WireRequest
  open(target: Target, sent?: WireRequest): WireReader
}
