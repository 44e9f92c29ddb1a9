/**
 * Skills: folders with a `SKILL.md` that a model can open when it needs them. Only name and description are kept; the body is read on
 * demand. Lenient, as the convention asks: a bad name is told and loaded, a skill without a description is left out.
 */
import { readdir } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { readFrontMatter, wordsOf } from "../text/front-matter.ts"
import { truncate } from "../text/truncate.ts"
import type { Finding } from "../types/finding.ts"
import type { Scope, Skill } from "../types/project.ts"
import { compareNames, type Disk, type Entry, openDisk, type Places } from "./disk.ts"
import { readMarkdown } from "./markdown-file.ts"

export interface SkillOptions extends Places {
  /** Skills for other modes are left out. */
  mode: string
  disk?: Disk
}

export interface Skills {
  /** What a model is offered, by name. */
  skills: Skill[]
  /** What only a person may call for (`disable-model-invocation`). */
  byNameOnly: Skill[]
  findings: Finding[]
}

const FILE = "SKILL.md"
const DEEPEST = 4
const MOST_FOLDERS = 2000
const LONGEST_DESCRIPTION = 1024
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** A folder that holds skills. */
interface Shelf {
  folder: string
  scope: Scope
  mode?: string
}

interface Found {
  skill?: Skill
  byNameOnly: boolean
  finding?: Finding
}

export async function loadSkills(options: SkillOptions): Promise<Skills> {
  const disk = options.disk ?? openDisk(options)
  const visited = new Set<string>()
  const found: { file: string; shelf: Shelf }[] = []
  const closed: Finding[] = []
  for (const shelf of shelvesOf(options)) {
    const { files, broken } = await skillFiles(shelf.folder, disk, visited)
    found.push(...files.map((file) => ({ file, shelf })))
    closed.push(...broken.map(({ path, problem = "cannot be read" }) => ({ file: disk.nameOf(path), reason: problem })))
  }
  const read = await Promise.all(found.map(({ file, shelf }) => readSkillFile(file, shelf, disk)))
  const taken = new Set<string>()
  const result: Skills = { skills: [], byNameOnly: [], findings: [...closed, ...read.flatMap(({ finding }) => finding ?? [])] }
  for (const { skill, byNameOnly } of read) {
    if (!skill || taken.has(skill.name) || (skill.modes && !skill.modes.includes(options.mode))) continue
    taken.add(skill.name)
    ;(byNameOnly ? result.byNameOnly : result.skills).push(skill)
  }
  result.skills.sort((one, other) => compareNames(one.name, other.name))
  return result
}

/** The first that has a name counts: project before home, the mode's own before all modes', Joey's folder before others'. */
function shelvesOf({ workspace, home, joeyHome, mode }: SkillOptions): Shelf[] {
  const names = [".joey", ".roo", ".agents", ".claude"]
  const project = names.map((name) => join(workspace, name))
  const global = names.map((name) => (name === ".joey" && joeyHome !== undefined ? joeyHome : join(home, name)))
  const scoped = NAME_OF_MODE.test(mode) ? [mode, undefined] : [undefined]
  return [["project", project] as const, ["global", global] as const].flatMap(([scope, folders]) =>
    scoped.flatMap((own) =>
      folders.map(
        (folder): Shelf => ({ folder: join(folder, own ? `skills-${own}` : "skills"), scope, ...(own && { mode: own }) }),
      ),
    ),
  )
}

const NAME_OF_MODE = /^[A-Za-z0-9-]+$/

/** Nothing below a skill is another skill. Links are followed, each folder is looked into once; one that is closed is broken. */
async function skillFiles(shelf: string, disk: Disk, visited: Set<string>): Promise<{ files: string[]; broken: Entry[] }> {
  const files: string[] = []
  const broken: Entry[] = []
  if (disk.kindOf(shelf) !== "folder") return { files, broken }
  let level = [{ folder: shelf, real: (await disk.realPath(shelf)) ?? shelf }]
  for (let depth = 0; level.length > 0 && depth <= DEEPEST; depth++) {
    const below: typeof level = []
    for (const { folder, real } of level) {
      if (visited.has(real) || visited.size === MOST_FOLDERS) continue
      visited.add(real)
      const entries = await disk.list(folder)
      broken.push(...entries.filter(({ path, kind }) => path === folder && kind === "broken"))
      const file = entries.find(({ name, kind }) => name.toLowerCase() === FILE.toLowerCase() && kind !== "folder")
      if (file && depth > 0) files.push(file.path)
      else {
        const folders = entries.filter(({ name, kind }) => kind === "folder" && !name.startsWith(".") && name !== "node_modules")
        for (const { path, name, linked } of folders) {
          below.push({ folder: path, real: (linked ? await disk.realPath(path) : undefined) ?? join(real, name) })
        }
      }
    }
    level = below
  }
  return { files, broken }
}

