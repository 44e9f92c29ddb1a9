/** What there is for a request besides the project: on this machine, of servers. Looked at before each, so it costs next to nothing. */
import { homedir } from "node:os"
import { canIndex, codeIndexFile } from "../code-index/place.ts"
import { findBrowser } from "../host/browser-program.ts"
import { findMode, writesByCommand } from "../modes/groups.ts"
import type { Project, Surroundings } from "./load-project.ts"
import type { TaskServers } from "./servers.ts"

type ServerFacts = Pick<TaskServers, "instructions" | "hasResources" | "hasHidden">

/** What this machine has does not change in a task: it is looked for once. */
export function lookAround(servers: ServerFacts): (project: Project, mode: string) => Promise<Surroundings> {
  let machine: (Pick<Surroundings, "hasBrowser"> & { index: string }) | undefined
  return async (project, mode) => {
    const { settings, sources } = project
    const { workspace, home, env } = sources
    machine ??= { hasBrowser: "program" in findBrowser(env), index: codeIndexFile(home, workspace) }
    const { index, hasBrowser } = machine
    const walls = settings.sandbox.enabled ? await sandboxLine(project, mode) : undefined
    return {
      servers: servers.instructions(),
      hasResources: servers.hasResources(),
      hasHiddenTools: servers.hasHidden(),
      hasImageModel: settings.imageModel.model !== undefined,
      hasBrowser,
      hasCodeIndex: canIndex({ workspace, userHome: homedir(), file: index, enabled: settings.codeIndex.enabled }),
      ...(walls && { sandbox: walls }),
    }
  }
}

async function sandboxLine({ settings, modes }: Project, slug: string): Promise<string> {
  const { sandboxWords } = await import("../host/sandbox.ts")
  const mode = findMode(modes, slug)
  return sandboxWords({ network: settings.sandbox.network, readOnly: mode === undefined || !writesByCommand(mode) })
}
