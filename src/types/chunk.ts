/** What any provider yields while a reply streams. A fault is the last element, never thrown. */
import type { Fault } from "./fault.ts"
import type { ProviderState } from "./message.ts"
import type { Usage } from "./usage.ts"

export type EndReason =
  | "stop"
  | "tool-calls"
  | "length"
  | "content-filter"
  | "paused" // the model wants the same conversation sent again, to go on
  | "other"
  | "none" // the stream ended without saying why

export type Chunk =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string; state?: ProviderState }
  | ToolCallPartial
  | { type: "tool_call_start"; key: string; id: string; name: string }
  | { type: "tool_call_delta"; key: string; text: string }
  | { type: "tool_call_end"; key: string }
  | { type: "usage"; usage: Usage }
  /** Words for the person, no part of the reply: the server cut the prompt, a tool could not be offered. */
  | { type: "notice"; text: string }
  | { type: "end"; reason: EndReason }
  | { type: "fail"; fault: Fault }

/** Raw, as the wire had it: which call it belongs to is not decided yet. */
export interface ToolCallPartial {
  type: "tool_call_partial"
  index?: number
  id?: string
  name?: string
  arguments?: string
  state?: ProviderState
}
