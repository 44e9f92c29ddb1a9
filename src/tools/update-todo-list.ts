/** Replaces the task's list of steps. The list itself is kept by the task, as a fold of what this tool shows. */
import * as z from "zod"
import { truncate } from "../text/truncate.ts"
import type { Todo, TodoStatus } from "../types/show.ts"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

/** The list is told to the model with every message of the person, so it stays a list of steps. */
const MOST_STEPS = 100
const LONGEST_STEP = 500
const LONGEST_LIST = 100_000

const offered = z.object({ todos: z.string().describe("The whole list, one step per line") })

/** A step as other agents' lists have it. */
const step = z.object({ content: z.string(), status: z.string().optional() })

/** Lines of text, or a list as other agents have it. */
export const todosArgument = z
  .union([z.string(), z.array(z.union([z.string(), step]))])
  .refine(isReadable, "expected a list of steps, one short line each")

export const updateTodoList = defineTool({
  name: "update_todo_list",
  knownAs: [{ agent: "claude-code", name: "TodoWrite" }],
  group: "always",
  effect: "none",
  description:
    "Replace the list of steps for a task that has several. One per line: `[ ] text` to do, `[-] text` in progress, `[x] text` done. Send it again whenever a step's state changes.",
  offered,
  input: offered.extend({ todos: todosArgument }),
  preview: ({ todos }) => ({ kind: "todos", todos: parseTodos(todos ?? "") }),
  async run({ todos: text }) {
    const todos = readTodos(text, "The list was not changed.")
    return { say: summary(todos), show: { kind: "todos", todos } }
  },
})

function isReadable(todos: string | readonly unknown[]): boolean {
  const size = typeof todos === "string" ? todos.length : JSON.stringify(todos).length
  return size <= LONGEST_LIST
}

/** Throws for what is no list of steps, or too long a one; `consequence` says what that meant. */
export function readTodos(text: string | readonly unknown[], consequence: string): Todo[] {
  const todos = parseTodos(text)
  if (todos.length > MOST_STEPS) {
    throw new ToolError(`The list has ${todos.length} steps, at most ${MOST_STEPS} are kept. Join some. ${consequence}`)
  }
  if (todos.length === 0 && linesOf(text).some((line) => line.trim() !== "")) {
    throw new ToolError(`No line of the list has the form \`[ ] text\`, \`[-] text\` or \`[x] text\`. ${consequence}`)
  }
  return todos
}

const statuses: Record<string, TodoStatus> = { " ": "pending", "-": "in-progress", "~": "in-progress", x: "done", X: "done" }
const marks: Record<string, string> = { completed: "x", done: "x", in_progress: "-", "in-progress": "-" }

/** Lines that are no steps are left out, so an unfinished list can be read too. */
function parseTodos(text: string | readonly unknown[]): Todo[] {
  return linesOf(text).flatMap((line) => {
    const [, mark = "", words = ""] = /^\s*(?:[-*]\s+)?\[([ xX~-])\]\s+(\S.*)/.exec(line) ?? []
    const status = statuses[mark]
    return status ? [{ text: truncate(words.trimEnd(), LONGEST_STEP), status }] : []
  })
}

function linesOf(text: string | readonly unknown[]): string[] {
  return (typeof text === "string" ? text : text.map(lineOf).join("\n")).split(/\r?\n/)
}

function lineOf(item: unknown): string {
  const known = step.safeParse(item)
  if (!known.success) return String(item ?? "")
  const { content, status = "" } = known.data
  return `[${Object.hasOwn(marks, status) ? marks[status] : " "}] ${content.replace(/\s+/g, " ")}`
}

function summary(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty now."
  const count = (status: TodoStatus) => todos.filter((todo) => todo.status === status).length
  return `List updated: ${count("done")} done, ${count("in-progress")} in progress, ${count("pending")} to do.`
}
