/** A home full of tasks, as years of work leave it: some short, some long, each with words of its own. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DurableEvent } from "../../src/types/event.ts"
import { random } from "../random.ts"
import { SOURCE } from "./json-texts.ts"

const SUBJECTS = ["basket", "login", "report", "parser", "search", "upload", "invoice", "calendar", "settings", "mailer"]
const VERBS = ["repair", "rewrite", "speed up", "document", "test", "split", "translate", "harden"]

/** Every hundredth is about this. */
export const RARE = "zeppelin"

export function makeTasks(home: string, count: number): void {
  const chance = random(count)
  for (let number = 0; number < count; number++) {
    const id = `${20_200_101 + Math.floor(number / 100)}-${String(number % 100).padStart(9, "0")}-${String(number).padStart(6, "0")}`
    const folder = join(home, "tasks", id)
    mkdirSync(folder, { recursive: true })
    const subject = number % 100 === 0 ? RARE : chance.pick(SUBJECTS)
    const events = eventsOf(id, `${chance.pick(VERBS)} the ${subject} of module ${number}`, chance.int(1, 5))
    const lines = events.map((event, at) => JSON.stringify({ seq: at + 1, at: "2026-03-01T12:00:00.000Z", ...event }))
    writeFileSync(join(folder, "log.jsonl"), `${lines.join("\n")}\n`)
  }
}

function eventsOf(task: string, words: string, turns: number): DurableEvent[] {
  const usage = { inputTokens: 9_000, outputTokens: 90, cost: 0.01 }
  return [
    { type: "task-started", version: 1, task, workspace: "/w", mode: "code", model: "bench/model", protocol: "native" },
    { type: "said", by: "person", content: [{ type: "text", text: `Please ${words}, and tell me what you changed.` }] },
    ...Array.from({ length: turns }, (_, index) => turn(index + 1, words)).flat(),
    { type: "task-finished", ending: { reason: "accepted", result: `I did it: ${words}.` }, usage, tools: {} },
  ]
}

function turn(number: number, words: string): DurableEvent[] {
  const callKey = `${number}.1`
  const call = { key: callKey, id: `call_${number}`, name: "read", input: { path: `src/part-${number}/count.ts` } }
  const text = `To ${words} I look at part ${number} first: what it counts, who calls it, and what its tests say about it.`
  const parts = [
    { type: "text" as const, text },
    { type: "call" as const, call },
  ]
  return [
    { type: "turn-started", turn: number },
    { type: "replied", turn: number, message: { role: "assistant", parts, model: "bench/model" }, end: "tool-calls" },
    { type: "call-started", callKey, tool: "read", effect: "read" },
    { type: "call-finished", callKey, tool: "read", result: "done", content: [{ type: "text", text: SOURCE.repeat(5) }] },
  ]
}
