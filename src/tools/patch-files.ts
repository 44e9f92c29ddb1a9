/** Works out what a patch makes of the files it names. Every operation is worked out before anything is written, or none is made. */
import { applyEdits, type BlockEdit } from "../text/apply-edits.ts"
import { count } from "../text/count.ts"
import { joinLines, splitLines } from "../text/lines.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import type { FileChange } from "../types/host.ts"
import type { ShownChange } from "../types/show.ts"
import { ToolError } from "../types/tool.ts"
import { describeResults, HUNKS } from "./edit-report.ts"
import { type ExistingText, encoded, type FoundText } from "./existing-text.ts"
import type { PatchOperation } from "./patch-text.ts"
import type { Originals } from "./proposal.ts"

/** A file while the patch is worked out: an operation sees what the ones before it have made. */
interface Draft {
  path: string
  original: ExistingText
  /** undefined when it is not, or no longer, there. */
  now: Content | undefined
  /** The draft whose content it took over. */
  from?: Draft
  movedTo?: Draft
  /** What happened to its hunks. */
  details: string[]
}

type Content = { text: string; like: FoundText | undefined } | { bytes: Uint8Array }

export interface PatchedFile {
  changes: FileChange[]
  shown: ShownChange
  say: string
}

/** In the order in which the patch first names them. */
export async function patchFiles(operations: readonly PatchOperation[], files: Originals): Promise<PatchedFile[]> {
  const drafts = new Map<string, Draft>()
  const draftOf = async (path: string): Promise<Draft> => {
    const place = await files.place(path)
    const known = drafts.get(place)
    if (known) return known
    const original = await files.read(path)
    const draft: Draft = { path, original, now: contentOf(original), details: [] }
    drafts.set(place, draft)
    return draft
  }
  const problems: string[] = []
  for (const operation of operations) {
    const problem = await apply(operation, draftOf)
    if (problem) problems.push(problem)
  }
  if (problems.length > 0) throw new ToolError(`The patch was not applied, no file was changed.\n${problems.join("\n")}`)
  return [...drafts.values()].flatMap((draft) => outcomeOf(draft) ?? [])
}

function contentOf(existing: ExistingText): Content | undefined {
  if (existing.kind === "text") return { text: existing.text, like: existing }
  return existing.kind === "unreadable" ? { bytes: existing.bytes ?? new Uint8Array() } : undefined
}

/** What is wrong, if anything. */
async function apply(operation: PatchOperation, draftOf: (path: string) => Promise<Draft>): Promise<string | undefined> {
  const draft = await draftOf(operation.path)
  const { path } = operation
  if (operation.kind === "add") {
    if (draft.now) return `${path} exists already. Use \`*** Update File:\` to change it.`
    draft.now = { text: operation.lines.map((line) => `${line}\n`).join(""), like: undefined }
    return undefined
  }
  if (!draft.now) return `${path} does not exist.`
  if (operation.kind === "delete") {
    draft.now = undefined
    return undefined
  }
  const problem = operation.hunks.length > 0 ? change(draft, draft.now, operation.hunks) : undefined
  if (problem ?? operation.moveTo === undefined) return problem
  return move(draft, await draftOf(operation.moveTo))
}

function change(draft: Draft, now: Content, hunks: readonly BlockEdit[]): string | undefined {
  if ("bytes" in now) {
    const reason = draft.original.kind === "unreadable" ? draft.original.reason : "is not text"
    return `${draft.path} ${reason}; it cannot be changed by hunks.`
  }
  const { lines, results, index } = applyEdits(splitLines(now.text), hunks, { inOrder: true })
  const details = describeResults(results, { index, after: lines.map((line) => line.text), naming: HUNKS })
  const failed = results.some(({ outcome }) => !["applied", "unchanged", "same"].includes(outcome.kind))
  if (failed) return `${draft.path}:\n${details}`
  draft.now = { text: joinLines(lines), like: now.like }
  draft.details.push(details)
  return undefined
}

function move(draft: Draft, target: Draft): string | undefined {
  if (target === draft) return undefined
  if (draft.original.kind === "unreadable" && !draft.original.bytes) {
    return `${draft.path} ${draft.original.reason}; move it by a command.`
  }
  if (target.now) return `${target.path} exists already; ${draft.path} cannot be moved there.`
  target.now = draft.now
  target.from = draft
  target.details.push(...draft.details)
  draft.now = undefined
  draft.movedTo = target
  return undefined
}

/** Nothing when it is as it was. A file that was moved away is told of where it went. */
function outcomeOf(draft: Draft): PatchedFile | undefined {
  const { path, original, now, from } = draft
  if (!now) {
    if (original.kind === "absent" || draft.movedTo?.from === draft) return undefined
    const shown: ShownChange = { path, operation: "delete", ...unifiedDiff(path, textOf(contentOf(original)), undefined) }
    return { changes: [{ path, remove: true }], shown, say: `Deleted ${path}.` }
  }
  const content = "bytes" in now ? now.bytes : now.like ? encoded(path, now.like, now.text) : now.text
  if (from) return moved(draft, from, content)
  const before = textOf(contentOf(original))
  const after = textOf(now)
  if (original.kind !== "absent" && before === after) return undefined
  const operation = original.kind === "absent" ? "create" : "modify"
  const diff = unifiedDiff(path, before, after)
  const say = [
    operation === "create"
      ? `Created ${path} (${count(diff.added, "line")}).`
      : `Modified ${path} (+${diff.added} -${diff.removed} lines).`,
    ...draft.details,
  ].join("\n")
  return { changes: [{ path, content }], shown: { path, operation, ...diff }, say }
}

function moved(draft: Draft, from: Draft, content: string | Uint8Array): PatchedFile {
  const diff = unifiedDiff(draft.path, textOf(contentOf(from.original)), textOf(draft.now))
  const counts = diff.added + diff.removed > 0 ? ` (+${diff.added} -${diff.removed} lines)` : ""
  const isThere = from.original.kind !== "absent" && !from.now
  return {
    changes: [{ path: draft.path, content, from: from.path }, ...(isThere ? [{ path: from.path, remove: true } as const] : [])],
    shown: { path: from.path, operation: "move", to: draft.path, ...diff },
    say: [`Moved ${from.path} to ${draft.path}${counts}.`, ...draft.details].join("\n"),
  }
}

function textOf(content: Content | undefined): string | undefined {
  return content && ("text" in content ? content.text : undefined)
}
