/**
 * Asks every question of the set and counts where its answer stands: in the index, and in what ripgrep finds with the same
 * keywords. Both get the same words; ripgrep's files are ordered once by the number of hits and once by how many different
 * keywords a file has.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import { type CodeIndex, openCodeIndex } from "../../src/code-index/code-index.ts"
import { isEmptyWord } from "../../src/code-index/words.ts"
import { guardHost } from "../../src/host/guarded.ts"
import { localHost } from "../../src/host/local.ts"
import { CORPUS, type CodeQuestion, QUESTIONS } from "./questions.ts"

/** Places in the order of the answer, counted from 1; Infinity where the answer is not there. */
export interface Placed {
  question: CodeQuestion
  heldOut: boolean
  /** The symbol itself, and its file. */
  symbol: number
  file: number
  /** Of the file, in ripgrep's two orders. */
  ripgrepHits: number
  ripgrepWords: number
}

const MOST = 10
/** Builds that repeat the same sources, and declarations beside them. */
const REPEATED = /\/(?:cjs|types)(?:\/|$)|\.(?:map|d\.[cm]?ts)$/

export interface Corpus {
  folder: string
  workspace: string
  index: CodeIndex
  close(): Promise<void>
}

export function openCorpus(): Corpus {
  const folder = mkdtempSync(join(tmpdir(), "joey-questions-"))
  const workspace = join(folder, "workspace")
  for (const path of CORPUS) {
    cpSync(resolve("node_modules", path), join(workspace, path), { recursive: true, filter: (source) => !REPEATED.test(source) })
  }
  const host = guardHost(localHost(workspace), [workspace])([])
  const index = openCodeIndex({ host, file: join(folder, "index.sqlite"), patienceMs: 600_000 })
  return {
    folder,
    workspace,
    index,
    async close() {
      await index.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Without `beside` ripgrep is not asked. */
export async function placeAll({ index, workspace }: Corpus, questions = QUESTIONS, beside = true): Promise<Placed[]> {
  const signal = new AbortController().signal
  const placed: Placed[] = []
  for (const question of questions) {
    const { hits } = await index.search(question.words, { most: MOST * 3, signal, onProgress() {} })
    const symbols = hits.map(({ path, symbol = "" }) => `${path}#${symbol.split(" ")[1] ?? ""}`)
    const files = [...new Set(hits.map(({ path }) => path))]
    const places = question.answers.map(({ file, symbol }) => ({
      symbol: at(symbols, `${file}#${symbol}`),
      file: at(files, file),
    }))
    const ripgrep = beside ? withRipgrep(question.words, workspace) : { byHits: [], byWords: [] }
    const inFiles = (list: readonly string[]) => Math.min(...question.answers.map(({ file }) => at(list, file)))
    placed.push({
      question,
      heldOut: QUESTIONS.indexOf(question) % 2 === 1,
      symbol: Math.min(...places.map(({ symbol }) => symbol)),
      file: Math.min(...places.map(({ file }) => file)),
      ripgrepHits: inFiles(ripgrep.byHits),
      ripgrepWords: inFiles(ripgrep.byWords),
    })
  }
  return placed
}

function at(list: readonly string[], wanted: string): number {
  const place = list.findIndex((one) => one.replace(/#[#_$]+/, "#") === wanted.replace(/#[#_$]+/, "#"))
  return place === -1 ? Number.POSITIVE_INFINITY : place + 1
}

/** Each keyword by itself, in any case, as a part of a word; a trailing s is left off. */
function withRipgrep(words: string, workspace: string): { byHits: string[]; byWords: string[] } {
  const keywords = words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !isEmptyWord(word))
  const files = new Map<string, { hits: number; words: number }>()
  for (const keyword of new Set(keywords.map((word) => word.replace(/(?<=...)s$/, "")))) {
    for (const line of countMatches(keyword, workspace).split("\n")) {
      const [, path, count] = /^(.*):(\d+)$/.exec(line) ?? []
      if (path === undefined) continue
      const known = files.get(path) ?? { hits: 0, words: 0 }
      files.set(path, { hits: known.hits + Number(count), words: known.words + 1 })
    }
  }
  const order = (compare: (one: { hits: number; words: number }, other: { hits: number; words: number }) => number) =>
    [...files].sort(([, one], [, other]) => compare(one, other)).map(([path]) => path)
  return {
    byHits: order((one, other) => other.hits - one.hits),
    byWords: order((one, other) => other.words - one.words || other.hits - one.hits),
  }
}

function countMatches(keyword: string, workspace: string): string {
  try {
    const args = ["--no-config", "--count-matches", "--ignore-case", "--fixed-strings", "--no-heading", "--", keyword]
    return execFileSync(rgPath, args, { cwd: workspace, encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "ignore"] })
  } catch {
    return "" // nothing found
  }
}

export function recall(places: readonly number[], within: number): number {
  return places.filter((place) => place <= within).length / places.length
}
