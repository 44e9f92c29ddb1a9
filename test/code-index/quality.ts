/**
 * `npx tsx test/code-index/quality.ts [--misses] [--held-out]`: how well the index answers the questions, as the table of
 * docs/code-search.md.
 */
import { openCorpus, type Placed, placeAll, recall } from "./measure.ts"
import { QUESTIONS } from "./questions.ts"

const withHeldOut = process.argv.includes("--held-out")
const corpus = openCorpus()
try {
  const started = performance.now()
  const state = await corpus.index.refresh({ signal: new AbortController().signal, onProgress() {} })
  say(`${state.files} files, ${state.passages} passages, built in ${Math.round(performance.now() - started)} ms`)
  const asked = QUESTIONS.filter((_, at) => withHeldOut || at % 2 === 0)
  const before = performance.now()
  const placed = await placeAll(corpus, asked)
  say(`${placed.length} questions in ${Math.round(performance.now() - before)} ms, ripgrep included\n`)
  say(table(placed))
  if (process.argv.includes("--misses")) {
    for (const { question, symbol, file, heldOut } of placed) {
      if (heldOut || symbol <= 5) continue
      const answers = question.answers.map((answer) => `${answer.file}#${answer.symbol}`)
      say(`${symbol}\t${file}\t${question.words} → ${answers.join(", ")}`)
      const { hits } = await corpus.index.search(question.words, {
        most: 5,
        signal: new AbortController().signal,
        onProgress() {},
      })
      for (const hit of hits) say(`\t\t${hit.score.toFixed(2)} ${hit.path}:${hit.lines[0]} ${hit.symbol ?? ""} (${hit.why})`)
    }
  }
} finally {
  await corpus.close()
}

function table(placed: readonly Placed[]): string {
  const parts: [string, readonly Placed[]][] = [
    ["tuned on", placed.filter(({ heldOut }) => !heldOut)],
    ["held out", placed.filter(({ heldOut }) => heldOut)],
  ]
  const rows = parts.flatMap(([name, part]) => {
    if (part.length === 0) return []
    const row = (what: string, places: number[]) =>
      `| ${[`${name} (${part.length})`, what, ...[1, 5, 10].map((within) => percent(recall(places, within)))].join(" | ")} |`
    return [
      row(
        "codebase_search, the symbol",
        part.map(({ symbol }) => symbol),
      ),
      row(
        "codebase_search, the file",
        part.map(({ file }) => file),
      ),
      row(
        "ripgrep, files with most different keywords",
        part.map(({ ripgrepWords }) => ripgrepWords),
      ),
      row(
        "ripgrep, files with most hits",
        part.map(({ ripgrepHits }) => ripgrepHits),
      ),
    ]
  })
  return ["| questions | what is looked for | first | in 5 | in 10 |", "|---|---|---|---|---|", ...rows].join("\n")
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
