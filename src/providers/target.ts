/** Where a request goes and what is known of the server there. Everything a wire, a timer or a fault message needs, as data. */

export type WireName = "openai-chat"

/** The three ways of waiting, in milliseconds. */
export interface Timers {
  /** From sending the request to the head of the response. */
  headersMs: number
  /** The longest wait for a token: for the first one, and later for the next one while only keep-alives arrive. */
  firstTokenMs: number
  /** The longest silence, not even a keep-alive, once the reply has begun. */
  betweenChunksMs: number
}

/** A field that a request can do without. Servers that know less than the whole API refuse one or the other. */
export type OptionalField = "stream_options" | "tool_choice"

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
  /** Fields it refuses. */
  omit: readonly OptionalField[]
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
  headers: Readonly<Record<string, string>>
  profile: Profile
  timers: Timers
  /** What to do when nothing answers there. */
  start?: string
}
