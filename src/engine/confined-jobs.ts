/** The commands of a task, behind walls where the person wants them: which ones follow from the settings and the mode at the moment. */
import { join } from "node:path"
import { openJobs } from "../host/jobs.ts"
import { ripgrepProgram } from "../host/local.ts"
import type { SandboxRules } from "../host/sandbox-mounts.ts"
import { findMode, writesByCommand } from "../modes/groups.ts"
import type { TaskFiles } from "../task/store.ts"
import type { Jobs } from "../types/job.ts"
import type { Settings } from "../types/settings.ts"
import type { Project } from "./load-project.ts"

export interface Confinement {
  rules(): SandboxRules | undefined
  /** From now on by what is in force then. */
  follow(project: () => Project, mode: () => string): void
}

/** Ends what an earlier run of the task left behind: only while its lock is held. */
export function openJobsOf(
  { folder }: TaskFiles,
  { shell }: Settings,
  withheld: readonly string[],
  sandbox: Confinement["rules"],
): Jobs {
  return openJobs({ folder: join(folder, "commands"), withheld, ripgrep: ripgrepProgram, sandbox, ...(shell && { shell }) })
}

export function sandboxFor(loaded: Project): Confinement {
  let project = () => loaded
  let mode = () => loaded.settings.mode
  return {
    rules() {
      const { settings, sources, modes } = project()
      const { enabled, network, writable, readable } = settings.sandbox
      if (!enabled) return undefined
      const found = findMode(modes, mode())
      const readOnly = found === undefined || !writesByCommand(found)
      return { workspace: sources.workspace, joeyHome: sources.home, network, readOnly, writable, readable }
    },
    follow(nextProject, nextMode) {
      project = nextProject
      mode = nextMode
    },
  }
}
