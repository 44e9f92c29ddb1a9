/**
 * What a command changes: the folder is looked through before and after it, unread. Read and kept beforehand is only what git does not
 * have as it is, the latest first, and once; what is left over when the time is up is kept before the next command.
 */
import { readGitBlobs } from "./git-blobs.ts"
import { type GitIndex, readGitIndex, repositoryAround } from "./git-index.ts"
import type { Kept } from "./journal.ts"
import type { Keeper } from "./keep.ts"
import type { CheckpointLimits } from "./limits.ts"
import { look, UNREAD } from "./look.ts"
import { type Change, type FileState, sameState } from "./state.ts"
import { covers, type Glance, sameGlance, type TreeView, viewTree } from "./tree.ts"

export interface CommandWatch {
  before(): Promise<CommandBefore>
}

export interface CommandBefore {
  /** Kept now, for the first time as they are. */
  kept: Kept[]
  gone: string[]
  after(): Promise<CommandChanges>
}

export interface CommandChanges {
  changes: Change[]
  /** More than are noted. */
  more: number
  /** Not all of the folder was seen: how many files were. */
  seen?: number
}

interface Known {
  glance: Glance
  /** A file's `unkept` says why, or that git has it. */
  state: FileState
  /** Git has it: the repository's own folder. */
  git?: string
}

type Table = Map<string, Known>

/** What opening and writing one costs, in bytes read. */
const A_FILE = 4096
const IN_GIT = "git has it"

/** Keeps its knowledge from command to command. `root` is the real folder. */
export function watchCommands(root: string, keeper: Keeper, limits: CheckpointLimits): CommandWatch {
  const table: Table = new Map()
  const indexes = new Map<string, GitIndex>()
  return {
    async before() {
      const view = await viewTree(root, limits.walk)
      const gone = forget(table, view)
      const kept = await learn(table, view, { keeper, limits, git: gitLookup(root, view, indexes) })
      return { kept, gone, after: () => compare(root, view, table, { keeper, limits }) }
    },
  }
}

/** What is not there any more; gives those that were kept. */
function forget(table: Table, view: TreeView): string[] {
  const gone: string[] = []
  for (const [path, { git }] of table) {
    if (view.files.has(path) || !covers(view, path)) continue
    table.delete(path)
    if (git === undefined) gone.push(path)
  }
  return gone
}

type GitLookup = (path: string, glance: Glance) => { blob: string; gitFolder: string } | undefined

function gitLookup(root: string, view: TreeView, indexes: Map<string, GitIndex>): GitLookup {
  const around = repositoryAround(root)
  const places = [...new Set([...view.repositories, ...(around === undefined ? [] : [around])])]
  // The innermost repository is the one that has a file.
  places.sort((one, other) => other.length - one.length)
  const found = places.flatMap((place) => {
    const index = readGitIndex(place, indexes.get(place))
    if (index) indexes.set(place, index)
    return index ? [{ above: place.endsWith("/") ? place : `${place}/`, index }] : []
  })
  return (path, glance) => {
    const repository = found.find(({ above }) => path.startsWith(above))
    const blob = repository?.index.blobOf(path.slice(repository.above.length), glance)
    return blob === undefined || !repository ? undefined : { blob, gitFolder: repository.index.gitFolder }
  }
}

interface Learning {
  keeper: Keeper
  limits: CheckpointLimits
  git: GitLookup
}

async function learn(table: Table, view: TreeView, { keeper, limits, git }: Learning): Promise<Kept[]> {
  const unknown: [string, Glance][] = []
  for (const [path, glance] of view.files) {
    const known = table.get(path)
    if (known && sameGlance(known.glance, glance)) continue
    const { size, mode } = glance
    const found = git(path, glance)
    if (found) {
      const state: FileState = { kind: "file", blob: found.blob, mode, size, unkept: IN_GIT }
      table.set(path, { glance, state, git: found.gitFolder })
    } else {
      table.delete(path)
      unknown.push([path, glance])
    }
  }
  unknown.sort(([, one], [, other]) => other.modifiedMs - one.modifiedMs)
  const kept: Kept[] = []
  const until = performance.now() + limits.keep.ms
  let bytes = 0
  for (const [path, glance] of unknown) {
    if (performance.now() > until && bytes > limits.keep.atLeastBytes) break
    bytes += glance.size + A_FILE
    const state: FileState =
      glance.link === undefined ? await keeper.keep(path, limits.commandFileBytes) : { kind: "link", target: glance.link }
    table.set(path, { glance, state })
    kept.push({ path, was: state })
  }
  return kept
}

