/** What fills the window of a model, piece by piece: for people who want to see it, pin something or take something out. */

export type ContextKind = "words" | "reply" | "result" | "record"

export interface ContextItem {
  /** The name to pin or drop it by. */
  item: string
  kind: ContextKind
  /** On one line. */
  title: string
  /** About. */
  tokens: number
  pinned: boolean
}

export interface ContextReport {
  model: string
  /** In the order in which the model sees them. */
  items: ContextItem[]
  /** Tokens, all of them estimates except where the provider has counted `used`. */
  system: number
  tools: number
  /** Of everything a request would have now. */
  used: number
  window: number
  /** Kept free for the reply. */
  reserve: number
  /** At so many the past is shortened; absent when it never is by itself. */
  condensesAt?: number
}
