/** Folders below the workspace that bring rules of their own. Looks at a bounded number of folders and follows no links. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { compareNames } from "./disk.ts"

const MOST_FOLDERS = 2000
const DEEPEST = 8
const BRINGS_RULES = new Set([".roo", ".joey", "AGENTS.md", "AGENT.md", "AGENTS.local.md"])

export async function foldersWithRules(workspace: string): Promise<{ folders: string[]; complete: boolean }> {
  const folders: string[] = []
  let level = [workspace]
  let looked = 0
  for (let depth = 0; level.length > 0 && depth <= DEEPEST && looked < MOST_FOLDERS; depth++) {
    const reached = level.slice(0, MOST_FOLDERS - looked)
    looked += reached.length
    const below = await Promise.all(reached.map(lookInto))
    folders.push(...below.flatMap(({ folder, brings }) => (brings && folder !== workspace ? [folder] : [])))
    const rest = level.slice(reached.length)
    level = [...rest, ...below.flatMap(({ inside }) => inside)]
  }
  return { folders: folders.sort(compareNames), complete: level.length === 0 }
}

async function lookInto(folder: string): Promise<{ folder: string; brings: boolean; inside: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const inside = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
  return {
    folder,
    brings: entries.some(({ name }) => BRINGS_RULES.has(name)),
    inside: inside.map(({ name }) => join(folder, name)).sort(compareNames),
  }
}
