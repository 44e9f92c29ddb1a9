/** Counts tokens as OpenAI's recent models do. For any other model it is an estimate, and whoever shows it says so. */

export type CountTokens = (text: string) => number

/** Loads its tables (2 MB) when called, so nothing on the way to a request may call it. */
export async function tokenCounter(): Promise<CountTokens> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base")
  const asText = { disallowedSpecial: new Set<string>() } // text that looks like a control token is text like any other
  return (text) => countTokens(text, asText)
}
