/** The prompt and the tools of each request, kept per mode until a file they were made of changes (S50). */
import { findMode } from "../modes/groups.ts"
import { joinSections, promptSections, toolReminderFor } from "../prompt/system.ts"
import type { Finding } from "../types/finding.ts"
import type { Hooks, PromptSection } from "../types/hooks.ts"
import type { Prompt } from "../types/stations.ts"
import { loadProject, modeOrFirst, type Project, type RequestParts, type RequestTarget, requestParts } from "./load-project.ts"

export interface RequestSource extends Prompt {
  project(): Project
  /** What the latest request in this mode was made of. */
  parts(mode: string): RequestParts | undefined
}

export interface RequestPorts {
  hooks?: Pick<Hooks, "beforePrompt"> | undefined
  /** With what is wrong in them that was not before. */
  onChange(files: string[], findings: Finding[]): void
  /** The task's mode is not there any more: this one takes its place. */
  onGone(mode: string, instead: string): void
  /** Before each request, when the project has been looked at. */
  onRequest?(project: Project): Promise<void>
  /** Whom the next request in this mode goes to. */
  target(mode: string): RequestTarget
}

type Made = RequestParts & { target: RequestTarget; sections: readonly PromptSection[] }

function isSame(one: RequestTarget, other: RequestTarget): boolean {
  const isSameModel = one.model.images === other.model.images && one.model.edits === other.model.edits
  return isSameModel && one.protocol === other.protocol && JSON.stringify(one.around) === JSON.stringify(other.around)
}

export function requestSource(loaded: Project, { hooks, onChange, onGone, onRequest, target }: RequestPorts): RequestSource {
  let project = loaded
  let made = new Map<string, Made>()
  let latest: RequestParts | undefined

  async function refresh(): Promise<void> {
    const changed = project.changed()
    if (changed.length === 0) return
    const known = new Set(project.findings.map((finding) => JSON.stringify(finding)))
    project = await loadProject(project.sources)
    made = new Map()
    onChange(
      changed,
      project.findings.filter((finding) => !known.has(JSON.stringify(finding))),
    )
  }

  return {
    project: () => project,
    parts: (mode) => made.get(mode),
    get toolReminder() {
      return toolReminderFor(latest?.facts.tools ?? [])
    },
    async system(mode) {
      if (made.size > 0) await refresh()
      await onRequest?.(project)
      const instead = findMode(project.modes, mode) ? undefined : modeOrFirst(project, project.settings.mode)
      if (instead) onGone(mode, instead.slug)
      const wanted = target(mode)
      const known = made.get(mode)
      const parts = known && isSame(known.target, wanted) ? known : await make(mode, wanted)
      latest = parts
      return joinSections(hooks ? await hooks.beforePrompt(parts.sections, mode) : parts.sections)
    },
  }

  async function make(mode: string, wanted: RequestTarget): Promise<Made> {
    const parts = await requestParts(project, mode, wanted)
    const whole = { ...parts, target: wanted, sections: promptSections(parts.facts) }
    made.set(mode, whole)
    return whole
  }
}
