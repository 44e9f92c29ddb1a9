/**
 * What a task would send first, without a task: prompt and tools, those of servers and tool folders included, for people who want to see
 * it. Servers are started for it as a task would start them, and ended again.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ToolDefinition } from "../types/model.ts"
import { sandboxFor } from "./confined-jobs.ts"
import { type Project, type RequestParts, type RequestTarget, requestParts } from "./load-project.ts"
import { processServers, taskServers } from "./servers.ts"
import { lookAround } from "./surroundings.ts"
import { customToolSource } from "./task-sources.ts"
import { joinSources } from "./tool-sources.ts"
import { createToolbox } from "./toolbox.ts"

export interface PreviewedRequest {
  facts: RequestParts["facts"]
  tools: readonly ToolDefinition[]
  /** What is left out and why, a line each. */
  notices: string[]
}

export interface PreviewOptions {
  mode: string
  target: Omit<RequestTarget, "around">
  /** Environment variables that hold keys by the person's own choice. */
  withheld: readonly string[]
}

export async function previewRequest(project: Project, { mode, target, withheld }: PreviewOptions): Promise<PreviewedRequest> {
  const { home, workspace, env } = project.sources
  const notices: string[] = []
  const notice = (text: string) => void notices.push(text)
  const folder = await mkdtemp(join(tmpdir(), "joey-prompt-"))
  const processes = processServers({ home, env })
  try {
    const servers = taskServers({
      servers: processes,
      entries: () => project.servers,
      folder,
      budget: () => project.settings.mcp.toolBudget,
      ports: { notice, ask: async () => ({ kind: "no" }), loadedTools: () => [], loadTools: () => {} },
    })
    const parts = { id: "prompt", home, workspace, files: { folder }, withheld, confined: sandboxFor(project) }
    const folders = customToolSource(parts, { mode: () => mode, notice }, () => project)
    const others = joinSources([servers, folders], { loaded: () => [], record: () => {} })
    await others.refresh()
    const around = await lookAround(servers)(project, mode)
    const request = await requestParts(project, mode, { ...target, around })
    const toolbox = createToolbox({ project: () => project, parts: () => request }, async () => [], others)
    return { facts: request.facts, tools: toolbox.offered(mode), notices }
  } finally {
    await processes.close()
    await rm(folder, { recursive: true, force: true })
  }
}
