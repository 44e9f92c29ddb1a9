/** The list of built-in tools, in the order in which a model is offered them. Adding one is a file and a line here. */
import type { Tool } from "../types/tool.ts"
import { applyDiff } from "./apply-diff.ts"
import { askFollowupQuestion, type FollowupPort } from "./ask-followup-question.ts"
import { attemptCompletion, type CompletionPort } from "./attempt-completion.ts"
import { executeCommand } from "./execute-command.ts"
import { fetchInstructions } from "./fetch-instructions.ts"
import { listFiles } from "./list-files.ts"
import { readFile } from "./read-file.ts"
import { runSlashCommand, type SlashCommandPort } from "./run-slash-command.ts"
import { searchFiles } from "./search-files.ts"
import { type SkillPort, skill } from "./skill.ts"
import { type ModePort, switchMode } from "./switch-mode.ts"
import { updateTodoList } from "./update-todo-list.ts"
import { writeToFile } from "./write-to-file.ts"

/** What tools need of the task. Each may reject, by a cancel or with a ToolError. */
export interface ToolPorts extends FollowupPort, CompletionPort, ModePort, SkillPort, SlashCommandPort {}

export function builtInTools(ports: ToolPorts): Tool[] {
  return [
    readFile,
    listFiles,
    searchFiles,
    writeToFile,
    applyDiff,
    executeCommand,
    updateTodoList,
    switchMode(ports),
    skill(ports),
    runSlashCommand(ports),
    fetchInstructions,
    askFollowupQuestion(ports),
    attemptCompletion(ports),
  ]
}
