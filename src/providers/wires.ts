/**
 * The wires there are, and how a base URL is written for each. The commonest is always there, so that a first request need not wait
 * for another file; the others load when a model first needs them.
 */
import type { WireName } from "./target.ts"
import { openaiChat } from "./wire/openai-chat.ts"
import type { Wire } from "./wire/wire.ts"

export interface WireEntry {
  load(): Promise<Wire>
  /** The path of a base URL that names none. */
  root: string
  /** Ends of addresses that people copy from elsewhere and that are not part of the base. */
  tails: RegExp
}

export const wires: Readonly<Record<WireName, WireEntry>> = {
  "openai-chat": {
    load: async () => openaiChat,
    root: "/v1",
    tails: /\/chat\/completions$/,
  },
  "openai-responses": {
    load: async () => (await import("./wire/openai-responses.ts")).openaiResponses,
    root: "/v1",
    tails: /\/responses$/,
  },
  anthropic: {
    load: async () => (await import("./wire/anthropic.ts")).anthropic,
    root: "/v1",
    tails: /\/messages$/,
  },
  gemini: {
    load: async () => (await import("./wire/gemini.ts")).gemini,
    root: "/v1beta",
    tails: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  },
  ollama: {
    load: async () => (await import("./wire/ollama.ts")).ollama,
    root: "/api",
    // Most people know the address of the same server's other wire.
    tails: /\/chat$|\/v1(\/chat\/completions)?$/,
  },
}

export function isWire(name: string): name is WireName {
  return Object.hasOwn(wires, name)
}
