/** What stands before the names of files found in a folder, so that they can be read from the workspace. */
import { relative } from "node:path"
import type { Host } from "../types/host.ts"

export function baseOf(host: Host, path: string): string {
  const place = host.resolve(path)
  const inside = relative(host.workspace, place)
  if (inside === "") return ""
  return `${inside === ".." || inside.startsWith("../") ? place : inside}/`
}
