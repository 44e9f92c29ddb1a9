/** What has become of files since a checkpoint, as people read it: a unified diff for text, a few words for anything else. */
import { binaryKind, SNIFF_BYTES } from "../text/binary-kind.ts"
import { sizeWords } from "../text/size-words.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import { readEditable } from "../text/write-back.ts"
import { DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts"
import { look } from "./look.ts"
import { type ObjectStore, openObjects } from "./objects.ts"
import { type PlannedFile, previewRestore, type RestoreChoice } from "./plan.ts"
import type { FileState } from "./state.ts"

export interface FileDiff {
  path: string
  /** Empty where there is none to show. */
  unified: string
  added: number
  removed: number
  /** What a diff of lines does not say: modes, links, files that are no text, content that is not kept. */
  notes: string[]
}

/** From the moment before the checkpoint's call until now; `shown` is how people know a path. */
export async function diffSince(
  folder: string,
  choice: RestoreChoice,
  shown: (path: string) => string,
): Promise<FileDiff[] | undefined> {
  const plan = await previewRestore(folder, choice)
  if (!plan) return undefined
  const store = openObjects(folder)
  const diffs: FileDiff[] = []
  for (const file of plan.files) diffs.push(await diffOf(store, file, shown(file.path)))
  return diffs
}

async function diffOf(store: ObjectStore, { path, to: was, now, lost }: PlannedFile, shown: string): Promise<FileDiff> {
  const notes = [...(lost === undefined ? [] : [`what it held cannot be shown: ${lost}`]), ...stateNotes(was, now)]
  const before = lost === undefined ? await textOf(was, () => contentIn(store, was)) : undefined
  const after = lost === undefined ? await textOf(now, () => contentAt(path)) : undefined
  if (lost === undefined && !before) notes.push("what it held cannot be shown: it is not in the store any more")
  if (!before || !after) return { path, unified: "", added: 0, removed: 0, notes }
  const kinds = [before.kind, after.kind].filter((kind) => kind !== undefined)
  if (kinds.length > 0) return { path, unified: "", added: 0, removed: 0, notes: [...notes, `${kinds[0]}, ${sizes(was, now)}`] }
  return { path, ...unifiedDiff(shown, before.text, after.text), notes }
}

/** `text` is undefined where nothing is; `kind` is set for what is no text. */
interface Shown {
  text?: string
  kind?: string
}

async function textOf(state: FileState, read: () => Promise<Uint8Array | undefined>): Promise<Shown | undefined> {
  if (state.kind === "absent") return {}
  if (state.kind === "link") return { text: `${state.target}\n` }
  if (state.kind !== "file") return undefined
  const bytes = await read()
  if (!bytes) return undefined
  const editable = readEditable(bytes)
  if (editable && !editable.text.includes("\0")) return { text: editable.text }
  return { kind: binaryKind(bytes.subarray(0, SNIFF_BYTES)) ?? "no text" }
}

async function contentIn(store: ObjectStore, state: FileState): Promise<Uint8Array | undefined> {
  return state.kind === "file" ? store.read(state.blob) : undefined
}

async function contentAt(path: string): Promise<Uint8Array | undefined> {
  return (await look(path, DEFAULT_CHECKPOINT_LIMITS.fileBytes)).content
}

function stateNotes(was: FileState, now: FileState): string[] {
  const notes: string[] = []
  if (was.kind === "file" && now.kind === "file" && was.mode !== now.mode) {
    notes.push(`mode ${was.mode.toString(8)} → ${now.mode.toString(8)}`)
  }
  if (was.kind !== now.kind && (was.kind === "link" || now.kind === "link")) notes.push(`${nounOf(was)} → ${nounOf(now)}`)
  if (now.kind === "other") notes.push("something else than a file stands there now")
  return notes
}

function nounOf({ kind }: FileState): string {
  return kind === "link" ? "a link" : kind === "absent" ? "nothing" : kind === "other" ? "no file" : "a file"
}

function sizes(was: FileState, now: FileState): string {
  const size = (state: FileState) => (state.kind === "file" || state.kind === "huge" ? sizeWords(state.size) : "nothing")
  return `${size(was)} → ${size(now)}`
}
