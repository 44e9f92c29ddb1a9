/** Test support: an output that remembers, with an emulator behind it that shows what a person would see. */
import xterm from "@xterm/headless"
import type { TerminalOutput } from "./options.ts"

export interface TestOutput extends TerminalOutput {
  readonly emulator: InstanceType<typeof xterm.Terminal>
  readonly writes: string[]
  /** The rows on the screen, when everything written has arrived. */
  screen(): Promise<string>
  all(): Promise<string>
  resize(columns: number, rows: number): void
  /** From now on it takes nothing more, until `drain`. */
  fill(): void
  drain(): void
}

export function testOutput(columns = 60, rows = 20): TestOutput {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
  const listeners: (() => void)[] = []
  const drained: (() => void)[] = []
  const writes: string[] = []
  let isFull = false
  const arrived = () => new Promise<void>((done) => emulator.write("", done))
  const rowsOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => emulator.buffer.active.getLine(from + at)?.translateToString(true) ?? "")
      .join("\n")
      .trimEnd()
  return {
    emulator,
    writes,
    get columns() {
      return emulator.cols
    },
    get rows() {
      return emulator.rows
    },
    write(text) {
      writes.push(text)
      emulator.write(text)
      return !isFull
    },
    on: (_, listener) => void listeners.push(listener),
    off: (_, listener) => void listeners.splice(listeners.indexOf(listener), 1),
    once: (_, listener) => void drained.push(listener),
    async screen() {
      await arrived()
      return rowsOf(emulator.buffer.active.baseY, emulator.buffer.active.baseY + emulator.rows)
    },
    async all() {
      await arrived()
      return rowsOf(0, emulator.buffer.active.length)
    },
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows)
      for (const listener of listeners) listener()
    },
    fill() {
      isFull = true
    },
    drain() {
      isFull = false
      for (const listener of drained.splice(0)) listener()
    },
  }
}
