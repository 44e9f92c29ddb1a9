/** What the terminal front is given. Everything it needs arrives as a value or a port; it holds a `Task` and nothing else of the engine. */
import type { ContextReport } from "../../types/context.ts"
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
  /** Work that was cut short goes on at once, unless it `rests`. */
  resume(id: string, tell: (line: string) => void, options?: { rests: boolean }): Promise<Task>
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
  /** The person's messages in a task; going back to `before` takes one back, with all that followed. Rejects with one line. */
  messages?(task: string): Promise<readonly { number: number; at: string; title: string; text: string; before: number }[]>
  branch?(): string | undefined
  /** Tokens this model takes; 0: nobody knows. */
  window(model: string): number
  /** Commands that run in the background now. */
  jobs?(): number
  /** What fills the window of a task's model. Rejects with one line. */
  context?(task: string): Promise<ContextReport>
  /** A copy of the task, up to its event `before` or to its end; its id. Rejects with one line. */
  fork?(task: string, before?: number): Promise<string>
  checkpoints?: CheckpointPort
  /** Of other people's tools. Both give lines for people; `restart` rejects with one. */
  servers?: { list(): Promise<readonly string[]>; restart(name: string): Promise<string> }
}

/** What was done to files in a task and those below it. Everything here rejects with one line. */
export interface CheckpointPort {
  /** Newest first. */
  list(task: string): Promise<readonly { id: number; at: string; words: string }[]>
  /** What going back to before one would do. `files`: how many it would change; `held`: those only when forced. */
  preview(task: string, id: number): Promise<{ lines: readonly string[]; files: number; held: number }>
  diff(
    task: string,
    id: number,
  ): Promise<readonly { path: string; unified: string; added: number; removed: number; notes: readonly string[] }[]>
  /** `told` is for the model, where something was changed. */
  restore(task: string, id: number, options: { force: boolean }): Promise<{ lines: readonly string[]; told?: string }>
  /** The event of the task that the conversation goes back to. */
  point(task: string, id: number): Promise<number>
}

export interface SetUp {
  /** What was found: keys, local servers. */
  found: readonly string[]
  choices: readonly { value: string; label: string; detail?: string }[]
  /** It has the terminal to itself meanwhile. A number: leave with this code. */
  choose(value: string): Promise<number | undefined>
}
