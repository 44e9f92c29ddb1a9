import { execFile } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, expect, it } from "vitest"
import type { Recorded } from "../types/event.ts"
import { dayBudget, dayOf, openLedger, readDays, type Spent } from "./ledger.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
function home(): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-ledger-"))
  folders.push(folder)
  return folder
}

const NOON = new Date(2026, 10, 16, 12).getTime()
const at = (ms: number) => new Date(ms).toISOString()
const spent = (cost: number, ms = NOON): Spent => ({ at: at(ms), task: "t", model: "v/m", input: 10, output: 1, cost })
const file = (folder: string) => join(folder, "usage", `${dayOf(NOON)}.jsonl`)

it("adds up what every process has spent today, and what had been spent by a time", () => {
  const folder = home()
  const [one, other] = [openLedger(folder, () => NOON), openLedger(folder, () => NOON)]
  one.add(spent(0.5))
  expect(other.spentToday()).toBe(0.5)
  other.add(spent(0.25, NOON + 5_000))
  expect(one.spentToday()).toBe(0.75)
  expect(one.spentToday(NOON + 1_000)).toBe(0.5)
})

it("begins anew at the person's midnight", () => {
  const folder = home()
  let now = new Date(2026, 10, 16, 23, 59).getTime()
  const ledger = openLedger(folder, () => now)
  ledger.add(spent(1, now))
  expect(ledger.spentToday()).toBe(1)
  now += 120_000
  expect(ledger.spentToday()).toBe(0)
  ledger.add(spent(2, now))
  expect(ledger.spentToday()).toBe(2)
  expect(readDays(folder, 7).map(({ day, entries }) => [day, entries.length])).toEqual([
    ["2026-11-17", 1],
    ["2026-11-16", 1],
  ])
})

it("passes over a torn line and damage, and writes the next entry on a line of its own", () => {
  const folder = home()
  const ledger = openLedger(folder, () => NOON)
  ledger.add(spent(1))
  appendFileSync(file(folder), '{"at":"2026-11-16T12:00:00Z","mod')
  ledger.add(spent(2))
  appendFileSync(file(folder), 'null\n7\n{"cost":9}\n')
  expect(openLedger(folder, () => NOON).spentToday()).toBe(3)
  expect(readDays(folder, 1)[0]?.entries).toHaveLength(2)
})

it("loses nothing when several processes write at once", async () => {
  const folder = home()
  const program = `import { openLedger } from ${JSON.stringify(new URL("ledger.ts", import.meta.url).href)}
    const ledger = openLedger(${JSON.stringify(folder)}, () => ${NOON})
    for (let count = 0; count < 50; count++) ledger.add(${JSON.stringify(spent(1))})`
  const run = () => promisify(execFile)(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program])
  await Promise.all([run(), run()])
  expect(openLedger(folder, () => NOON).spentToday()).toBe(100)
  expect(readFileSync(file(folder), "utf8").trim().split("\n")).toHaveLength(100)
})

it("a ledger that cannot be written stops nobody", () => {
  const folder = home()
  appendFileSync(join(folder, "usage"), "in the way")
  const ledger = openLedger(folder, () => NOON)
  ledger.add(spent(1))
  expect(ledger.spentToday()).toBe(0)
  expect(readDays(folder, 7)).toEqual([])
})

function replied(cost: number | undefined, ms: number): Recorded {
  const usage = { inputTokens: 10, outputTokens: 1, ...(cost !== undefined && { cost }) }
  return {
    seq: 1,
    at: at(ms),
    type: "replied",
    turn: 1,
    message: { role: "assistant", model: "v/m", parts: [] },
    end: "stop",
    usage,
  }
}

it("writes each reply down once, warns once at four fifths, and leaves what is replayed alone", async () => {
  const ledger = openLedger(home(), () => NOON)
  const notices: string[] = []
  const budget = dayBudget({ ledger, task: "t", dayCost: 1, notice: (text) => notices.push(text), now: () => NOON })
  budget.see(replied(5, NOON - 1))
  expect(ledger.spentToday()).toBe(0)
  budget.see(replied(0.7, NOON))
  budget.see(replied(undefined, NOON))
  await Promise.resolve()
  expect(notices).toEqual([])
  budget.see(replied(0.2, NOON))
  budget.see(replied(0.05, NOON))
  await Promise.resolve()
  expect(notices).toEqual(["The tasks of today have cost $0.90 of the $1 that a day may cost."])
})

it("S37: writes down what a call took by itself, and leaves to a subtask what that took", () => {
  const folder = home()
  const ledger = openLedger(folder, () => NOON)
  const budget = dayBudget({ ledger, task: "t", dayCost: 0, notice() {}, now: () => NOON })
  const finished = (tool: string, callKey: string, cost: number): Recorded => {
    const usage = { usage: { inputTokens: 0, outputTokens: 0, cost }, tools: {} }
    return { seq: 2, at: at(NOON), type: "call-finished", callKey, tool, result: "done", content: [], spent: usage }
  }
  const before = { seq: 1, at: at(NOON - 1) } // of an earlier run of the task
  budget.see({ ...before, type: "subtask-started", callKey: "1.1", task: "child", mode: "code", message: "go" })
  budget.see(finished("delegate", "1.1", 5))
  budget.see(finished("paint", "1.2", 0.04))
  expect(ledger.spentToday()).toBe(0.04)
  expect(readDays(folder, 1)[0]?.entries.map(({ model }) => model)).toEqual(["paint"])
})
