/** Replaces the task's list of steps. The list itself is kept by the task, as a fold of what this tool shows. */
import * as z from "zod"
import type { Todo, TodoStatus } from "../types/show.ts"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

const offered = z.object({ todos: z.string().describe("The whole list, one step per line") })

export const updateTodoList = defineTool({
  name: "update_todo_list",
  knownAs: [{ agent: "claude-code", name: "TodoWrite" }],
  group: "always",
  effect: "none",
  description:
    "Replace the list of steps for a task that has several. One per line: `[ ] text` to do, `[-] text` in progress, `[x] text` done. Send it again whenever a step's state changes.",
  offered,
  input: offered.extend({ todos: z.union([z.string(), z.array(z.string())]) }),
  preview: ({ todos }) => ({ kind: "todos", todos: parseTodos(todos ?? "") }),
  async run({ todos: text }) {
    const todos = parseTodos(text)
    if (todos.length === 0 && linesOf(text).some((line) => line.trim() !== "")) {
      throw new ToolError("No line of the list has the form `[ ] text`, `[-] text` or `[x] text`. The list was not changed.")
    }
    return { say: summary(todos), show: { kind: "todos", todos } }
  },
})

const statuses: Record<string, TodoStatus> = { " ": "pending", "-": "in-progress", "~": "in-progress", x: "done", X: "done" }

/** Lines that are no steps are left out, so an unfinished list can be read too. */
function parseTodos(text: string | readonly unknown[]): Todo[] {
  return linesOf(text).flatMap((line) => {
    const [, mark = "", words = ""] = /^\s*(?:[-*]\s+)?\[([ xX~-])\]\s+(.*\S)/.exec(line) ?? []
    const status = statuses[mark]
    return status ? [{ text: words, status }] : []
  })
}

function linesOf(text: string | readonly unknown[]): string[] {
  return (typeof text === "string" ? text : text.join("\n")).split(/\r?\n/)
}

function summary(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty now."
  const count = (status: TodoStatus) => todos.filter((todo) => todo.status === status).length
  return `List updated: ${count("done")} done, ${count("in-progress")} in progress, ${count("pending")} to do.`
}
