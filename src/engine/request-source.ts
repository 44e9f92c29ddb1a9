/** The prompt and the tools of each request, kept per mode until a file they were made of changes (S50). */
import { systemPrompt, toolReminderFor } from "../prompt/system.ts"
import type { Prompt } from "../types/stations.ts"
import { loadProject, type Project, type RequestParts, requestParts } from "./load-project.ts"

export interface RequestSource extends Prompt {
  project(): Project
  /** What the latest request in this mode was made of. */
  parts(mode: string): RequestParts | undefined
}

export function requestSource(loaded: Project, onChange: (files: string[]) => void): RequestSource {
  let project = loaded
  let made = new Map<string, RequestParts & { system: string }>()
  let latest: RequestParts | undefined

  async function refresh(): Promise<void> {
    const changed = project.changed()
    if (changed.length === 0) return
    project = await loadProject(project.sources)
    made = new Map()
    onChange(changed)
  }

  return {
    project: () => project,
    parts: (mode) => made.get(mode),
    get toolReminder() {
      return toolReminderFor(latest?.facts.tools ?? [])
    },
    async system(mode) {
      if (made.size > 0) await refresh()
      const parts = made.get(mode) ?? (await make(mode))
      latest = parts
      return parts.system
    },
  }

  async function make(mode: string): Promise<RequestParts & { system: string }> {
    const parts = await requestParts(project, mode)
    const whole = { ...parts, system: systemPrompt(parts.facts) }
    made.set(mode, whole)
    return whole
  }
}
