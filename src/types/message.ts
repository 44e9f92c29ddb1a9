/**
 * The history in neutral form. Each request to a provider is a projection of it; nothing provider-specific is stored here
 * except opaque state, tagged with the model that made it.
 */
import type { JsonObject } from "./json.ts"

export type Content = { type: "text"; text: string } | { type: "image"; mediaType: string; data: string }

/** Something only the model that made it understands: replayed verbatim to that model, dropped for any other. */
export interface ProviderState {
  model: string
  data: unknown
}

/** A sealed call: its argument text was whole, strict JSON of an object. The only thing that can run. */
export interface Call {
  /** Ours, unique within the task; results are paired by it. */
  key: string
  /** The provider's id, or one we minted. Not unique across turns. */
  id: string
  /** As the model wrote it. */
  name: string
  input: JsonObject
}

/** A call whose argument text could not be sealed. It never runs; the model is told why. */
export interface MalformedCall {
  key: string
  id: string
  name: string
  /** What could be read, for eyes and for a valid replay. */
  input: JsonObject
  malformed: Malformation
}

export interface Malformation {
  /** The reason in plain words, for example "the text ends inside a string". */
  problem: string
  /** Where, as an offset into the argument text, and what stands there. */
  offset: number
  excerpt: string
  /** The argument that was still being written. */
  unfinished?: string
  /** The argument text as it arrived. */
  raw: string
  /** The reply was cut by the output limit while this call was open. */
  cut?: boolean
}

export type ReceivedCall = Call | MalformedCall

export type AssistantPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string; state?: ProviderState }
  | { type: "call"; call: ReceivedCall; state?: ProviderState }

export interface AssistantMessage {
  role: "assistant"
  /** In the order in which the model produced them. */
  parts: AssistantPart[]
  model: string
  /** Names it among what the model sees, for pinning and dropping. */
  item?: string
  /** The reply broke off; only its text and reasoning are kept. */
  interrupted?: boolean
}

export interface UserMessage {
  role: "user"
  content: Content[]
  item?: string
}

/** How a call came out. Whether the model is told "error" follows from this word alone (`isErrorResult`). */
export type ResultKind =
  | "done"
  | "failed" // the tool says so
  | "invalid" // malformed, unknown tool, wrong types
  | "denied" // by the person or by policy
  | "not-run" // skipped because of what happened to an earlier call of the turn
  | "cancelled"
  | "interrupted" // started, then the process died: outcome unknown
  | "crashed" // a bug in the tool

export interface ResultMessage {
  role: "result"
  callKey: string
  kind: ResultKind
  content: Content[]
}

export type Message = UserMessage | AssistantMessage | ResultMessage

export function isErrorResult(kind: ResultKind): boolean {
  return kind !== "done" && kind !== "cancelled"
}
