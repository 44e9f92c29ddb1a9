/** Lists a folder, or a whole tree with its shallowest entries first. Ignored files stay out; links are named, not followed. */
import { homedir } from "node:os"
import * as z from "zod"
import type { Host } from "../types/host.ts"
import { type ToolContext, ToolError } from "../types/tool.ts"
import { baseOf } from "./base-of.ts"
import { defineTool } from "./define-tool.ts"
import { pathArgument } from "./path-argument.ts"
import { type RipgrepEnd, runRipgrep } from "./ripgrep.ts"
import { shownName } from "./shown-name.ts"

const MOST_ENTRIES = 200

/** Folders nobody wants to see unless they ask for them by path. */
const SKIPPED_FOLDERS = [
  ".*",
  "node_modules",
  "__pycache__",
  "env",
  "venv",
  "dist",
  "out",
  "bundle",
  "vendor",
  "tmp",
  "temp",
  "deps",
  "pkg",
  "Pods",
  "**/target/dependency",
  "**/build/dependencies",
]

export const listFiles = defineTool({
  name: "list_files",
  knownAs: [
    { agent: "claude-code", name: "LS" },
    { agent: "claude-code", name: "Glob" },
  ],
  group: "read",
  effect: "read",
  description: `List the files and folders in a folder, at most ${MOST_ENTRIES}. Leaves out ignored files, hidden folders and the like of node_modules, unless path names one.`,
  input: z.object({
    path: pathArgument().describe("Folder, relative to the workspace"),
    recursive: z.boolean().default(false).describe("Also what is in its subfolders"),
  }),
  touches: ({ path }) => [path],
  preview: ({ path, recursive }) => ({ kind: "title", text: `List ${path ?? "…"}${recursive ? " and all beneath" : ""}` }),
  async run({ path, recursive }, context) {
    await mustBeFolder(path, recursive, context.host)
    const { shown, total, incomplete } = await list(path, recursive, context)
    const names =
      shown.length === 0 ? `${path} has no files to show: it is empty, or all in it is ignored.` : shown.map(shownName).join("\n")
    const more =
      shown.length < total ? `${shown.length} of ${total} entries, the shallowest first. List a folder in it to see more.` : ""
    const odd = shown.some((name) => name.includes("\uFFFD"))
      ? 'A name with "\uFFFD" is not UTF-8: only a command can open it.'
      : ""
    const cut = more !== "" || incomplete !== ""
    const notes = [more, incomplete, odd].flatMap((note) => (note === "" ? [] : [`\n\n(${note})`]))
    return { say: names + notes.join(""), show: { kind: "listing", path, count: shown.length, cut } }
  },
})

async function mustBeFolder(path: string, recursive: boolean, host: Host): Promise<void> {
  const facts = await host.stat(path)
  if (facts === undefined) throw new ToolError(`There is no folder ${path}.`)
  if (facts.kind !== "directory") throw new ToolError(`${path} is a file, not a folder. Read it with read_file.`)
  const place = host.resolve(path)
  if (recursive && (place === "/" || place === homedir())) {
    throw new ToolError(`${path} is too large to be listed with everything in it. List it without recursive, or a folder in it.`)
  }
}

