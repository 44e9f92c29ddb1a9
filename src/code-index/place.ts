/** Where the index of a workspace is kept, and whether one can be had. Light: asked before the first request. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** On the person's side, never in the project. */
export function codeIndexFile(joeyHome: string, workspace: string): string {
  const name = createHash("sha256").update(resolve(workspace)).digest("hex").slice(0, 24)
  return join(joeyHome, "index", name, "index.sqlite")
}

export interface IndexPlace {
  workspace: string
  userHome: string
  file: string
  enabled: boolean
}

/**
 * There is an index, or one can be built within the time a search has: the whole disk and a person's home folder are no
 * projects. A project that is larger than the time allows is answered from the part that is done, and says so.
 */
export function canIndex({ workspace, userHome, file, enabled }: IndexPlace): boolean {
  if (!enabled) return false
  const place = resolve(workspace)
  const isTooWide = dirname(place) === place || place === resolve(userHome) || place === dirname(resolve(userHome))
  return !isTooWide || existsSync(file)
}
