/** S60: every name that documents about Roo Code's core use has a row in docs/from-roo.md, and every row leads somewhere. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const project = join(import.meta.dirname, "..")
const page = readFileSync(join(project, "docs/from-roo.md"), "utf8")

/** What the documents name: files, classes, functions, types, fields that carry meaning. */
const NAMES = `
src/utils/resolveToolProtocol.ts resolveToolProtocol detectToolProtocolFromHistory TOOL_PROTOCOL ToolProtocol lockedProtocol
isNativeProtocol supportsNativeTools _taskToolProtocol
src/core/assistant-message/AssistantMessageParser.ts AssistantMessageParser parseLegacy params
src/core/prompts/tools/ src/core/prompts/tools/index.ts getToolDescriptionsForMode builtInToolsCatalog toolsCatalog
read-file.ts write-to-file.ts execute-command.ts

src/api/transform/stream.ts ApiStreamChunk ApiStreamTextChunk ApiStreamUsageChunk ApiStreamReasoningChunk
ApiStreamToolCallPartialChunk ApiStreamToolCallStartChunk ApiStreamToolCallDeltaChunk ApiStreamToolCallEndChunk
tool_call_partial tool_call_start tool_call_delta tool_call_end ToolCallStreamEvent
api.createMessage attemptApiRequest nextChunkWithAbort ApiConfiguration ModelInfo partial-json parseJSON

src/core/assistant-message/NativeToolCallParser.ts NativeToolCallParser processRawChunk initializeStreamingToolCall
processStreamingChunk finalizeStreamingToolCall parseToolCall createPartialToolUse createFinalToolUse finalizeParsing
resolveToolName originalName buildNativeArgs isToolName ToolName streamingToolCalls StreamingToolCallState argumentsAccumulator
NativeToolCallParser.reset src/shared/ExtensionMessage.ts ToolUse nativeArgs ToolParams ToolParamsV2 partial tool_use ToolCallBlock
McpToolUse mcp_tool_use src/core/assistant-message/__tests__/NativeToolCallParser.spec.ts

src/core/assistant-message/presentAssistantMessage.ts presentAssistantMessage executeToolByName executeTool executeMcpTool
presentAssistantMessageLocked presentAssistantMessageHasPendingUpdates currentStreamingContentIndex assistantMessageContent
userMessageContent userMessageContentReady didAlreadyUseTool didToolFailInCurrentTurn handleAttemptCompletion getToolByName
tools.get pushToolResult PushToolResult hasToolResult tool_result ToolResponse ToolResult toolCallId is_error handleError
HandleError serializeError askApproval AskApproval AskIgnoredError ToolCallbacks validateToolUse toolRepetitionDetector
ToolRepetitionDetector checkpointSaveAndMark formatResponse.toolError formatResponse.toolResult formatResponse.noToolsUsed

src/core/tools/ src/core/tools/BaseTool.ts BaseTool BaseTool.handle handlePartial BaseTool.execute
src/core/tools/WriteToFileTool.ts WriteToFileTool writeToFileTool diffViewProvider.saveDirectly saveChanges rooIgnoreController
src/core/tools/ExecuteCommandTool.ts ExecuteCommandTool executeCommandInTerminal
src/core/tools/AttemptCompletionTool.ts AttemptCompletionTool AttemptCompletionParams AttemptCompletionCallbacks
askFinishSubTaskApproval preventCompletionWithOpenTodos todoList TodoItem

src/core/task/Task.ts Task initiateTaskLoop recursivelyMakeClineRequests nextUserContent didEndLoop abort includeFileDetails
say ask completion_result yesButtonClicked user_feedback emit RooCodeEventName TaskStarted TaskCompleted TaskFinished
consecutiveMistakeCount recordToolError toolUsage getTokenUsage emitFinalTokenUsageUpdate TelemetryService captureTaskCompleted
taskId parentTaskId apiConversationHistory cleanConversationHistory summarizeConversation Task.getSystemPrompt

src/core/prompts/tools/native-tools/ src/core/prompts/tools/native-tools/index.ts getNativeTools NativeToolsOptions
partialReadsEnabled maxConcurrentFileReads supportsImages createReadFileTool src/core/task/build-tools.ts buildNativeToolsArray
BuildToolsOptions src/core/prompts/tools/filter-tools-for-mode.ts filterNativeToolsForMode filterMcpToolsForMode getMcpServerTools
mcp_server.ts mcpHub McpHub customToolRegistry loadFromDirectoriesIfStale getAllSerialized formatNative getRooDirectoriesForCwd
experiments.customTools codeIndexManager converters.ts convertOpenAIToolToAnthropic src/shared/tools.ts
access_mcp_resource.ts apply_diff.ts ask_followup_question.ts attempt_completion.ts browser_action.ts codebase_search.ts
execute_command.ts list_files.ts read_file.ts write_to_file.ts search_and_replace.ts edit_file.ts search_files.ts switch_mode.ts
update_todo_list.ts new_task.ts fetch_instructions.ts generate_image.ts
access_mcp_resource apply_diff apply_patch applyPatch ask_followup_question attempt_completion browser_action codebase_search
execute_command list_files read_file write_to_file file_text search_and_replace search_replace edit_file search_files switch_mode
update_todo_list new_task fetch_instructions generate_image run_slash_command runSlashCommand

src/core/prompts/system.ts SYSTEM_PROMPT generatePrompt basePrompt src/core/prompts/sections/ sections/index.ts roleDefinition
markdownFormattingSection markdown-formatting.ts getSharedToolUseSection tool-use.ts getToolUseGuidelinesSection
tool-use-guidelines.ts getCapabilitiesSection capabilities.ts getModesSection modes.ts getSkillsSection skills.ts SkillsManager
getRulesSection rules.ts .cursorrules AGENTS.md useAgentRules getSystemInfoSection system-info.ts getObjectiveSection objective.ts
src/core/prompts/sections/custom-instructions.ts custom-instructions.ts addCustomInstructions globalCustomInstructions
rooIgnoreInstructions formatLanguage CustomModePrompts customModePrompts SystemPromptSettings DiffStrategy supportsComputerUse
ExtensionContext packages/types/src/mode.ts ModeConfig Mode customModes fileRegex defaultModeSlug experiments
`
const HOOKS = ["Pre-Tool Execution Hook", "Post-Tool Execution Hook", "System Prompt Modification", "Tool Call Interception"]

