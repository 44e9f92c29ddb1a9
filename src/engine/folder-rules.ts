/** AGENTS.md of folders below the workspace, told once when the work first comes there. */
import { homedir } from "node:os"
import { enteredRules } from "../project/entered-rules.ts"
import { enteredMark, enteredText } from "../prompt/entered-rules.ts"
import type { Content } from "../types/message.ts"
import type { TaskState } from "../types/state.ts"
import type { Project } from "./load-project.ts"

export function folderRules(
  project: () => Project,
  notice: (text: string) => void,
): ((state: Readonly<TaskState>) => Promise<Content[]>) | undefined {
  const { settings, sources } = project()
  const { useAgentRules, enableSubfolderRules, maxRuleBytes: maxBytes } = settings
  if (!useAgentRules || enableSubfolderRules) return undefined // off, or in the prompt already
  const places = { workspace: sources.workspace, home: homedir(), joeyHome: sources.home }
  const rules = enteredRules({ ...places, maxBytes, isIgnored: (path) => project().isIgnored(path) })
  return async (state) => {
    const { files, findings } = await rules.next(state.known.keys(), (path) => wasTold(state, path))
    for (const { file, reason } of findings) notice(`${file}: ${reason}`)
    return files.map((file) => ({ type: "text", text: enteredText(file) }))
  }
}

/** In an earlier run of a task that is continued. */
function wasTold({ messages }: Readonly<TaskState>, path: string): boolean {
  const mark = enteredMark(path)
  return messages.some(({ role, content = [] }: { role: string; content?: Content[] }) => {
    return role === "user" && content.some((part) => part.type === "text" && part.text.startsWith(mark))
  })
}
