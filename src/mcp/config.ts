/**
 * The servers that a person and a project configure, project files first. Reads through a port that
 * remembers what it looked at, so that an edit is noticed; nothing throws, one bad entry never hurts the others.
 */
import { printableLine } from "../text/printable.ts"
import type { Finding } from "../types/finding.ts"
import type { ServerEntries, ServerEntry } from "../types/mcp.ts"
import { readConfigText } from "./config-file.ts"
import { readEntry } from "./entry.ts"
import { personFiles, projectFiles, type ServerPlaces } from "./places.ts"

export interface ConfigDisk {
  read(path: string): Promise<{ text: string } | { problem: string } | undefined>
  realPath(path: string): Promise<string | undefined>
}

export interface ConfigPlaces extends ServerPlaces {
  env: Readonly<Record<string, string | undefined>>
  disk: ConfigDisk
}

export async function loadServers(places: ConfigPlaces): Promise<ServerEntries> {
  const { disk } = places
  const global = personFiles(places)
  const project = projectFiles(places)
  const own = new Set(await Promise.all(global.map(async (file) => (await disk.realPath(file)) ?? file)))
  const read = await Promise.all([
    ...project.map(async (file) => {
      // The workspace may be the home folder: what is the person's own is not the project's.
      return own.has((await disk.realPath(file)) ?? file) ? NOTHING : readFile(file, "project", places)
    }),
    ...global.map((file) => readFile(file, "global", places)),
  ])
  return { entries: marked(read.flatMap(({ entries }) => entries)), findings: read.flatMap(({ findings }) => findings) }
}

const NOTHING: ServerEntries = { entries: [], findings: [] }

async function readFile(file: string, scope: "global" | "project", places: ConfigPlaces): Promise<ServerEntries> {
  const read = await places.disk.read(file)
  if (!read) return NOTHING
  if ("problem" in read) return { entries: [], findings: [{ file, reason: `The file is left out: it ${read.problem}.` }] }
  const { servers, findings } = await readConfigText(read.text, file)
  const variables = { workspace: places.workspace, userHome: places.home, env: places.env }
  const entries: ServerEntry[] = []
  const found: Finding[] = [...findings]
  for (const written of servers) {
    const made = readEntry(written, { scope, file }, variables)
    const tell = (reason: string) => found.push({ file, line: written.line, reason: printableLine(reason) })
    if ("problem" in made) tell(`The server "${written.name}" is left out: ${made.problem}.`)
    else {
      entries.push(made.entry)
      for (const note of made.notes) tell(`The server "${written.name}": ${note}`)
    }
  }
  return { entries, findings: found }
}

function marked(entries: readonly ServerEntry[]): ServerEntry[] {
  const own = new Set(entries.filter(({ scope }) => scope === "global").map(({ name }) => name))
  return entries.map((entry) => (entry.scope === "project" && own.has(entry.name) ? { ...entry, replaces: true } : entry))
}

/** Of those with one name the first. Asked after trust: one that is held back replaces nothing. */
export function nearestServers(entries: readonly ServerEntry[]): ServerEntry[] {
  const byName = new Map<string, ServerEntry>()
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry)
  return [...byName.values()]
}
