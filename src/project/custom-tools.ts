/**
 * Custom tools that a project or a person keeps as files: `.joey/tools` and `.roo/tools`, in the workspace and at home. Found and made
 * into one module each; nothing of them is run here. What cannot be used is a finding, the others live.
 */
import { join } from "node:path"
import { count } from "../text/count.ts"
import { sizeWords } from "../text/size-words.ts"
import type { Finding } from "../types/finding.ts"
import type { Json } from "../types/json.ts"
import { bundleCache, digestOf } from "./custom-tools-cache.ts"
import { type Disk, openDisk, type Places } from "./disk.ts"

export interface ToolFile {
  /** Absolute. */
  path: string
  /** As people know it. */
  name: string
  scope: "global" | "project"
  program: string
  /** Of the program: it stands for everything the file imports, too. */
  digest: string
  /** For people who have to agree to it. */
  what: string[]
  /** What its tools said of themselves when they were last asked. */
  described?: Json
  /** Keeps that for the next start. */
  keepDescribed(described: Json): void
}

export interface ToolFiles {
  /** The person's first, then the project's; those of later ones with the same name take the place of earlier ones. */
  files: ToolFile[]
  findings: Finding[]
  /** Everything looked at: a change of it makes another list. */
  seen: ReadonlyMap<string, string>
}

const MOST_FILES = 64
const IS_TOOL = /^(?!.*\.(?:d|test|spec)\.[cm]?[jt]s$).*\.[cm]?[jt]s$/i

/** Where nobody has such a folder this takes four looks at the disk, and loads nothing. */
export async function loadToolFiles(
  places: Places,
  scopes: readonly ToolFile["scope"][] = ["global", "project"],
): Promise<ToolFiles> {
  const { workspace, home, joeyHome = join(home, ".joey") } = places
  const disk = openDisk(places)
  const folders: [ToolFile["scope"], string][] = [
    ["global", join(home, ".roo", "tools")],
    ["global", join(joeyHome, "tools")],
    ["project", join(workspace, ".roo", "tools")],
    ["project", join(workspace, ".joey", "tools")],
  ]
  const files: ToolFile[] = []
  const findings: Finding[] = []
  const visited = new Set<string>()
  for (const [scope, folder] of folders.filter(([scope]) => scopes.includes(scope))) {
    const real = (await disk.realPath(folder)) ?? folder
    if (visited.has(real)) continue // the workspace is the home folder
    visited.add(real)
    for (const entry of await disk.list(folder)) {
      const name = disk.nameOf(entry.path)
      if (entry.problem !== undefined) findings.push({ file: name, reason: entry.problem })
      if (entry.kind !== "file" || !IS_TOOL.test(entry.name)) continue
      if (files.length === MOST_FILES) return { files, findings: [...findings, tooMany(name)], seen: disk.seen }
      const loaded = await loadFile({ path: entry.path, name, scope }, joeyHome, disk)
      if ("reason" in loaded) findings.push(loaded)
      else files.push(loaded)
    }
  }
  return { files, findings, seen: disk.seen }
}

function tooMany(file: string): Finding {
  return { file, reason: `There are more than ${MOST_FILES} files of custom tools; this one and the rest are left out.` }
}

async function loadFile(
  file: Pick<ToolFile, "path" | "name" | "scope">,
  joeyHome: string,
  disk: Disk,
): Promise<ToolFile | Finding> {
  disk.kindOf(file.path) // a later change of it is noticed
  const cache = bundleCache(joeyHome)
  const kept = cache.find(file.path)
  const root = file.scope === "project" ? disk.wayFromRepository()[0] : undefined
  const bundle = kept ?? (await bundleFile(file.path, root && ((await disk.realPath(root)) ?? root)))
  if ("problem" in bundle) return { file: file.name, ...(bundle.line && { line: bundle.line }), reason: reasonOf(bundle.problem) }
  const { program, inputs } = bundle
  for (const input of Object.keys(inputs)) disk.kindOf(input)
  if (!kept) cache.keep(file.path, bundle)
  return {
    ...file,
    program,
    digest: digestOf(program),
    what: whatItIs(file.path, Object.keys(inputs), program, disk),
    ...(kept?.described !== undefined && { described: kept.described }),
    keepDescribed: (described) => cache.keep(file.path, { program, inputs, described }),
  }
}

/** The builder is loaded when the first file is new. */
async function bundleFile(path: string, within: string | undefined) {
  const { bundleTool } = await import("./custom-tools-bundle.ts")
  return bundleTool(path, within)
}

function whatItIs(path: string, inputs: readonly string[], program: string, disk: Disk): string[] {
  const others = inputs.filter((input) => input !== path).map((input) => disk.nameOf(input))
  const own = others.filter((name) => !name.includes("node_modules/"))
  const packages = others.length - own.length
  return [
    `program: ${sizeWords(program.length)}, sha256 ${digestOf(program).slice(0, 16)}`,
    ...(own.length === 0 ? [] : [`imports: ${own.join(", ")}`]),
    ...(packages === 0 ? [] : [`imports: ${count(packages, "file")} of packages`]),
  ]
}

function reasonOf(problem: string): string {
  return `This custom tool is left out: ${problem.replace(/\.$/, "")}.`
}
