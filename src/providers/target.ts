/** Where a request goes and what is known of the server there. Everything a wire, a timer or a fault message needs, as data. */
import type { JsonObject } from "../types/json.ts"
import type { ProxyServer } from "./proxy.ts"

export type WireName = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "ollama"

/** The three ways of waiting, in milliseconds. */
export interface Timers {
  /** From sending the request to the head of the response. */
  headersMs: number
  /** The longest wait for a token: for the first one, and later for the next one while only keep-alives arrive. */
  firstTokenMs: number
  /** The longest silence, not even a keep-alive, once the reply has begun. */
  betweenChunksMs: number
}

/** What a request can do without. Servers that know less than the whole API refuse one or the other. */
export type OptionalField =
  | "stream_options"
  | "tool_choice"
  | "eager_input_streaming"
  | "cache_control"
  /** What the model thought in earlier turns. */
  | "reasoning"
  | "include"
  | "prompt_cache_key"
  | "strict"
  /** Images inside results; they are sent as the person's then. */
  | "result_images"
  /** Asking a Gemini model for its thoughts. */
  | "thinkingConfig"

/** What is particular about a server. */
export interface Profile {
  /** It is known to leave out the terminal: a text-only reply that simply ends counts as whole. */
  endsSilently: boolean
  /**
   * Where thinking may stand besides the fields for it: nowhere, at the head of the text in `<think>` tags, or there with
   * the opening tag left out (then every reply begins inside).
   */
  thinkTags: "none" | "paired" | "unopened"
  /** Every assistant message must carry this field, with the reasoning of that turn or empty. */
  reasoningField?: "reasoning_content" | "reasoning"
  /** Every turn's first call must carry a signature; this one stands for calls that another model made. */
  placeholderSignature?: string
  /** Call ids that do not match are replaced. */
  callIds: RegExp
  /** What it refuses. */
  omit: readonly OptionalField[]
  /** The role of the system prompt; `system` unless said. */
  systemRole?: "developer"
  /** What it calls the longest reply; `max_tokens` unless said. */
  outputField?: "max_completion_tokens"
  /**
   * How it hears how much to think: in OpenAI's word, in OpenRouter's object, by a switch that is on or off, by a flag, or by one for its
   * chat template. Without it nothing is said.
   */
  thinking?: "effort" | "object" | "switch" | "flag" | "template"
  /** A result must name its tool. */
  namedResults?: boolean
  /** Behind results only the model may speak: words of a person that follow them get a short reply in between. */
  assistantAfterResults?: boolean
  /** Fields that each request carries besides. */
  fields?: Readonly<JsonObject>
}

/** How much a model should think. */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh"

/** What a person asks of every reply. */
export interface RequestOptions {
  temperature?: number
  reasoningEffort?: Effort
  /** Tokens. */
  maxOutput?: number
}

export interface Target {
  /** As people name it, `vendor/name`. */
  id: string
  /** How its owner is called in messages. */
  vendor: string
  wire: WireName
  /** The model's name as the server knows it. */
  model: string
  /** The address below which the wire's paths begin; it may carry a query. */
  baseUrl: string
  key?: { value: string; variable: string }
  /** The header that holds the key, where it is not the wire's own. */
  keyHeader?: string
  headers: Readonly<Record<string, string>>
  profile: Profile
  timers: Timers
  /** Tokens of prompt and reply together, where known. */
  window?: number
  /** Tokens of one reply at most, where known. */
  outputLimit?: number
  options?: RequestOptions
  /** Its use costs nothing. */
  free?: boolean
  /** Requests it takes at once. */
  atOnce?: number
  /** What to do when nothing answers there. */
  start?: string
  /** What stands between us and the server. */
  proxy?: ProxyServer
  /** A file with certificates that are trusted besides the usual ones. */
  caFile?: string
}
