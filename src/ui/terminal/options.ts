/** What the terminal front is given. Everything it needs arrives as a value or a port; it holds a `Task` and nothing else of the engine. */
import type { Task } from "../../types/task.ts"

export interface TerminalInput {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
  setEncoding(encoding: "utf8"): unknown
  on(event: "data", listener: (text: string) => void): unknown
  on(event: "end", listener: () => void): unknown
  off(event: "data", listener: (text: string) => void): unknown
  off(event: "end", listener: () => void): unknown
  resume(): unknown
  pause(): unknown
}

export interface TerminalOutput {
  write(text: string): boolean
  readonly columns: number
  readonly rows: number
  on(event: "resize" | "error", listener: () => void): unknown
  off(event: "resize" | "error", listener: () => void): unknown
  once(event: "drain", listener: () => void): unknown
}

export interface TerminalOptions {
  stdin: TerminalInput
  stdout: TerminalOutput
  env: Readonly<Record<string, string | undefined>>
  /** A task that is open already: its past is shown, and it is followed. */
  task?: Task
  /** Said to it at once. */
  words?: string
  /** A task of its own for the words that come now. Rejects with one line for the person; `tell` shows a line (never write past the front). */
  open(tell: (line: string) => void): Promise<Task>
  resume(id: string, tell: (line: string) => void): Promise<Task>
  facts: TerminalFacts
  /** Asked before anything else, where no model is set up. */
  setUp?: SetUp
  /** Runs a line of the person's own. Absent: `!` is not offered. */
  shell?(line: string, run: { onOutput(text: string): void; signal: AbortSignal }): Promise<{ exitCode: number | null }>
  /** What was said in earlier sessions, oldest first. */
  history?: { entries: readonly string[]; add(text: string): void }
  notify?: "desktop" | "bell" | "off"
  /** For tests: time under control. */
  now?(): number
}

export interface TerminalFacts {
  workspace: string
  version: string
  /** Of a task that is not there yet. */
  mode: string
  model: string
  modes: readonly { slug: string; name: string }[]
  /** Profiles and models that can be changed to. */
  models: readonly { name: string; detail?: string }[]
  /** Of the project: slash commands and skills. */
  commands: readonly { name: string; description?: string }[]
  /** Paths from the workspace, without ignored ones; asked for once, when first needed. */
  files(): Promise<readonly string[]>
  tasks(): Promise<readonly { id: string; title: string; at: string; workspace?: string }[]>
  branch?(): string | undefined
  /** Tokens this model takes; 0: nobody knows. */
  window(model: string): number
  /** Commands that run in the background now. */
  jobs?(): number
}

export interface SetUp {
  /** What was found: keys, local servers. */
  found: readonly string[]
  choices: readonly { value: string; label: string; detail?: string }[]
  /** It has the terminal to itself meanwhile. A number: leave with this code. */
  choose(value: string): Promise<number | undefined>
}
