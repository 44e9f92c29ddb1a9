/**
 * All modes there are: the built-in ones, then those of files. A project's mode replaces a global one of the same slug, and either
 * replaces a built-in one, whole. What cannot be used gives one finding and is left out; the others load.
 */
import { basename, join } from "node:path"
import { readFrontMatter, wordsOf } from "../text/front-matter.ts"
import type { Finding } from "../types/finding.ts"
import type { Mode } from "../types/mode.ts"
import type { ModePrompt } from "../types/settings.ts"
import { groupsOfTools } from "./agent-tools.ts"
import { builtInModes } from "./built-in.ts"
import { type CheckedMode, checkMode } from "./check-mode.ts"
import { isMapping } from "./group-list.ts"
import { readModesFile } from "./modes-file.ts"

/** The person's files, as a port. Nothing rejects: missing is undefined or empty, unreadable is a problem in words. */
export interface ModeFiles {
  read(path: string): Promise<{ text: string } | { problem: string } | undefined>
  list(folder: string): Promise<readonly ListedFile[]>
  /** The path as people know it. */
  nameOf(path: string): string
}

export interface ListedFile {
  name: string
  path: string
  /** Why it cannot be read. */
  problem?: string
}

export interface ModeOptions {
  workspace: string
  /** The person's home folder. */
  home: string
  /** Joey's own folder. Default: `.joey` in the home folder. */
  joeyHome?: string
  disk: ModeFiles
}

export interface LoadedModes {
  modes: Mode[]
  findings: Finding[]
}

/** A mode as one place of one file gave it. */
interface Found {
  file: string
  line: number
  checked: CheckedMode
}

type Source = (disk: ModeFiles) => Promise<(Found | Finding)[]>

export async function loadModes({ workspace, home, joeyHome = join(home, ".joey"), disk }: ModeOptions): Promise<LoadedModes> {
  const project = [
    markdownModes(join(workspace, ".joey", "modes"), modeEntry),
    listedModes(join(workspace, ".roomodes")),
    markdownModes(join(workspace, ".claude", "agents"), agentEntry),
  ]
  const global = [
    markdownModes(join(joeyHome, "modes"), modeEntry),
    listedModes(join(joeyHome, "custom_modes.yaml")),
    listedModes(join(home, ".roo", "custom_modes.yaml")),
  ]
  const [fromProject, fromHome] = await Promise.all([readScope(project, disk), readScope(global, disk)])
  const custom = new Map([...fromHome.modes, ...fromProject.modes].map((mode) => [mode.slug, mode]))
  const replaced = builtInModes.map((mode) => custom.get(mode.slug) ?? mode)
  const added = [...custom.values()].filter(({ slug }) => !builtInModes.some((mode) => mode.slug === slug))
  return { modes: [...replaced, ...added], findings: [...fromProject.findings, ...fromHome.findings] }
}

/** A person's own words for a built-in mode, field by field. A custom mode says all of itself in its file. */
export function applyModePrompts(modes: readonly Mode[], prompts: Record<string, ModePrompt>): Mode[] {
  return modes.map((mode) => {
    const prompt = Object.hasOwn(prompts, mode.slug) ? prompts[mode.slug] : undefined
    if (!prompt || !builtInModes.includes(mode)) return mode
    const role = wordsOf(prompt.roleDefinition)
    const whenToUse = wordsOf(prompt.whenToUse)
    const instructions = wordsOf(prompt.customInstructions)
    return { ...mode, ...(role && { role }), ...(whenToUse && { whenToUse }), ...(instructions && { instructions }) }
  })
}

/** The first of a slug counts, in the order of the sources. */
async function readScope(sources: readonly Source[], disk: ModeFiles): Promise<LoadedModes> {
  const read = (await Promise.all(sources.map((source) => source(disk)))).flat()
  const taken = new Map<string, { mode: Mode; file: string }>()
  const findings: Finding[] = []
  for (const found of read) {
    if ("reason" in found) {
      findings.push(found)
      continue
    }
    const { file, line, checked } = found
    const earlier = checked.mode && taken.get(checked.mode.slug)
    if (earlier)
      findings.push({ file, line, reason: `${checked.label} is left out: ${whereElse(earlier.file, file)} defines it already` })
    else {
      if (checked.problems.length > 0) findings.push({ file, line, reason: inOneLine(checked) })
      if (checked.mode) taken.set(checked.mode.slug, { mode: checked.mode, file })
    }
  }
  return { modes: [...taken.values()].map(({ mode }) => mode), findings }
}

