/** The front alone over a long task: what a row costs at the beginning and at the end, and what stays in memory. Says so as JSON. */
import { setTimeout as sleep } from "node:timers/promises"
import type { TaskEvent } from "../../src/types/event.ts"
import type { Task } from "../../src/types/task.ts"
import { runTerminal } from "../../src/ui/terminal/run-terminal.ts"

const ROWS = Number(process.argv[2])
const PART = ROWS / 10
const unified = `--- a/x\n+++ b/x\n@@ -1,8 +1,8 @@\n${Array.from({ length: 8 }, (_, at) => `-const value${at} = ${at}\n+const value${at} = ${at + 1}`).join("\n")}\n`
let row = 0
let leave = () => {}
const parts: number[] = []
let collected = 0

function* eventsOf(at: number): Generator<TaskEvent> {
  const key = `k${at}`
  const stamp = { seq: at * 10 + 1, at: "2026-01-01T00:00:00.000Z" }
  yield { type: "turn-started", turn: at, ...stamp }
  for (let chunk = 0; chunk < 10; chunk++) yield { type: "text", text: `Some words of **reply** number ${at}, ` }
  yield { type: "draft", callKey: key, tool: "edit", received: 100, show: { kind: "title", text: "Edit x" } }
  const call = { key, id: key, name: "edit", input: {} }
  const text = Array.from({ length: 10 }, () => `Some words of **reply** number ${at}, `).join("")
  yield {
    type: "replied",
    turn: at,
    end: "tool-calls",
    message: {
      role: "assistant",
      model: "m",
      parts: [
        { type: "text", text },
        { type: "call", call },
      ],
    },
    ...stamp,
  }
  yield { type: "call-started", callKey: key, tool: "edit", effect: "write", ...stamp }
  const show = { kind: "diff", path: `src/file-${at}.ts`, operation: "modify", unified, added: 8, removed: 8 } as const
  yield { type: "call-finished", callKey: key, tool: "edit", result: "done", content: [], show, ...stamp }
}

const task: Task = {
  id: "t",
  openedAt: 0,
  send() {},
  async *events() {
    for (let part = 0; part < 10; part++) {
      const before = process.cpuUsage()
      for (const end = row + PART; row < end; row += 2) {
        for (const event of eventsOf(row)) yield event
        if (row % 20 === 0) await sleep(35) // a frame
      }
      const { user, system } = process.cpuUsage(before)
      parts.push((user + system) / 1000 / PART)
      if (part === 0) collected = heap()
    }
    leave()
  },
  async close() {},
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const written = { bytes: 0 }
await runTerminal({
  stdin: { setEncoding() {}, on() {}, off() {}, resume() {}, pause() {} },
  stdout: {
    columns: 100,
    rows: 40,
    write(text) {
      written.bytes += text.length
      return true
    },
    on() {},
    off() {},
    once() {},
  },
  env: { NO_COLOR: "1" },
  task,
  open: async () => task,
  resume: async () => task,
  facts: {
    workspace: "/",
    version: "",
    mode: "code",
    model: "m",
    modes: [],
    models: [],
    commands: [],
    files: async () => [],
    tasks: async () => [],
    window: () => 100_000,
  },
  now: () => {
    leave = () =>
      process.stdout.write(
        `${JSON.stringify({ first: parts[0], last: parts.at(-1), grown: heap() - collected, bytes: written.bytes })}\n`,
        () => process.exit(),
      )
    return 0
  },
})
