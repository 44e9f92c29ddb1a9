/** Test support: the whole front in this process, over a task made by hand; keys in, screens out. */
import { setTimeout as sleep } from "node:timers/promises"
import { onTestFinished } from "vitest"
import type { DurableEvent, LiveEvent, TaskEvent } from "../../types/event.ts"
import type { Command, Task } from "../../types/task.ts"
import type { TerminalInput, TerminalOptions } from "./options.ts"
import { runTerminal } from "./run-terminal.ts"
import { type TestOutput, testOutput } from "./test-terminal.ts"

export interface TestTask extends Task {
  readonly sent: Command[]
  readonly isClosed: boolean
  happen(...events: (DurableEvent | LiveEvent)[]): void
}

const DURABLE_LIVE = new Set(["text", "reasoning", "draft", "progress", "waiting", "subtask"])

export function testTask(id = "task-1"): TestTask {
  const events: TaskEvent[] = []
  const sent: Command[] = []
  let wake = () => {}
  let isClosed = false
  let seq = 0
  return {
    id,
    openedAt: 0,
    sent,
    get isClosed() {
      return isClosed
    },
    send: (command) => void sent.push(command),
    happen(...more) {
      for (const event of more) {
        events.push(
          DURABLE_LIVE.has(event.type)
            ? (event as LiveEvent)
            : { ...(event as DurableEvent), seq: ++seq, at: new Date().toISOString() },
        )
      }
      wake()
    },
    async *events() {
      for (let at = 0; ; ) {
        const event = events[at]
        if (event) {
          at++
          yield event
        } else if (isClosed) return
        else await new Promise<void>((done) => (wake = done))
      }
    },
    async close() {
      isClosed = true
      wake()
    },
  }
}

export interface TestFront {
  output: TestOutput
  task: TestTask
  code: Promise<number>
  /** Keys, and then the screen. */
  type(text: string): Promise<string>
  /** What happens in the task, and then the screen. */
  happen(...events: (DurableEvent | LiveEvent)[]): Promise<string>
  /** Past the moment in which a new question takes no keys. */
  grace(): void
}

const FRAME = 45

export function testFront(options: Partial<TerminalOptions> & { columns?: number; rows?: number } = {}): TestFront {
  const { columns = 70, rows = 24, ...rest } = options
  const output = testOutput(columns, rows)
  const task = testTask()
  let now = 0
  let heard = (_text: string): void => {}
  const stdin: TerminalInput = {
    isTTY: true,
    setEncoding: () => {},
    on: (event: string, listener: (text: string) => void) => {
      if (event === "data") heard = listener
    },
    off: () => {},
    resume: () => {},
    pause: () => {},
  }
  const code = runTerminal({
    stdin,
    stdout: output,
    env: {},
    now: () => now,
    open: async () => task,
    resume: async () => task,
    facts: {
      workspace: "/project",
      version: "1.2.3",
      mode: "code",
      model: "test/model",
      modes: [
        { slug: "code", name: "Code" },
        { slug: "ask", name: "Ask" },
      ],
      models: [{ name: "fast", detail: "test/fast" }],
      commands: [{ name: "review", description: "Look at the changes" }],
      files: async () => ["src/cart.ts", "src/deep/total.ts", "README.md"],
      tasks: async () => [{ id: "t1", title: "Earlier words", at: "yesterday" }],
      messages: async () => [
        { number: 1, at: "yesterday", title: "Begin", text: "Begin", before: 1 },
        { number: 2, at: "today", title: "Then this", text: "Then this", before: 7 },
      ],
      window: () => 100_000,
    },
    ...rest,
  })
  const settled = async () => {
    await sleep(FRAME)
    return output.screen()
  }
  onTestFinished(async () => {
    for (let press = 0; press < 3; press++) heard("\u0003") // out of a pager, then out
    await code
  })
  return {
    output,
    task,
    code,
    async type(text) {
      heard(text)
      return settled()
    },
    async happen(...events) {
      task.happen(...events)
      return settled()
    },
    grace: () => {
      now += 1_000
    },
  }
}
