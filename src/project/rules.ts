/**
 * The rules and instructions that files bring along for a mode, in the order in which a model reads them: the mode's rules, the ignore
 * files, AGENTS.md from the repository's root inwards, rules for all modes, then what other agents call theirs. What is left out
 * is said with its reason; nothing throws.
 */
import { join } from "node:path"
import type { Finding } from "../types/finding.ts"
import type { RuleFile } from "../types/project.ts"
import { type Disk, openDisk, type Places } from "./disk.ts"
import { fitInto } from "./rule-budget.ts"
import { ruleFilesIn, type Skipped } from "./rule-folders.ts"
import { foldersWithRules } from "./subfolders.ts"

export interface RuleOptions extends Places {
  mode: string
  /** Read AGENTS.md and its kin. */
  useAgentRules: boolean
  /** Read rules below the workspace too. */
  enableSubfolderRules: boolean
  /** Bytes of all files together. */
  maxBytes: number
  disk?: Disk
}

export interface Rules {
  files: RuleFile[]
  skipped: Skipped[]
  findings: Finding[]
}

type Kind = RuleFile["kind"]

/** What one load has gathered; `real` holds where each file leads, so that none is read under two names. */
interface Gathering extends Rules {
  disk: Disk
  maxBytes: number
  real: Set<string>
}

export async function loadRules(options: RuleOptions): Promise<Rules> {
  const { workspace, mode, useAgentRules, enableSubfolderRules, maxBytes } = options
  const disk = options.disk ?? openDisk(options)
  const gathering: Gathering = { disk, maxBytes, real: new Set(), files: [], skipped: [], findings: [] }
  const below = await subfolders(gathering, workspace, enableSubfolderRules)
  const homes = [join(options.home, ".roo"), options.joeyHome ?? join(options.home, ".joey")]
  const folders = [...homes, ...[workspace, ...below].flatMap((folder) => [join(folder, ".roo"), join(folder, ".joey")])]

  if (/^[A-Za-z0-9-]+$/.test(mode)) await ownRules(gathering, "mode", folders, workspace, `-${mode}`)
  for (const name of [".rooignore", ".joeyignore"]) await addFile(gathering, "ignore", join(workspace, name))
  if (useAgentRules) await agentRules(gathering, [...disk.wayFromRepository(), ...below])
  await ownRules(gathering, "generic", folders, workspace, "")
  for (const name of [".cursorrules", "CLAUDE.md"]) await addFile(gathering, "foreign", join(workspace, name))

  return { files: fitInto(gathering.files, maxBytes), skipped: gathering.skipped, findings: gathering.findings }
}

/** Only AGENTS.md and its kin, of these folders, outermost first; what they say is cut to `maxBytes` together. */
export async function loadAgentRules(folders: readonly string[], disk: Disk, maxBytes: number): Promise<Rules> {
  const gathering: Gathering = { disk, maxBytes, real: new Set(), files: [], skipped: [], findings: [] }
  await agentRules(gathering, folders)
  return { files: fitInto(gathering.files, maxBytes), skipped: gathering.skipped, findings: gathering.findings }
}

async function subfolders({ skipped }: Gathering, workspace: string, enabled: boolean): Promise<string[]> {
  if (!enabled) return []
  const { folders, complete } = await foldersWithRules(workspace)
  if (!complete) skipped.push({ path: ".", reason: "the workspace has more folders than are searched for rules" })
  return folders
}

/** Rules folders; one old-style file only when no folder had any. */
async function ownRules(gathering: Gathering, kind: Kind, folders: string[], workspace: string, suffix: string): Promise<void> {
  const before = gathering.files.length
  for (const folder of folders) await addFolder(gathering, kind, join(folder, `rules${suffix}`))
  const fromFolders = gathering.files.length > before
  for (const name of [`.roorules${suffix}`, `.clinerules${suffix}`]) {
    const path = join(workspace, name)
    const found = gathering.disk.kindOf(path)
    if (found === "missing") continue
    if (found === "folder") skip(gathering, path, "it is a folder; only a file of this name is read")
    else if (fromFolders) skip(gathering, path, "rules folders take its place")
    else if (gathering.files.length > before) skip(gathering, path, `.roorules${suffix} takes its place`)
    else await addFile(gathering, kind, path)
  }
}

async function agentRules(gathering: Gathering, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const before = gathering.files.length
    await addFile(gathering, "agents", join(folder, "AGENTS.md"))
    const singular = join(folder, "AGENT.md")
    if (gathering.files.length === before) await addFile(gathering, "agents", singular)
    else if (gathering.disk.kindOf(singular) === "file") skip(gathering, singular, "AGENTS.md takes its place")
    await addFile(gathering, "agents", join(folder, "AGENTS.local.md"))
  }
}

async function addFolder(gathering: Gathering, kind: Kind, folder: string): Promise<void> {
  const { files, skipped, broken } = await ruleFilesIn(folder, gathering.disk)
  for (const { path, reason } of skipped) skip(gathering, path, reason)
  for (const { path, reason } of broken) find(gathering, path, reason)
  await addAll(
    gathering,
    kind,
    files.map(({ path }) => path),
  )
}

function addFile(gathering: Gathering, kind: Kind, path: string): Promise<void> {
  return addAll(gathering, kind, [path])
}

async function addAll(gathering: Gathering, kind: Kind, paths: string[]): Promise<void> {
  const { disk, maxBytes } = gathering
  const read = await Promise.all(
    paths.map(async (path) => {
      const kindOfPath = disk.kindOf(path)
      if (kindOfPath === "folder") skip(gathering, path, "it is a folder; only a file of this name is read")
      if (kindOfPath === "missing" || kindOfPath === "folder") return undefined
      return { path, real: await disk.realPath(path), reading: await disk.read(path, maxBytes) }
    }),
  )
  for (const found of read) {
    if (!found) continue
    const { path, real, reading } = found
    if (real !== undefined && gathering.real.has(real)) skip(gathering, path, "it is the same file as one read before")
    else if (!reading) continue
    else if ("problem" in reading) {
      if (kind !== "ignore") find(gathering, path, reading.problem) // told where the patterns are read, with what follows from it
    } else {
      if (real !== undefined) gathering.real.add(real)
      const text = reading.text.trim()
      if (text === "") skip(gathering, path, "it is empty")
      else gathering.files.push({ path: disk.nameOf(path), text, kind, bytes: reading.bytes })
    }
  }
}

function skip({ skipped, disk }: Gathering, path: string, reason: string): void {
  skipped.push({ path: disk.nameOf(path), reason })
}

function find({ findings, disk }: Gathering, path: string, reason: string): void {
  findings.push({ file: disk.nameOf(path), reason })
}
