/**
 * Makes src/providers/models.json from the model registry package: window, output limit, prices and abilities by model name.
 * Run `npm run models` when the registry is raised; the result is committed, so that nothing is looked up at run time.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { getAllModels } from "@anolilab/ai-model-registry"
import { modelKey } from "../src/providers/model-key.ts"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Lists whose entries are whole. A later one wins: the maker knows best. */
const SOURCES = ["OpenRouter", "XAI", "OpenAI", "Anthropic"]
const SMALLEST_WINDOW = 2_000

const models = new Map()
const all = await getAllModels()
for (const source of SOURCES) {
  for (const model of all.filter(({ provider, toolCall }) => provider === source && toolCall)) {
    const facts = factsOf(model)
    const key = modelKey(model.id)
    if (facts && (source !== "OpenRouter" || !model.id.includes(":"))) models.set(key, { ...models.get(key), ...facts })
  }
}
const sorted = [...models].sort(([one], [other]) => (one < other ? -1 : 1))
const lines = sorted.map(([key, facts]) => `  ${JSON.stringify(key)}: ${JSON.stringify(facts)}`)
writeFileSync(join(root, "src/providers/models.json"), `{\n${lines.join(",\n")}\n}\n`)
process.stdout.write(`src/providers/models.json: ${sorted.length} models\n`)

/** undefined where the registry is obviously wrong. Prices are US dollars per million tokens. */
function factsOf({ limit, cost, vision, reasoning }) {
  const { context: window, output } = limit
  if (!(window >= SMALLEST_WINDOW)) return undefined
  const [input, reply, cached] = [cost?.input, cost?.output, cost?.inputCacheHit].map(perMillion)
  const known = input >= 0 && reply >= input
  return {
    window,
    ...(output >= 256 && output < window && { output }),
    ...(known && { price: cached >= 0 && cached < input ? [input, reply, cached] : [input, reply] }),
    ...(vision && { images: true }),
    ...(reasoning && { reasoning: true }),
  }
}

/** The registry mixes prices per token, per thousand and per million. */
function perMillion(price) {
  if (typeof price !== "number") return undefined
  const scaled = price < 2e-4 ? price * 1e6 : price < 0.05 ? price * 1e3 : price
  return Math.round(scaled * 1e4) / 1e4
}
