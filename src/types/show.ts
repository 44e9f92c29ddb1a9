/** What people see of a call. A closed union: each front has one renderer per kind. */
import type { Json, JsonObject } from "./json.ts"

export type TodoStatus = "pending" | "in-progress" | "done"
export interface Todo {
  text: string
  status: TodoStatus
}

export interface Suggestion {
  text: string
  mode?: string
}

/** One of several files that a call changes together. */
export interface ShownChange {
  path: string
  operation: "create" | "modify" | "delete" | "move"
  /** Where a moved file goes. */
  to?: string
  unified: string
  added: number
  removed: number
}

export type Show =
  | { kind: "title"; text: string }
  | { kind: "file"; path: string; offset: number; count: number; total?: number }
  | { kind: "listing"; path: string; count: number; cut: boolean }
  | { kind: "hits"; pattern: string; path: string; files: number; count: number; cut: boolean }
  | { kind: "diff"; path: string; operation: "create" | "modify"; unified: string; added: number; removed: number }
  | { kind: "changes"; files: ShownChange[] }
  | {
      kind: "command"
      command: string
      cwd?: string
      /** Bounded: head and tail of what it printed. */
      output: string
      exitCode?: number
      /** Set when it did not simply exit. */
      ending?: "timed-out" | "cancelled" | "signal" | "background"
    }
  | { kind: "todos"; todos: Todo[] }
  /** Work handed to another task; `ending` once it rests. */
  | { kind: "subtask"; mode: string; message: string; task?: string; ending?: string }
  /** What a tool from elsewhere said, under a line that says what it was. */
  | { kind: "text"; title: string; text: string }
  | { kind: "question"; question: string; suggestions: Suggestion[] }
  | { kind: "result"; text: string }
  | { kind: "malformed"; tool: string; input: JsonObject; problem: string; unfinished?: string }
  | { kind: "input"; tool: string; input: Json }
