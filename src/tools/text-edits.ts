/** What the tools that replace a piece of text by another have in common: working out the change, and telling of it. */
import { count } from "../text/count.ts"
import type { FileIndex } from "../text/file-index.ts"
import { rawLines } from "../text/lines.ts"
import { type Overlooked, replaceTexts, type TextEdit, type TextResult } from "../text/replace-text.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import { ToolError } from "../types/tool.ts"
import { comparison, describeMissing, listNumbers, listParts, type Naming, written } from "./edit-report.ts"
import { encoded } from "./existing-text.ts"
import type { Originals, Proposal } from "./proposal.ts"

/** Each must be found and takes time to find. */
export const MOST_EDITS = 500

export interface TextEdits {
  path: string
  edits: readonly TextEdit[]
  /** The most that may be overlooked. */
  upTo: Overlooked
  /** What to do when there are more places than wanted. */
  remedy: string
}

export async function proposeTextEdits({ path, edits, upTo, remedy }: TextEdits, files: Originals): Promise<Proposal> {
  const existing = await files.read(path)
  const [first] = edits
  const isEmpty = existing.kind === "absent" || (existing.kind === "text" && existing.text === "")
  if (isEmpty && edits.length === 1 && first?.search === "") return create(path, first.replace, existing.kind === "absent")
  if (existing.kind === "absent") {
    throw new ToolError(`${path} does not exist. write_to_file creates files.`)
  }
  if (existing.kind === "unreadable") throw new ToolError(`${path} ${existing.reason}; it cannot be edited.`)
  const { text, results, index } = replaceTexts(existing.text, edits, { upTo })
  const applied = results.filter(({ outcome }) => outcome.kind === "applied").length
  const details = describeTexts(results, index, remedy)
  if (applied === 0 && results.some(isFailure)) throw new ToolError(`Nothing was changed in ${path}.\n${details}`)
  if (text === existing.text) {
    return {
      changes: [],
      say: `Nothing to change in ${path}.\n${details}`,
      show: { kind: "title", text: `${path} is unchanged` },
    }
  }
  const content = encoded(path, existing, text)
  const change = unifiedDiff(path, existing.text, text)
  const share = applied === results.length ? "" : `, ${applied} of ${results.length} edits`
  return {
    changes: [{ path, content }],
    say: `Modified ${path} (+${change.added} -${change.removed} lines${share}).\n${details}`,
    show: { kind: "diff", path, operation: "modify", ...change },
  }
}

function create(path: string, text: string, isNew: boolean): Proposal {
  return {
    changes: [{ path, content: text }],
    say: `${isNew ? "Created" : "Filled"} ${path} (${count(rawLines(text).length, "line")}).`,
    show: { kind: "diff", path, operation: isNew ? "create" : "modify", ...unifiedDiff(path, isNew ? undefined : "", text) },
  }
}

function isFailure({ outcome }: TextResult): boolean {
  return outcome.kind !== "applied" && outcome.kind !== "unchanged"
}

const NAMING: Naming = { part: "Edit", search: "old_string", replace: "new_string", remedy: "" }

function describeTexts(results: readonly TextResult[], index: FileIndex, remedy: string): string {
  const compare = comparison(index, results.filter(isFailure).length)
  const parts = results.map((result, at) => {
    const number = results.length === 1 ? "" : `Edit ${at + 1}: `
    return { text: `${number}${describe(result, index.lines, remedy, compare)}`, failed: isFailure(result) }
  })
  return listParts(parts)
}

function describe(
  { outcome, edit }: TextResult,
  lines: readonly string[],
  remedy: string,
  compare: ReturnType<typeof comparison>,
) {
  switch (outcome.kind) {
    case "applied": {
      const [line = 1] = outcome.lines
      if (outcome.count > 1)
        return `replaced in ${outcome.count} places, now at lines ${listNumbers(outcome.lines, outcome.count)}`
      const last = line + Math.max(1, outcome.height) - 1
      const place = last > line ? `now lines ${line}-${last}` : `now line ${line}`
      return `replaced, ${place}${written(lines, line, outcome.height, outcome.tolerance)}`
    }
    case "unchanged":
      return `line ${outcome.lines[0] ?? 1} already reads like this`
    case "empty":
      return "old_string is empty. It must hold the text to replace"
    case "same":
      return "old_string and new_string are the same"
    case "miscounted":
      return `old_string is in the file ${times(outcome.count)}, at lines ${listNumbers(outcome.lines, outcome.count)}. ${remedy}`
    case "missing": {
      const search = edit.search.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n")
      return describeMissing(NAMING, outcome.alreadyAt, { search, replace: [] }, compare)
    }
  }
}

function times(number: number): string {
  return number === 1 ? "once" : number >= 1000 ? "1000 times or more" : `${number} times`
}
