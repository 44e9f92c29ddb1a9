/** What there is for a request besides the project: on this machine, of servers. Looked at before each, so it costs next to nothing. */
import { homedir } from "node:os"
import { canIndex, codeIndexFile } from "../code-index/place.ts"
import { findBrowser } from "../host/browser-program.ts"
import { findMode, writesByCommand } from "../modes/groups.ts"
import type { Project, Surroundings } from "./load-project.ts"
import type { TaskServers } from "./servers.ts"

type ServerFacts = Pick<TaskServers, "instructions" | "hasResources" | "hasHidden">

export async function surroundings(project: Project, mode: string, servers: ServerFacts): Promise<Surroundings> {
  const { settings, sources } = project
  const { workspace, home, env } = sources
  const place = { workspace, userHome: homedir(), file: codeIndexFile(home, workspace), enabled: settings.codeIndex.enabled }
  const walls = settings.sandbox.enabled ? await sandboxLine(project, mode) : undefined
  return {
    servers: servers.instructions(),
    hasResources: servers.hasResources(),
    hasHiddenTools: servers.hasHidden(),
    hasImageModel: settings.imageModel.model !== undefined,
    hasBrowser: "program" in findBrowser(env),
    hasCodeIndex: canIndex(place),
    ...(walls && { sandbox: walls }),
  }
}

async function sandboxLine({ settings, modes }: Project, slug: string): Promise<string> {
  const { sandboxWords } = await import("../host/sandbox.ts")
  const mode = findMode(modes, slug)
  return sandboxWords({ network: settings.sandbox.network, readOnly: mode === undefined || !writesByCommand(mode) })
}
