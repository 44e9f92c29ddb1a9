/** What a reply, or a whole task, has consumed. */

export interface Usage {
  /** All prompt tokens, cached ones included. */
  inputTokens: number
  outputTokens: number
  cachedTokens?: number
  /** Of the prompt tokens, those written to the provider's cache; some bill them higher. */
  cacheWriteTokens?: number
  reasoningTokens?: number
  /** In US dollars, where the provider or the price list says. */
  cost?: number
}

/** Attempts and failures by tool name. */
export type ToolUsage = Record<string, { attempts: number; failures: number }>
