/** Where a task's tools come from besides those built in: servers, and tool folders. Loaded where there are some. */

import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { PersonPorts } from "../task/open.ts"
import type { TaskFiles } from "../task/store.ts"
import type { ToolSource } from "../types/tool.ts"
import type { Confinement } from "./confined-jobs.ts"
import { lateSource } from "./late-stations.ts"
import type { Project } from "./load-project.ts"
import { type ProcessServers, type TaskServers, taskServers } from "./servers.ts"

export interface SourceParts {
  id: string
  home: string
  workspace: string
  files: TaskFiles
  withheld: readonly string[]
  servers: ProcessServers
  confined: Confinement
}

export function serverSource({ servers, files }: SourceParts, ports: PersonPorts, project: () => Project): TaskServers {
  return taskServers({
    servers,
    entries: () => project().servers,
    folder: files.folder,
    budget: () => project().settings.mcp.toolBudget,
    ports: {
      notice: ports.notice,
      ask: ports.ask,
      loadedTools: () => ports.state().loadedTools,
      loadTools: (names) => ports.record({ type: "tools-loaded", names: [...names] }),
    },
  })
}

type ToolFolderParts = Omit<SourceParts, "servers" | "files"> & { files: Pick<TaskFiles, "folder"> }
type ToolFolderPorts = Pick<PersonPorts, "mode" | "notice">

export function customToolSource(parts: ToolFolderParts, ports: ToolFolderPorts, project: () => Project): ToolSource {
  const { id: task, home, workspace, withheld } = parts
  return lateSource(async () => {
    const folders = [workspace, homedir()].flatMap((place) => [join(place, ".joey", "tools"), join(place, ".roo", "tools")])
    if (![...folders, join(home, "tools")].some((folder) => existsSync(folder))) return undefined
    const { customTools } = await import("./custom-tools.ts")
    const { trustProject } = project().sources
    return customTools({
      task,
      home,
      workspace,
      withheld,
      settings: () => project().settings.customTools,
      mode: ports.mode,
      notice: ports.notice,
      sandbox() {
        const rules = parts.confined.rules()
        return rules && { rules, folder: parts.files.folder }
      },
      ...(trustProject !== undefined && { trustProject }),
    })
  })
}
