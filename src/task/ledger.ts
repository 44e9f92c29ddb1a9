/**
 * What was used, day by day: one line per reply in `usage/YYYY-MM-DD.jsonl` under Joey's home, written by every process that works. A line
 * that cannot be read is passed over; a ledger that cannot be written does not stop a task.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { Recorded } from "../types/event.ts"
import type { Usage } from "../types/usage.ts"

export interface Spent {
  at: string
  task: string
  model: string
  input: number
  output: number
  cached?: number
  /** US dollars; absent where no price is known. */
  cost?: number
}

export interface Ledger {
  add(spent: Spent): void
  /** US dollars of today, all tasks and processes, up to that time of the clock. */
  spentToday(until?: number): number
}

/** By the person's own clock: a day ends at their midnight. */
export function dayOf(time: number): string {
  const date = new Date(time)
  const two = (number: number) => String(number).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export function openLedger(home: string, now: () => number = Date.now): Ledger {
  const folder = join(home, "usage")
  let today: Day | undefined
  function current(): Day {
    const name = dayOf(now())
    if (today?.name !== name) today = openDay(folder, name)
    return today
  }
  return {
    add: (spent) => current().add(spent),
    spentToday: (until) => current().spent(until),
  }
}

interface Day {
  name: string
  add(spent: Spent): void
  spent(until: number | undefined): number
}

/** Reads only what is new since the last look: others write too. */
function openDay(folder: string, name: string): Day {
  const path = join(folder, `${name}.jsonl`)
  const costs: { at: number; cost: number }[] = []
  let readTo = 0
  let rest = ""
  return {
    name,
    add(spent) {
      try {
        const file = openIn(folder, path)
        try {
          // One write of one line: what another process writes stands before or behind it. A torn line before is left to itself.
          writeSync(file, `${endsTorn(file) ? "\n" : ""}${JSON.stringify(spent)}\n`)
        } finally {
          closeSync(file)
        }
      } catch {} // a full disk is told by the task's own log
    },
    spent(until = Number.POSITIVE_INFINITY) {
      const added = readFrom(path, readTo)
      readTo += added.length
      const lines = (rest + added.toString("utf8")).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const spent = readLine(line)
        if (spent?.cost !== undefined) costs.push({ at: Date.parse(spent.at), cost: spent.cost })
      }
      return costs.reduce((sum, { at, cost }) => (at <= until ? sum + cost : sum), 0)
    },
  }
}

/** The folder is there but for the first time. */
function openIn(folder: string, path: string): number {
  try {
    return openSync(path, "a+", 0o600)
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return openSync(path, "a+", 0o600)
  }
}

function endsTorn(file: number): boolean {
  const { size } = fstatSync(file)
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
}

function readFrom(path: string, start: number): Buffer {
  try {
    const file = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - start))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))
    } finally {
      closeSync(file)
    }
  } catch {
    return Buffer.alloc(0)
  }
}

function readLine(line: string): Spent | undefined {
  try {
    const spent: Spent | null = JSON.parse(line)
    const isWhole = typeof spent?.at === "string" && typeof spent.model === "string" && Number.isFinite(spent.input)
    return isWhole ? spent : undefined
  } catch {
    return undefined
  }
}

/** The last days that have an entry, newest first. */
export function readDays(home: string, count: number): { day: string; entries: Spent[] }[] {
  const folder = join(home, "usage")
  let names: string[] = []
  try {
    names = readdirSync(folder).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
  } catch {} // nothing was used yet
  const newest = names.sort().reverse().slice(0, count)
  return newest.map((name) => {
    const lines = readFrom(join(folder, name), 0).toString("utf8").split("\n")
    return { day: name.slice(0, 10), entries: lines.map(readLine).filter((spent) => spent !== undefined) }
  })
}

export interface BudgetPorts {
  ledger: Ledger
  task: string
  /** US dollars a day; 0 and infinity are no limit. */
  dayCost: number
  notice(text: string): void
  now?(): number
}

const WARN_AT = 0.8

/** Writes each reply of a task down and warns once when most of the day's money is spent. What is replayed was written down then. */
export function dayBudget({ ledger, task, dayCost, notice, now = Date.now }: BudgetPorts): { see(event: Recorded): void } {
  const openedAt = now()
  let warned = false
  function warn(): void {
    if (warned || !(dayCost > 0) || !Number.isFinite(dayCost)) return
    const spent = ledger.spentToday()
    if (spent < dayCost * WARN_AT || spent >= dayCost) return // at the limit itself the task pauses and says so
    warned = true
    // Not inside the event that is being recorded.
    queueMicrotask(() => notice(`The tasks of today have cost $${spent.toFixed(2)} of the $${dayCost} that a day may cost.`))
  }
  let model = ""
  /** Calls whose work a subtask does: that writes down itself what it takes. */
  const delegated = new Set<string>()
  function add(at: string, by: string, { inputTokens: input, outputTokens: output, cachedTokens: cached, cost }: Usage): void {
    const known = { ...(cached !== undefined && { cached }), ...(cost !== undefined && { cost }) }
    ledger.add({ at, task, model: by, input, output, ...known })
  }
  return {
    see(event) {
      if (event.type === "subtask-started") delegated.add(event.callKey)
      if (Date.parse(event.at) < openedAt) return
      if (event.type === "task-started" || event.type === "task-resumed" || event.type === "model-changed") model = event.model
      if (event.type === "replied" && event.usage) add(event.at, event.message.model, event.usage)
      if (event.type === "condensed" && event.usage) add(event.at, model, event.usage)
      if (event.type === "call-finished" && event.spent && !delegated.has(event.callKey)) {
        add(event.at, event.tool, event.spent.usage) // a model that makes images
      }
      if (event.type === "replied" || event.type === "turn-started") warn()
    },
  }
}