async function readSkillFile(path: string, shelf: Shelf, disk: Disk): Promise<Found> {
  const read = await readMarkdown(path, disk)
  if (!read?.file || read.finding) return { byNameOnly: false, ...(read?.finding && { finding: read.finding }) }
  const { fields, lineOf } = read.file
  const file = disk.nameOf(path)
  const described = wordsOf(fields["description"])
  if (described === undefined) {
    const reason = "has no description in its head, so nobody can tell when to use it; it is left out"
    return { byNameOnly: false, finding: { file, line: lineOf("description"), reason } }
  }
  const named = nameOf(fields["name"], basename(dirname(path)))
  const problems = [...(named.problem ? [{ line: lineOf("name"), reason: named.problem }] : [])]
  if (described.length > LONGEST_DESCRIPTION) {
    problems.push({ line: lineOf("description"), reason: `description is cut after ${LONGEST_DESCRIPTION} characters` })
  }
  const modes = namesIn(fields["modeSlugs"]) ?? namesIn(fields["mode"]) ?? (shelf.mode === undefined ? undefined : [shelf.mode])
  const description = truncate(described.replace(/\s+/g, " "), LONGEST_DESCRIPTION)
  const skill: Skill = {
    name: named.name,
    description,
    folder: dirname(path),
    file: path,
    scope: shelf.scope,
    ...(modes && { modes }),
  }
  const [first] = problems
  const reason = problems.map((problem) => problem.reason).join("; ")
  return {
    skill,
    byNameOnly: fields["disable-model-invocation"] === true,
    ...(first && { finding: { file, line: first.line, reason } }),
  }
}

/** As written when it can be a name, else made into one; without any, the folder's. */
function nameOf(written: unknown, folder: string): { name: string; problem?: string } {
  const words = wordsOf(written)
  if (words === undefined) return { name: asName(folder) ?? folder }
  if (NAME.test(words) && words.length <= 64) {
    return words === folder ? { name: words } : { name: words, problem: `name "${words}" differs from the folder's, "${folder}"` }
  }
  const name = asName(words) ?? asName(folder) ?? folder
  const problem = `name ${JSON.stringify(truncate(words, 80))} is not lower-case letters, digits and single hyphens; it is loaded as "${name}"`
  return { name, problem }
}

function asName(words: string): string | undefined {
  const name = words
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replace(/^-+|-+$/g, "")
  return name === "" ? undefined : name
}

function namesIn(value: unknown): string[] | undefined {
  const parts = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : []
  const names = parts.flatMap((part: unknown) => wordsOf(part) ?? [])
  return names.length > 0 ? names : undefined
}

const MOST_RESOURCES = 200

/** The body, and the files that lie beside it, relative to its folder: named, not read. */
export async function readSkill(
  skill: Skill,
  disk: Disk = openDisk({ workspace: skill.folder, home: skill.folder }),
): Promise<{ body: string; files: string[] } | { problem: string }> {
  const reading = await disk.read(skill.file)
  if (!reading) return { problem: "its SKILL.md is gone" }
  if ("problem" in reading) return { problem: `its SKILL.md ${reading.problem}` }
  // The head was read when the skill was found; here only its end matters.
  const { body } = await readFrontMatter(reading.text, async () => () => ({}))
  return { body: body.trim(), files: await resourcesOf(skill) }
}

async function resourcesOf({ folder, file }: Skill): Promise<string[]> {
  const files: string[] = []
  let level = [""]
  for (let depth = 0; level.length > 0 && depth <= DEEPEST && files.length < MOST_RESOURCES; depth++) {
    const below: string[] = []
    for (const inside of level) {
      const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => [])
      for (const entry of entries.filter(({ name }) => !name.startsWith(".") && name !== "node_modules")) {
        const path = inside === "" ? entry.name : `${inside}/${entry.name}`
        if (entry.isDirectory()) below.push(path)
        else if (join(folder, path) !== file) files.push(path)
      }
    }
    level = below
  }
  return files.sort(compareNames).slice(0, MOST_RESOURCES)
}
