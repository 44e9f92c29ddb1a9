/** Finds the tools that fit some words: by their names, what is said of them, and the names of their arguments. Rare words count more. Pure. */

export interface Searchable {
  name: string
  server: string
  description: string
  argumentNames: readonly string[]
}

const NAME_WEIGHT = 4
const SERVER_WEIGHT = 2
const ARGUMENT_WEIGHT = 1.5

/** Best first; only those that have something in common with the words. */
export function searchTools<Item extends Searchable>(items: readonly Item[], words: string, most: number): Item[] {
  const wanted = [...new Set(wordsIn(words))]
  if (wanted.length === 0) return []
  const indexed = items.map((item) => ({ item, weights: weigh(item) }))
  const rarity = new Map(
    wanted.map((word) => {
      const having = indexed.filter(({ weights }) => weightOf(weights, word) > 0).length
      return [word, Math.log(1 + items.length / (1 + having))]
    }),
  )
  const plain = words.trim().toLowerCase()
  return indexed
    .map(({ item, weights }) => {
      const exact = item.name.toLowerCase() === plain ? 1000 : 0
      return { item, score: wanted.reduce((sum, word) => sum + weightOf(weights, word) * (rarity.get(word) ?? 0), exact) }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ item }) => item)
}

type Weights = Map<string, number>

function weigh({ name, server, description, argumentNames }: Searchable): Weights {
  const weights: Weights = new Map()
  const add = (text: string, weight: number) => {
    for (const word of wordsIn(text)) weights.set(word, Math.max(weights.get(word) ?? 0, weight))
  }
  add(description, 1)
  for (const argument of argumentNames) add(argument, ARGUMENT_WEIGHT)
  add(server, SERVER_WEIGHT)
  add(name, NAME_WEIGHT)
  return weights
}

/** The word itself, or one that begins alike: "issues" finds "issue". */
function weightOf(weights: Weights, word: string): number {
  const exact = weights.get(word)
  if (exact !== undefined) return exact
  if (word.length < 4) return 0
  let best = 0
  for (const [known, weight] of weights) {
    const alike = known.length >= 4 && (known.startsWith(word) || word.startsWith(known))
    if (alike) best = Math.max(best, weight * 0.6)
  }
  return best
}

/** `createIssue`, `create-issue` and `create_issue` are two words. */
function wordsIn(text: string): string[] {
  return text
    .slice(0, 4_000)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !EMPTY.has(word))
}

const EMPTY = new Set([
  "a",
  "an",
  "the",
  "of",
  "to",
  "in",
  "for",
  "and",
  "or",
  "with",
  "on",
  "is",
  "this",
  "that",
  "from",
  "by",
  "tool",
  "tools",
])
