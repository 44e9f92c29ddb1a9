/**
 * Orders what the full-text search found. Pure: BM25 over four fields with a weight each, then what a person would add: the
 * more of the question a passage speaks of the better, a definition before its use, code before its tests.
 */
import type { Question, Term } from "./question.ts"
import { joined } from "./words.ts"

/** In the order of the index's columns. */
export const FIELDS = ["name", "place", "doc", "body"] as const
export type Field = (typeof FIELDS)[number]

export const TUNING = {
  weights: { name: 5, place: 1.2, doc: 3, body: 1 } satisfies Record<Field, number>,
  /** How much a long field is held against a passage. */
  lengths: { name: 0.4, place: 0.2, doc: 0.9, body: 0.7 } satisfies Record<Field, number>,
  saturation: 1.2,
  /** What another word for the same counts. */
  synonym: 0.5,
  /** How much a passage loses that speaks of only a part of the question. */
  coverage: 0.6,
  namedExactly: 2,
  /** A passage that is no definition. */
  loose: 0.8,
  /** What the best of a file's other passages add: a file about the matter is a better place to look. */
  fileShare: 0.05,
}

export interface Candidate {
  id: number
  path: string
  kind: string | null
  name: string | null
  /** Words in each field. */
  lengths: Record<Field, number>
  weight: number
}

export interface Corpus {
  passages: number
  /** Average number of words in each field. */
  averages: Record<Field, number>
  /** In how many passages a word occurs. */
  spread(word: string): number
  /** How often a word occurs in a field of a candidate. */
  occurs(word: string, id: number, field: Field): number
}

export interface Ranked {
  candidate: Candidate
  score: number
  /** Where each term was found, best first. */
  matched: { term: Term; field: Field }[]
}

export function rank(question: Question, candidates: readonly Candidate[], corpus: Corpus): Ranked[] {
  const rarity = question.terms.map((term) => rarityOf(term, corpus))
  const whole = rarity.reduce((sum, value) => sum + value, 0) || 1
  const ranked = candidates.map((candidate): Ranked => {
    let score = 0
    let covered = 0
    const matched: Ranked["matched"] = []
    for (const [at, term] of question.terms.entries()) {
      const { strength, field, exact } = strengthOf(term, candidate, corpus)
      if (!field) continue
      const rare = rarity[at] ?? 0
      score += (rare * strength * (TUNING.saturation + 1)) / (strength + TUNING.saturation)
      covered += rare * (exact ? 1 : TUNING.synonym)
      matched.push({ term, field })
    }
    score *= (1 - TUNING.coverage + TUNING.coverage * (covered / whole)) * candidate.weight
    if (candidate.name !== null && question.names.includes(joined(candidate.name))) score *= TUNING.namedExactly
    if (candidate.name === null || candidate.kind === "file") score *= TUNING.loose
    return { candidate, score, matched }
  })
  return withFiles(ranked)
}

function rarityOf({ word, also }: Term, { passages, spread }: Corpus): number {
  const own = spread(word)
  const among = own > 0 ? own : Math.max(1, ...also.map(spread))
  return Math.log(1 + (passages - among + 0.5) / (among + 0.5))
}

/** How strongly a term is in a passage, and in which field most of all. */
function strengthOf(
  { word, also }: Term,
  { id, lengths }: Candidate,
  { averages, occurs }: Corpus,
): { strength: number; field: Field | undefined; exact: boolean } {
  let strength = 0
  let best = 0
  let field: Field | undefined
  let exact = false
  for (const name of FIELDS) {
    const own = occurs(word, id, name)
    const other = also.reduce((sum, synonym) => Math.max(sum, occurs(synonym, id, name)), 0)
    if (own === 0 && other === 0) continue
    const long = 1 - TUNING.lengths[name] + (TUNING.lengths[name] * lengths[name]) / (averages[name] || 1)
    const part = (TUNING.weights[name] * (own > 0 ? own : TUNING.synonym * other)) / long
    strength += part
    exact ||= own > 0
    if (part > best) {
      best = part
      field = name
    }
  }
  return { strength, field, exact }
}

/** Each passage gains a share of the best others of its file. */
function withFiles(ranked: readonly Ranked[]): Ranked[] {
  const byFile = new Map<string, number[]>()
  for (const { candidate, score } of ranked) {
    const scores = byFile.get(candidate.path) ?? []
    scores.push(score)
    byFile.set(candidate.path, scores)
  }
  for (const scores of byFile.values()) scores.sort((one, other) => other - one)
  const raised = ranked.map((one) => {
    const [first = 0, second = 0, third = 0, fourth = 0] = byFile.get(one.candidate.path) ?? []
    const others = first + second + third + fourth - (one.score >= fourth ? one.score : fourth)
    return { ...one, score: one.score + TUNING.fileShare * others }
  })
  return raised.sort((one, other) => other.score - one.score || one.candidate.id - other.candidate.id)
}