type Comparing = Pick<Learning, "keeper" | "limits">

async function compare(root: string, before: TreeView, table: Table, { keeper, limits }: Comparing): Promise<CommandChanges> {
  const now = await viewTree(root, limits.walk)
  const changes: Change[] = []
  let more = 0
  const until = performance.now() + limits.keep.ms
  let bytes = 0
  const note = async (path: string, was: () => FileState) => {
    if (changes.length >= limits.changes) {
      more++
      return
    }
    bytes += (now.files.get(path)?.size ?? 0) + A_FILE
    const late = performance.now() > until && bytes > limits.keep.atLeastBytes
    changes.push({ path, was: was(), is: await stateNow(path, late ? UNREAD : limits.commandFileBytes) })
  }
  for (const [path, glance] of now.files) {
    const earlier = before.files.get(path)
    if (earlier && sameGlance(earlier, glance)) continue
    if (earlier) await note(path, () => known(table, path, earlier))
    else if (covers(before, path)) await note(path, () => absentBefore(before, path))
  }
  for (const [path, glance] of before.files) {
    if (!now.files.has(path) && covers(now, path)) await note(path, () => known(table, path, glance))
  }
  const differing = changes.filter(({ was, is }) => !is || !sameState(was, is))
  const rescued = await rescue(differing, table, keeper, limits)
  for (const { path } of differing) table.delete(path) // as it is now it is kept before the next command
  const seen = before.unlisted.size > 0 || now.unlisted.size > 0 ? { seen: before.files.size } : {}
  return { changes: rescued, more, ...seen }
}

function known(table: Table, path: string, glance: Glance): FileState {
  const { size, mode } = glance
  return (
    table.get(path)?.state ?? { kind: "file", blob: "", mode, size, unkept: "there was no time to read it before the command" }
  )
}

async function stateNow(path: string, most: number): Promise<FileState> {
  try {
    return (await look(path, most)).state
  } catch {
    return { kind: "other" } // closed to us
  }
}

function absentBefore({ listed }: TreeView, path: string): FileState {
  const folders: string[] = []
  for (let folder = parent(path); !listed.has(folder) && folder.length > 1; folder = parent(folder)) folders.push(folder)
  return { kind: "absent", ...(folders.length > 0 && { folders }) }
}

function parent(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")))
}

/** What git had of the changed files is copied into the store: later commands may take it away from there. */
async function rescue(changes: readonly Change[], table: Table, keeper: Keeper, limits: CheckpointLimits): Promise<Change[]> {
  const wanted = new Map<string, Set<string>>()
  for (const { path, was } of changes) {
    const git = table.get(path)?.git
    if (git === undefined || was.kind !== "file") continue
    const blobs = wanted.get(git) ?? new Set()
    wanted.set(git, blobs.add(was.blob))
  }
  const found = new Map<string, Uint8Array>()
  for (const [git, blobs] of wanted) {
    const some = [...blobs].slice(0, limits.rescue.files)
    for (const [blob, content] of await readGitBlobs(git, some, limits.rescue)) found.set(blob, content)
  }
  const rescued: Change[] = []
  for (const change of changes) rescued.push({ ...change, was: await rescuedState(change.was, found, keeper) })
  return rescued
}

async function rescuedState(was: FileState, found: ReadonlyMap<string, Uint8Array>, keeper: Keeper): Promise<FileState> {
  if (was.kind !== "file" || was.unkept !== IN_GIT) return was
  const content = found.get(was.blob)
  if (!content) return { ...was, unkept: "git does not give it back" }
  // Line ends or large files that git stores in another form than they have in the folder.
  if (content.length !== was.size) return { ...was, unkept: "git keeps it in another form" }
  return keeper.keepContent(content, was)
}
