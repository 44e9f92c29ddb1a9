/** What is known of models: a committed table by name, a person's own settings over it, and careful defaults for the rest. */
import type { ModelFacts, Price } from "../types/model.ts"
import type { Usage } from "../types/usage.ts"
import { modelKey } from "./model-key.ts"
import table from "./models.json" with { type: "json" }

/** As `npm run models` writes it; a price is input, output and, where it is known, cached input. */
interface Entry {
  window: number
  output?: number
  price?: number[]
  images?: boolean
}

/** What a person may know better. */
export interface ModelOverride {
  window?: number
  output?: number
  images?: boolean
  price?: Price
  edits?: ModelFacts["edits"]
  /** False: its calls are written as text. */
  nativeTools?: boolean
}

/** A person may name a model as they choose it, as its server does, or in any spelling of it. */
export function overrideFor(
  models: Readonly<Record<string, ModelOverride>>,
  { id, model }: { id: string; model: string },
): ModelOverride {
  for (const name of [id, model]) if (Object.hasOwn(models, name)) return models[name] ?? {}
  const key = modelKey(model)
  return Object.entries(models).find(([name]) => modelKey(name) === key)?.[1] ?? {}
}

/** A window that every model of today has; a reply is not limited by us. */
const CAREFUL: Entry = { window: 32_768 }

/** The price is the maker's; a vendor that hosts it for another says so in its usage, or the person in their settings. */
export function modelFacts(name: string, override: ModelOverride = {}): ModelFacts {
  const entries: Record<string, Entry> = table
  const key = modelKey(name)
  const found = Object.hasOwn(entries, key) ? entries[key] : undefined
  const { window, output, price, images = false } = found ?? CAREFUL
  const [input, reply, cached] = price ?? []
  return {
    known: found !== undefined,
    window,
    ...(output !== undefined && { output }),
    ...(input !== undefined &&
      reply !== undefined && { price: { input, output: reply, ...(cached !== undefined && { cached }) } }),
    images,
    edits: editsOf(name),
    ...override,
  }
}

/** Makers train their models on one way of editing; any other model does well with blocks. */
function editsOf(name: string): ModelFacts["edits"] {
  if (/(^|\/)(gpt-[5-9]|o[34]\b|codex)|openai\//i.test(name)) return "patch"
  return /minimax/i.test(name) ? "replace" : "blocks"
}

/** undefined where neither the provider nor the price list says. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (usage.cost !== undefined || !price) return usage.cost
  const { input, output, cached = input } = price
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  const fresh = Math.max(0, inputTokens - cachedTokens)
  return (fresh * input + cachedTokens * cached + cacheWriteTokens * input * CACHE_WRITE_EXTRA + outputTokens * output) / 1e6
}

/** Who bills writes to the cache takes a quarter more for them. */
const CACHE_WRITE_EXTRA = 0.25