function whereElse(earlier: string, file: string): string {
  return earlier === file ? "the same file" : earlier
}

function inOneLine({ label, mode, problems }: CheckedMode): string {
  const reasons = problems.map(({ reason }) => reason).join("; ")
  return mode ? `${label}: ${reasons}` : `${label} is left out: ${reasons}`
}

/** A file with `customModes: [ … ]`. */
function listedModes(path: string): Source {
  return async (disk) => {
    const file = disk.nameOf(path)
    const read = await disk.read(path)
    if (!read) return []
    if ("problem" in read) return [{ file, reason: read.problem }]
    if (read.text.trim() === "") return []
    const { value, lineOf, problem } = await readModesFile(read.text)
    if (problem) return [{ file, ...problem }]
    const list = isMapping(value) ? value["customModes"] : undefined
    if (list === undefined || list === null) {
      return value === null || isMapping(value) ? [] : [{ file, line: 1, reason: "it has no list of customModes" }]
    }
    if (!Array.isArray(list)) return [{ file, line: lineOf(["customModes"]), reason: "customModes is not a list" }]
    return list.map((entry: unknown, index): Found => {
      const checked = checkMode(entry)
      const field = checked.problems[0]?.field
      return { file, checked, line: lineOf(["customModes", index, ...(field ? [field] : [])]) }
    })
  }
}

type Entry = Record<string, unknown>
type ReadEntry = (fields: Entry, body: string, fileName: string) => { entry: Entry; problems: string[] } | undefined

/** One mode per Markdown file: head and body. */
function markdownModes(folder: string, readEntry: ReadEntry): Source {
  return async (disk) => {
    const listed = await disk.list(folder)
    const files = listed.filter(({ name, path }) => path === folder || (/\.md$/i.test(name) && !/^readme\.md$/i.test(name)))
    const read = await Promise.all(files.map((file) => markdownMode(file, readEntry, disk)))
    return read.flat()
  }
}

async function markdownMode(
  { path, problem: unread }: ListedFile,
  readEntry: ReadEntry,
  disk: ModeFiles,
): Promise<(Found | Finding)[]> {
  const file = disk.nameOf(path)
  const read = unread === undefined ? await disk.read(path) : { problem: unread }
  if (!read) return []
  if ("problem" in read) return [{ file, reason: read.problem }]
  const { fields, body, lineOf, problem } = await readFrontMatter(read.text, loadYaml)
  if (problem) return [{ file, ...problem }]
  const written = readEntry(fields, body.trim(), basename(path).replace(/\.md$/i, ""))
  if (!written) return []
  const checked = checkMode(written.entry)
  checked.problems.push(...written.problems.map((reason) => ({ field: "tools", reason })))
  const [first] = checked.problems
  return [{ file, line: first ? lineOf(first.field) : 1, checked }]
}

async function loadYaml(): Promise<(text: string) => unknown> {
  const { parse } = await import("yaml")
  return (text) => parse(text, { merge: true, logLevel: "error" })
}

const modeEntry: ReadEntry = (fields, body, fileName) => ({
  entry: {
    ...fields,
    slug: fields["slug"] ?? slugOf(fileName),
    name: fields["name"] ?? fileName,
    roleDefinition: body === "" ? fields["roleDefinition"] : body,
  },
  problems: [],
})

/** A file without a head is no agent, but something to read beside them. */
const agentEntry: ReadEntry = (fields, body, fileName) => {
  if (Object.keys(fields).length === 0) return undefined
  const name = wordsOf(fields["name"]) ?? fileName
  const { groups, problems } = groupsOfTools(fields["tools"], fields["disallowedTools"])
  return { entry: { slug: slugOf(name), name, roleDefinition: body, whenToUse: fields["description"], groups }, problems }
}

function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .toLowerCase()
}
