/** What the scripted model must know to speak a wire: where it listens, what a valid request is, and how a reply is written. */
import type { ChatRequest } from "../chat-request.ts"
import type { Beat, Label } from "../completion.ts"
import type { Reply } from "../scenario.ts"

/** A request as it arrived. */
export interface Received {
  /** Without the query. */
  path: string
  query: URLSearchParams
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed JSON; undefined when the body is none. */
  body: unknown
}

export interface ScriptedWire {
  name: string
  /** The path of this wire's base URL. */
  root: string
  /** Is a POST to this path a request of this wire? */
  takes(path: string): boolean
  /** Every rule the request breaks, one line each. Never throws, whatever JSON the body is. */
  check(received: Received): string[]
  /**
   * The request as scenarios see it: in the form of a chat completions request. undefined when it cannot be read at all. Never
   * throws, though the request may break rules.
   */
  neutral(received: Received): ChatRequest | undefined
  /** A refusal in the form of this wire's own errors. */
  refusal(status: number, message: string): string
  /** The content type when a stream is asked for; undefined for one JSON document. */
  streams(received: Received): string | undefined
  stream(reply: Reply, label: Label): Generator<Beat, void>
  whole(reply: Reply, label: Label): Generator<Beat, void>
}
