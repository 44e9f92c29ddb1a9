/** The files that configure servers, the person's own and the project's, nearest first within each. Light: asked before the first request. */
import { join } from "node:path"

export interface ServerPlaces {
  workspace: string
  /** The person's. */
  home: string
  joeyHome: string
  env?: Readonly<Record<string, string | undefined>>
  platform?: string
}

const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"]
/** Editors that work on this machine for a window elsewhere. */
const FAR_EDITORS = [".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server"]
/** Where Roo keeps the person's servers, from an editor's folder. */
const ROO_FILE = join("User", "globalStorage", "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json")

export function personFiles(places: ServerPlaces): string[] {
  const { home, joeyHome } = places
  const editors = [
    ...EDITORS.map((name) => join(configFolder(places), name)),
    ...FAR_EDITORS.map((name) => join(home, name, "data")),
  ]
  return [join(joeyHome, "mcp.json"), join(home, ".roo", "mcp.json"), ...editors.map((folder) => join(folder, ROO_FILE))]
}

function configFolder({ home, env = process.env, platform = process.platform }: ServerPlaces): string {
  if (platform === "darwin") return join(home, "Library", "Application Support")
  if (platform === "win32") return env["APPDATA"] || join(home, "AppData", "Roaming")
  return env["XDG_CONFIG_HOME"] || join(home, ".config")
}

export function projectFiles({ workspace }: ServerPlaces): string[] {
  return [join(workspace, ".joey", "mcp.json"), join(workspace, ".roo", "mcp.json"), join(workspace, ".mcp.json")]
}

export function serverFiles(places: ServerPlaces): string[] {
  return [...personFiles(places), ...projectFiles(places)]
}
