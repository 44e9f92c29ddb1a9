/** The list of built-in tools, in the order in which a model is offered them. Adding one is a file and a line here. */
import type { Tool } from "../types/tool.ts"
import { applyDiff } from "./apply-diff.ts"
import { askFollowupQuestion, type FollowupPort } from "./ask-followup-question.ts"
import { attemptCompletion, type CompletionPort } from "./attempt-completion.ts"
import { executeCommand } from "./execute-command.ts"
import { listFiles } from "./list-files.ts"
import { readFile } from "./read-file.ts"
import { searchFiles } from "./search-files.ts"
import { updateTodoList } from "./update-todo-list.ts"
import { writeToFile } from "./write-to-file.ts"

/** What tools need of the task. Both may reject, by a cancel or with a ToolError. */
export interface ToolPorts extends FollowupPort, CompletionPort {}

export function builtInTools(ports: ToolPorts): Tool[] {
  return [
    readFile,
    listFiles,
    searchFiles,
    writeToFile,
    applyDiff,
    executeCommand,
    updateTodoList,
    askFollowupQuestion(ports),
    attemptCompletion(ports),
  ]
}
