/** `joey cost`: what was used today, by model, and on the last days, as small bars. */
import { dayOf, readDays, type Spent } from "../../task/ledger.ts"
import { joeyHome } from "../../task/store.ts"
import { printableLine } from "../../text/printable.ts"
import { readArguments, UsageError } from "../arguments.ts"

const DAYS = 7
const WIDTH = 24
/** Eighths of a character. */
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

interface Sum {
  name: string
  replies: number
  input: number
  output: number
  /** undefined when no reply had a price. */
  cost?: number
}

export async function cost(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { words, format } = readArguments(args)
  if (words.length > 0) throw new UsageError(`joey cost takes no words ("${words[0]}").`)
  const days = readDays(joeyHome(process.env), DAYS)
  const today = days.find(({ day }) => day === dayOf(Date.now()))
  const models = sumUp(today?.entries ?? [], ({ model }) => model)
  const week = days.map(({ day, entries }) => total(day, entries))
  const lines =
    format === "text" ? report(models, week) : [JSON.stringify({ v: 1, type: "cost", today: models, days: week.map(withDay) })]
  process.stdout.write(`${lines.join("\n")}\n`)
  return 0
}

function withDay({ name, ...sum }: Sum): object {
  return { day: name, ...sum }
}

function report(models: readonly Sum[], days: readonly Sum[]): string[] {
  if (days.length === 0) return ["Nothing was used yet."]
  const today = models.length > 0 ? ["Today", ...draw(models)] : ["Today: nothing was used."]
  const [spent] = sumUp(days, () => "")
  const all = spent?.cost === undefined ? "" : `, $${spent.cost.toFixed(2)} together`
  return [...today, "", `The last days${all}`, ...draw(days)]
}

/** Costs where any is known, otherwise tokens. */
function draw(sums: readonly Sum[]): string[] {
  const weigh = (sum: Sum) => (sums.some(({ cost = 0 }) => cost > 0) ? (sum.cost ?? 0) : sum.input + sum.output)
  const most = Math.max(...sums.map(weigh))
  const names = sums.map(({ name }) => printableLine(name))
  const width = Math.max(...names.map((name) => name.length))
  return sums.map((sum, at) => {
    const money = sum.cost === undefined ? "–" : `$${sum.cost.toFixed(2)}`
    const counts = `${sum.replies} ${sum.replies === 1 ? "reply" : "replies"}, ${short(sum.input)} in, ${short(sum.output)} out`
    return `  ${(names[at] ?? "").padEnd(width)}  ${money.padStart(8)}  ${bar(weigh(sum) / most).padEnd(WIDTH)}  ${counts}`.trimEnd()
  })
}

function bar(share: number): string {
  const eighths = Number.isFinite(share) ? Math.round(share * WIDTH * 8) : 0
  return "█".repeat(Math.floor(eighths / 8)) + PARTS[eighths % 8]
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}

function total(name: string, entries: readonly Spent[]): Sum {
  const [sum] = sumUp(entries, () => name)
  return sum ?? { name, replies: 0, input: 0, output: 0 }
}

/** Dearest first, then by tokens. */
function sumUp<T extends { input: number; output: number; cost?: number; replies?: number }>(
  entries: readonly T[],
  nameOf: (entry: T) => string,
): Sum[] {
  const sums = new Map<string, Sum>()
  for (const entry of entries) {
    const name = nameOf(entry)
    const { replies, input, output, cost } = sums.get(name) ?? { replies: 0, input: 0, output: 0 }
    sums.set(name, {
      name,
      replies: replies + (entry.replies ?? 1),
      input: input + entry.input,
      output: output + entry.output,
      ...((cost !== undefined || entry.cost !== undefined) && { cost: (cost ?? 0) + (entry.cost ?? 0) }),
    })
  }
  const all = [...sums.values()]
  return all.sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.input + other.output - one.input - one.output)
}
