/** Hands a part of the work to a task of its own, in a mode of its own, and waits for what comes of it. */
import * as z from "zod"
import { truncate } from "../text/truncate.ts"
import type { Ending } from "../types/event.ts"
import type { Show } from "../types/show.ts"
import type { SubtaskPort } from "../types/subtask.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { readTodos, todosArgument } from "./update-todo-list.ts"

const LONGEST_MESSAGE = 100_000
const LONGEST_LAST_WORDS = 4000
/** Of the message, in the one row that people see of it. */
const SHOWN = 2000

const offered = z.object({
  mode: z.string().min(1).describe("Slug of the mode it works in"),
  message: z.string().min(1).describe("All it must know: it sees nothing of this conversation"),
  todos: z.string().nullish().describe("First steps, one `[ ] text` per line"),
})

const accepted = offered.extend({
  message: offered.shape.message
    .refine((text) => text.length <= LONGEST_MESSAGE, `expected at most ${LONGEST_MESSAGE} characters; put the rest into a file`)
    .refine((text) => text === "" || text.trim() !== "", "expected words, got only white space"),
  todos: todosArgument.nullish(),
})

export function newTask(port: SubtaskPort | undefined): Tool<z.output<typeof accepted>> {
  return defineTool({
    name: "new_task",
    knownAs: [
      {
        agent: "claude-code",
        name: "Task",
        arguments: { mode: "subagent_type", message: "prompt" },
        adds: ({ message }) => ({ description: truncate(String(message).trim().split("\n", 1)[0] ?? "", 80) }),
      },
    ],
    group: "modes",
    // Itself it changes nothing: what the subtask does is judged and recorded there. Run again, it finds its subtask.
    effect: "none",
    sideBySide: true,
    description:
      "Give a part of the work to a subtask and wait for its result. Calls in one reply run side by side: let them not change the same files.",
    offered,
    input: accepted,
    spellings: { mode_slug: "mode", subagent_type: "mode", prompt: "message" },
    preview: ({ mode, message }) => shown(mode ?? "…", message ?? ""),
    async run({ mode, message, todos }, { callKey, signal }) {
      if (!port) throw new ToolError("Subtasks cannot be started here. Do this part of the work yourself.")
      const steps = readTodos(todos ?? "", "No subtask was started.")
      const { task, ending, usage, tools, lastWords } = await port.delegate({ callKey, mode, message, todos: steps }, signal)
      const show: Show = { ...shown(mode, message), task, ending: ending.reason }
      const spent = { usage, tools }
      if (ending.reason === "accepted" || ending.reason === "answered") {
        return { say: ending.result.trim() || "The subtask ended without words.", show, spent }
      }
      const words = lastWords?.trim() ? `\nIts last words:\n${truncate(lastWords.trim(), LONGEST_LAST_WORDS)}` : ""
      return { say: `${failure(ending)}${words}`, show, spent, failed: true }
    },
  })
}

function shown(mode: string, message: string): Show & { kind: "subtask" } {
  return { kind: "subtask", mode, message: truncate(message, SHOWN) }
}

function failure(ending: Exclude<Ending, { result: string }>): string {
  const stays = "What it changed so far stays; look before you repeat it."
  switch (ending.reason) {
    case "cancelled":
      return `The subtask was cancelled. ${stays}`
    case "limit":
      return `The subtask was stopped by a limit: ${sentence(ending.message)} ${stays}`
    case "fault":
      return `The subtask failed: ${sentence(ending.fault.message)} ${stays}`
  }
}

function sentence(words: string): string {
  return /[.!?]$/.test(words.trim()) ? words.trim() : `${words.trim()}.`
}
