/**
 * Slash commands: Markdown files whose name is the command and whose body is what the model is told. A project's replaces one of the
 * home folder, and either a built-in one. Nothing in a body is run or looked up; arguments are put in as they were typed.
 */
import { join } from "node:path"
import { wordsOf } from "../text/front-matter.ts"
import type { Finding } from "../types/finding.ts"
import type { Scope, SlashCommand } from "../types/project.ts"
import { builtInCommands } from "./built-in-commands.ts"
import { compareNames, type Disk, openDisk, type Places } from "./disk.ts"
import { readMarkdown } from "./markdown-file.ts"

export interface Commands {
  /** By name. */
  commands: SlashCommand[]
  findings: Finding[]
}

/** Letters of any script; without a class for them, which takes milliseconds to compile. */
const NAME = /^[^\s/\\:]+(?::[^\s/\\:]+)*$/
const MOST_FOLDERS = 200

interface CommandFile {
  path: string
  name: string
  problem?: string
}

export async function loadCommands(options: Places & { disk?: Disk }): Promise<Commands> {
  const { workspace, home, joeyHome = join(home, ".joey") } = options
  const disk = options.disk ?? openDisk(options)
  const places: [scope: Scope, folder: string, nested: boolean][] = [
    ["project", join(workspace, ".joey", "commands"), false],
    ["project", join(workspace, ".roo", "commands"), false],
    ["project", join(workspace, ".claude", "commands"), true],
    ["global", join(joeyHome, "commands"), false],
    ["global", join(home, ".roo", "commands"), false],
    ["global", join(home, ".claude", "commands"), true],
  ]
  const read = await Promise.all(
    places.map(async ([scope, folder, nested]) => {
      const files = await commandFiles({ folder, prefix: "", nested }, disk, new Set())
      return Promise.all(files.map((file) => readCommand(file, scope, disk)))
    }),
  )
  const byName = new Map<string, SlashCommand>()
  for (const command of [...read.flat().flatMap(({ command }) => command ?? []), ...builtInCommands]) {
    if (!byName.has(command.name)) byName.set(command.name, command)
  }
  const commands = [...byName.values()].sort((one, other) => compareNames(one.name, other.name))
  return { commands, findings: read.flat().flatMap(({ finding }) => finding ?? []) }
}

/** By its name; one in a folder, `folder:name`, also by the last part alone when that is clear. */
export function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand | undefined {
  const exact = commands.find((command) => command.name === name)
  if (exact) return exact
  const [only, ...others] = commands.filter((command) => command.name.endsWith(`:${name}`))
  return others.length === 0 ? only : undefined
}

/**
 * The command's body with its arguments: `$ARGUMENTS` is all of them, `$1` … `$9` one each, in quotes where it has blanks. A number
 * without an argument stays as it is, since it may be part of a script. Where a body has no place for them, they follow it.
 */
export function expandCommand({ body }: SlashCommand, args: string): string {
  const typed = args.trim()
  const words = splitArguments(typed)
  let placed = false
  const text = body.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (written, digit: string | undefined) => {
    if (digit !== undefined && words[Number(digit) - 1] === undefined) return written
    placed = true
    return digit === undefined ? typed : (words[Number(digit) - 1] ?? "")
  })
  return (placed || typed === "" ? text : `${text}\n\nArguments: ${typed}`).trim()
}

/** At blanks, except inside quotes, which are taken off. */
function splitArguments(typed: string): string[] {
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "")
}

interface Place {
  folder: string
  /** Of a command's name, from the folders around it. */
  prefix: string
  nested: boolean
}

/** Links are followed, each folder is read once. */
async function commandFiles({ folder, prefix, nested }: Place, disk: Disk, visited: Set<string>): Promise<CommandFile[]> {
  if (disk.kindOf(folder) !== "folder" || visited.size === MOST_FOLDERS) return []
  const real = (await disk.realPath(folder)) ?? folder
  if (visited.has(real)) return []
  visited.add(real)
  const files: CommandFile[] = []
  for (const { name, path, kind, problem } of await disk.list(folder)) {
    if (kind === "folder") {
      if (nested) files.push(...(await commandFiles({ folder: path, prefix: `${prefix}${name}:`, nested }, disk, visited)))
    } else if (path === folder || /\.md$/i.test(name)) {
      files.push({ path, name: prefix + name.replace(/\.md$/i, ""), ...(problem && { problem }) })
    }
  }
  return files
}

async function readCommand(
  { path, name, problem }: CommandFile,
  scope: Scope,
  disk: Disk,
): Promise<{ command?: SlashCommand; finding?: Finding }> {
  const file = disk.nameOf(path)
  if (problem !== undefined) return { finding: { file, reason: problem } }
  if (!NAME.test(name)) {
    return {
      finding: { file, reason: `"${name}" cannot be typed as a command: its name has a blank or a colon` },
    }
  }
  const read = await readMarkdown(path, disk)
  if (!read?.file) return read ?? {}
  const { fields } = read.file
  const body = read.file.body.trim()
  if (body === "") return { finding: read.finding ?? { file, reason: "says nothing beside its head" } }
  const description = wordsOf(fields["description"])
  const argumentHint = hintOf(fields["argument-hint"])
  const mode = wordsOf(fields["mode"])
  return {
    command: {
      name,
      body,
      scope,
      file: path,
      ...(description && { description }),
      ...(argumentHint && { argumentHint }),
      ...(mode && { mode }),
    },
    ...(read.finding && { finding: read.finding }),
  }
}

/** `[file]` is a hint to people and a list to YAML. */
function hintOf(value: unknown): string | undefined {
  return Array.isArray(value) && value.length > 0 ? `[${value.join(", ")}]` : wordsOf(value)
}