interface Row {
  names: string[]
  here: string
  test: string
}

const rows = tableRows(page)

describe("S60: docs/from-roo.md", () => {
  it("S60: has one row for each name the documents use", () => {
    const wanted = [...NAMES.split(/\s+/).filter(Boolean), ...HOOKS]
    const rowsOf = (name: string) => rows.filter((row) => row.names.includes(name)).length
    expect(wanted.length).toBeGreaterThan(250)
    expect(wanted.filter((name) => rowsOf(name) !== 1)).toEqual([])
  })

  it("S60: points only to files and exports that exist", () => {
    expect(problemsOf(page)).toEqual([])
  })

  it("S60: names, for each row, where the job is done and a test of it, or says that it is not there", () => {
    const unproved = rows.filter(
      ({ here, test }) => !/not yet|not needed/i.test(here) && !(pathsIn(here).length && pathsIn(test).length),
    )
    expect(unproved.map((row) => row.names[0])).toEqual([])
  })

  it("notices a file, an export or a test that is not there", () => {
    expect(problemsOf("`src/nowhere.ts`")).toEqual(["src/nowhere.ts does not exist"])
    expect(problemsOf("`src/types/task.ts#Tusk`")).toEqual(["src/types/task.ts does not export Tusk"])
    expect(problemsOf("| a | b | c | `src/nowhere.test.ts` |")).toEqual(["src/nowhere.test.ts does not exist"])
    expect(problemsOf("`src/types/task.ts#Task` and `src/types/`")).toEqual([])
  })
})

/** The first cell holds names; what is there stands in the last two, which are all that is checked. */
function tableRows(markdown: string): Row[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split(" | ")
    if (!line.startsWith("| ") || cells.length !== 4 || cells[0] === "| there") return []
    const [there = "", , here = "", test = ""] = cells
    const names = [...there.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "")
    return [{ names: names.length > 0 ? names : [there.slice(2)], here, test }]
  })
}

function problemsOf(markdown: string): string[] {
  const text = markdown.replace(/^\| .*$/gm, (line) => line.split(" | ").slice(2).join(" "))
  return [...new Set(pathsIn(text))].flatMap((target) => {
    const [path = "", name] = target.split("#")
    if (!existsSync(join(project, path))) return [`${path} does not exist`]
    return name && !exportsOf(path).has(name) ? [`${path} does not export ${name}`] : []
  })
}

/** Code spans that are paths of this repository. Folders that are yet to come may be named where a row says "not yet". */
function pathsIn(text: string): string[] {
  const spans = [...text.matchAll(/`((?:src|test|scripts|docs)\/[^`\s]+)`/g)].map((match) => match[1] ?? "")
  return spans.filter((span) => !PLANNED.has(span))
}

const PLANNED = new Set(["checkpoints", "context", "mcp", "code-index", "project"].map((folder) => `src/${folder}/`))

function exportsOf(path: string): Set<string> {
  const text = readFileSync(join(project, path), "utf8")
  const declared = text.matchAll(/^export (?:async |abstract )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm)
  return new Set([...declared].map((match) => match[1] ?? ""))
}