async function list(path: string, recursive: boolean, context: ToolContext) {
  const listing = shallowest(MOST_ENTRIES)
  const base = baseOf(context.host, path)
  const isShown = (name: string) => !context.host.isHidden?.(base + name)
  const addFile = (file: string) => {
    if (isShown(file)) listing.addFile(file)
  }
  const ignored = new Set<string>()
  const [{ folders, links }, top, all] = await Promise.all([
    foldersAndLinks(path, context),
    walk(path, context, {
      args: ["--max-depth=1", "--debug"],
      onFile: (file) => recursive || addFile(file),
      onRemark: (line) => {
        const name = /: ignoring \.\/(.*?): Ignore\(/.exec(line)?.[1]
        if (name !== undefined) ignored.add(name)
      },
    }),
    recursive ? walk(path, context, { args: [], onFile: addFile }) : undefined,
  ])
  for (const link of links) if (!ignored.has(link) && isShown(link)) listing.addFile(`${link} (link)`)
  for (const folder of folders) if (!ignored.has(folder) && isShown(`${folder}/`)) listing.addFolder(folder)
  return { ...listing.result(), incomplete: incompleteness(all ?? top) }
}

interface Walk {
  args: string[]
  onFile(file: string): void
  /** With `--debug`, ripgrep tells here what it passes by; it has no other way to name folders. */
  onRemark?(line: string): void
}

function walk(path: string, { host, signal }: ToolContext, { args, onFile, onRemark }: Walk): Promise<RipgrepEnd> {
  const skip = SKIPPED_FOLDERS.map((folder) => `--glob=!${folder}/`)
  return runRipgrep(host, {
    args: ["--files", "--hidden", "--no-require-git", "--no-messages", "--null", ...skip, ...args],
    cwd: path,
    signal,
    separator: "\0",
    onRecord: (file) => void onFile(file),
    ...(onRemark && { onRemark }),
  })
}

/** Empty folders and links to folders are nothing ripgrep would tell of. A link is printed twice, to know it from a folder. */
async function foldersAndLinks(path: string, { host, signal }: ToolContext): Promise<{ folders: string[]; links: string[] }> {
  let printed = ""
  const kinds = ["-type", "d", "-print0", "-o", "-type", "l", "-print0", "-print0"]
  const find = { program: "find", args: [".", "-mindepth", "1", "-maxdepth", "1", ...kinds] }
  const onOutput = (text: string, stream: string) => {
    if (stream === "stdout") printed += text
  }
  await host.run(find, { cwd: path, signal, onOutput })
  const names = printed.split("\0").flatMap((name) => (name === "" ? [] : [name.slice("./".length)]))
  const folders = new Set<string>()
  const links = new Set<string>()
  for (const name of names) {
    if (folders.delete(name)) links.add(name)
    else folders.add(name)
  }
  return { folders: [...folders], links: [...links] }
}

interface Entry {
  name: string
  depth: number
}

/** Keeps the best entries of any number: the shallower the better, folders before files, then by name. */
function shallowest(limit: number) {
  const folders = new Set<string>()
  let kept: Entry[] = []
  let worst: Entry | undefined
  let total = 0
  const add = (name: string, depth: number) => {
    total++
    const entry = { name, depth }
    if (worst !== undefined && byDepth(entry, worst) > 0) return
    kept.push(entry)
    if (kept.length >= 4 * limit) settle()
  }
  const settle = () => {
    kept = kept.sort(byDepth).slice(0, limit)
    worst = kept[limit - 1]
  }
  const addFolder = (folder: string) => {
    if (folders.has(folder)) return false
    folders.add(folder)
    add(`${folder}/`, depthOf(folder))
    return true
  }
  return {
    addFolder,
    /** With the folders it is in. */
    addFile(file: string) {
      for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
        if (!addFolder(file.slice(0, end))) break
      }
      add(file, depthOf(file))
    },
    result() {
      settle()
      return { shown: kept.map((entry) => entry.name).sort(), total }
    },
  }
}

function byDepth(one: Entry, other: Entry): number {
  if (one.depth !== other.depth) return one.depth - other.depth
  const isFolder = (entry: Entry) => (entry.name.endsWith("/") ? 0 : 1)
  return isFolder(one) - isFolder(other) || (one.name < other.name ? -1 : 1)
}

function depthOf(path: string): number {
  let depth = 0
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) depth++
  return depth
}

function incompleteness({ timedOut, exitCode }: RipgrepEnd): string {
  if (timedOut) return "Not complete: the listing took too long and was stopped. List a folder in it instead."
  return exitCode === 2 ? "Not complete: some of it could not be read." : ""
}
