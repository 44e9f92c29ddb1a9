/**
 * The same hook as a command for the settings: one event on its input, the answer on its output. What was chosen is kept in a file
 * per task, so that it also holds when the task is resumed.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { text } from "node:stream/consumers"
import { intentHooks } from "./intent-hooks.ts"

const told = JSON.parse(await text(process.stdin))
const workspace: string = told.cwd
const memory = join(workspace, ".joey", `intent-${String(told.session_id).replace(/\W/g, "-")}`)
const chosen = await readFile(memory, "utf8").catch(() => "")
const signal = new AbortController().signal

const hook = intentHooks({
  workspace,
  chosen,
  async onChoice(id) {
    await mkdir(join(workspace, ".joey"), { recursive: true })
    await writeFile(memory, id)
  },
})

const { tool_name: tool, tool_input: input = {}, tool_use_id: key } = told
const paths = typeof input.file_path === "string" ? [relative(workspace, input.file_path)] : []
const effect = typeof input.command === "string" ? "execute" : "write"
const call = { key, tool, knownAs: [], input, mode: told.mode, effect, paths } as const

switch (told.hook_event_name) {
  case "UserPromptSubmit":
    for (const note of (await hook.userMessage?.(told.prompt, signal))?.notes ?? []) console.log(note)
    break
  case "BeforePrompt":
    answer({ addSections: await hook.beforePrompt?.([], told.mode) })
    break
  case "PostToolUse":
    await hook.afterTool?.(call, { kind: "done", content: [] }, signal)
    break
  case "PreToolUse": {
    const decision = (await hook.beforeTool?.(call, signal))?.decision
    if (decision?.kind === "block") {
      console.error(decision.reason)
      process.exitCode = 2
    } else if (decision?.kind === "answer") {
      // A command cannot answer in the tool's place, but it can make the tool say it.
      const words = decision.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
      answer({ permissionDecision: "allow", updatedInput: { command: `printf '%s\\n' '${words.replaceAll("'", `'\\''`)}'` } })
    }
  }
}

function answer(hookSpecificOutput: object): void {
  console.log(JSON.stringify({ hookSpecificOutput }))
}
