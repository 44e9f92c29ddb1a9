/** Searches: a command that goes through whole folders, or through all that git tracks, tells what is in files that nobody named. */
import { posix } from "node:path"
import { type GitContent, gitContent } from "./command-git-content.ts"
import { SOURCE_FILES, searchesFolders } from "./command-operands.ts"
import { ask, type Judge, type Outcome } from "./command-outcome.ts"
import { type CommandPorts, folderOf, keptBeneath, nameOf, placesOf } from "./command-paths.ts"
import { type Tracked, trackedFiles } from "./command-tracked.ts"
import { literalWord, type SimpleCommand } from "./shell/line.ts"

export async function judgeSearch(judge: Judge, command: SimpleCommand): Promise<Outcome | undefined> {
  const content = gitContent(command.argv)
  return content ? judgeTracked(judge, command, content) : judgeFolders(judge, command)
}

function keptBy(ports: CommandPorts): (real: string, relative: string) => boolean {
  return (real, relative) =>
    ports.isCredential(real) || (relative !== "" && (ports.isIgnored(relative) || (ports.deniesRead?.(relative) ?? false)))
}

/** Grave, as if the file had been named: a search shows its lines all the same. */
function tells(file: string): Outcome {
  return { ...ask(`it would read ${file} too, which is kept from the agent or may hold secrets`), grave: true }
}

async function judgeFolders({ cwd, ports }: Judge, command: SimpleCommand): Promise<Outcome | undefined> {
  const search = searchesFolders(command.argv)
  if (!search) return undefined
  const { hidden } = search
  const words = search.folders.length > 0 ? search.folders.flatMap((at) => command.words[at] ?? []) : [literalWord(".")]
  for (const word of command.fed && search.folders.length === 0 ? [] : words) {
    for (const folder of (await placesOf(word, command.folders, cwd, ports))?.paths ?? []) {
      const found = folder.outside ? undefined : await keptBeneath(folder, { hidden, isKept: keptBy(ports) }, ports)
      if (found === "many" && hidden)
        return ask(`${nameOf(folder)} has too many files to make sure that none of them is kept from the agent`)
      if (found !== undefined && found !== "many") return tells(found)
    }
  }
  return undefined
}

async function judgeTracked(judge: Judge, command: SimpleCommand, content: GitContent): Promise<Outcome | undefined> {
  const { cwd, ports } = judge
  const into = literalWord(content.into.length > 0 ? posix.join(...content.into) : ".")
  const starts = (await folderOf(into, command.folders, cwd, ports)) ?? (await folderOf(literalWord("."), [""], cwd, ports)) ?? []
  for (const start of starts) {
    const tracked = await (ports.tracked ?? trackedFiles)(start.real)
    if (!tracked) continue
    const isKept = keptIn(tracked.root, ports)
    if (!tracked.names) {
      // What is there may be tracked.
      const found = await keptBeneath(start, { hidden: true, isKept: keptBy(ports) }, ports)
      if (found !== undefined && found !== "many") return tells(found)
      continue
    }
    const files = tracked.names.filter(isKept)
    const shown = content.operands.flatMap((word) => /^[^:]*:(?:\d:)?([^:].*)$/.exec(word)?.[1] ?? []) // HEAD:path
    const named = shown.find((path) => isKept(posix.normalize(path)))
    if (named !== undefined) return tells(named)
    if (files.length === 0 || (shown.length > 0 && shown.length === content.operands.length)) continue
    const limits = limitsOf(content, start.real, { ...tracked, names: tracked.names })
    const found = files.find((file) => !limits || limits.some((limit) => covers(limit, `${tracked.root}/${file}`)))
    if (found !== undefined) return tells(found)
  }
  return undefined
}

function keptIn(root: string, ports: CommandPorts): (name: string) => boolean {
  const isKept = keptBy(ports)
  return (name) => {
    const real = posix.join(root, name)
    const relative = posix.relative(ports.workspace, real)
    return isKept(real, relative.startsWith("..") ? "" : relative)
  }
}

/** Where the paths it is given lead; undefined when it is not limited to any, or nobody can tell. */
function limitsOf({ operands, paths, plain }: GitContent, start: string, tracked: Required<Tracked>): string[] | undefined {
  const absolute = (path: string) => posix.resolve(start, path)
  const names = (tracked.names ?? []).map((name) => `${tracked.root}/${name}`)
  const seeming = plain && paths.length === 0 ? operands.filter((word) => names.some((name) => covers(absolute(word), name))) : []
  const all = [...paths, ...seeming].filter((path) => !SOURCE_FILES.test(posix.basename(path)))
  if (paths.length + seeming.length === 0 || all.some((path) => /^:|[*?[\\]/.test(path))) return undefined
  return all.map(absolute)
}

function covers(limit: string, file: string): boolean {
  return file === limit || file.startsWith(limit.endsWith("/") ? limit : `${limit}/`)
}
