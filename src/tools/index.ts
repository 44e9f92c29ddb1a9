/** The list of built-in tools, in the order in which a model is offered them. Adding one is a file and a line here. */
import type { CodeSearch } from "../types/code-search.ts"
import type { ResourcePort, ToolFinderPort } from "../types/mcp.ts"
import type { SubtaskPort } from "../types/subtask.ts"
import type { Tool } from "../types/tool.ts"
import type { WebPort } from "../types/web.ts"
import { accessMcpResource } from "./access-mcp-resource.ts"
import { applyDiff } from "./apply-diff.ts"
import { applyPatch } from "./apply-patch.ts"
import { askFollowupQuestion, type FollowupPort } from "./ask-followup-question.ts"
import { attemptCompletion, type CompletionPort } from "./attempt-completion.ts"
import { type BrowserToolPort, browserAction } from "./browser-action.ts"
import { codebaseSearch } from "./codebase-search.ts"
import { editFile } from "./edit-file.ts"
import { type CommandPort, executeCommand } from "./execute-command.ts"
import { fetchInstructions } from "./fetch-instructions.ts"
import { findTools } from "./find-tools.ts"
import { generateImage, type ImagePort } from "./generate-image.ts"
import { listFiles } from "./list-files.ts"
import { newTask } from "./new-task.ts"
import { readCommandOutput } from "./read-command-output.ts"
import { readFile } from "./read-file.ts"
import { runSlashCommand, type SlashCommandPort } from "./run-slash-command.ts"
import { searchAndReplace } from "./search-and-replace.ts"
import { searchFiles } from "./search-files.ts"
import { searchReplace } from "./search-replace.ts"
import { sendCommandInput } from "./send-command-input.ts"
import { type SkillPort, skill } from "./skill.ts"
import { type ModePort, switchMode } from "./switch-mode.ts"
import { updateTodoList } from "./update-todo-list.ts"
import type { ReadFileOptions } from "./variants.ts"
import { webFetch } from "./web-fetch.ts"
import { writeToFile } from "./write-to-file.ts"

/** What tools need of the task. Each may reject, by a cancel or with a ToolError. */
export interface ToolPorts extends FollowupPort, CompletionPort, ModePort, SkillPort, SlashCommandPort, CommandPort {
  web?: WebPort
  browser?: BrowserToolPort
  /** Without it the code is not indexed. */
  codeSearch?: CodeSearch
  /** Of the servers, where there are some. */
  servers?: ResourcePort & ToolFinderPort
  readFile?: Partial<ReadFileOptions>
  /** Without it no images can be made. */
  images?: ImagePort
  /** Without it no subtask can be started. */
  subtasks?: SubtaskPort
}

export function builtInTools(ports: ToolPorts): Tool[] {
  return [
    readFile(ports.readFile),
    listFiles,
    searchFiles,
    codebaseSearch(ports.codeSearch),
    writeToFile,
    applyDiff,
    applyPatch,
    searchAndReplace,
    searchReplace,
    editFile,
    generateImage(ports.images),
    executeCommand(ports),
    readCommandOutput(ports),
    sendCommandInput(ports),
    webFetch(ports.web),
    browserAction(ports.browser),
    accessMcpResource(ports.servers),
    findTools(ports.servers),
    updateTodoList,
    switchMode(ports),
    newTask(ports.subtasks),
    skill(ports),
    runSlashCommand(ports),
    fetchInstructions,
    askFollowupQuestion(ports),
    attemptCompletion(ports),
  ]
}
