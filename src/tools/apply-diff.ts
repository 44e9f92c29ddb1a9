/** Changes parts of a file by blocks of lines to find and replace. Every block is located before anything is written. */
import * as z from "zod"
import { applyEdits } from "../text/apply-edits.ts"
import { joinLines, splitLines } from "../text/lines.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import type { Show } from "../types/show.ts"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { BLOCKS, describeResults, isFailure } from "./edit-report.ts"
import { encoded } from "./existing-text.ts"
import { foreignEdits } from "./foreign-edits.ts"
import { pathArgument } from "./path-argument.ts"
import { fromProposal, type Originals, type Proposal } from "./proposal.ts"
import { type ParsedEdits, parseSearchReplace } from "./search-replace-blocks.ts"
import { isUnifiedDiff, parseUnifiedDiff } from "./unified-diff-blocks.ts"

const FORM = `<<<<<<< SEARCH
:start_line:12
-------
lines as they are
=======
lines as they shall be
>>>>>>> REPLACE`

const input = z.object({
  path: pathArgument().describe("File, relative to the workspace"),
  diff: z.string().min(1).describe("One or more blocks"),
})

export const applyDiff = defineTool({
  name: "apply_diff",
  knownAs: [{ agent: "claude-code", name: "Edit", arguments: { path: "file_path" }, adds: foreignEdits }],
  group: "edit",
  effect: "write",
  description: `Change parts of an existing file. Each block names whole lines and what replaces them:
${FORM}
:start_line: is optional and tells equal places apart; it counts in the file as it is now. Use several blocks for several places. Inside a block, write a line that looks like a marker with \\ before it.`,
  input,
  spellings: { file_path: "path", filePath: "path" },
  touches: ({ path }) => [path],
  preview({ path, diff }) {
    return { kind: "title", text: `Edit ${path ?? "…"}${diff ? ` (${diff.length} characters)` : ""}` }
  },
  ...fromProposal(propose),
})

async function propose({ path, diff }: z.output<typeof input>, files: Originals): Promise<Proposal> {
  const parsed = parse(diff)
  if (!parsed.ok)
    throw new ToolError(`The diff cannot be read: ${parsed.problem}. Nothing was changed. The form of a block is:\n${FORM}`)
  const existing = await files.read(path)
  if (existing.kind === "absent") throw new ToolError(`${path} does not exist. write_to_file creates files.`)
  if (existing.kind === "unreadable") throw new ToolError(`${path} ${existing.reason}; it cannot be edited by blocks.`)

  const file = splitLines(existing.text)
  const { lines, results, index } = applyEdits(file, parsed.edits)
  const details = describeResults(results, { index, after: lines.map((line) => line.text), naming: BLOCKS })
  const applied = results.filter(({ outcome }) => outcome.kind === "applied").length
  if (applied === 0 && results.some(isFailure)) throw new ToolError(`Nothing was changed in ${path}.\n${details}`)
  if (applied === 0) {
    const show: Show = { kind: "title", text: `${path} is unchanged` }
    return { changes: [], say: `Nothing to change in ${path}.\n${details}`, show }
  }
  const after = joinLines(lines)
  const content = encoded(path, existing, after)
  const change = unifiedDiff(path, existing.text, after)
  const share = applied === results.length ? "" : `, ${applied} of ${results.length} blocks`
  return {
    changes: [{ path, content }],
    say: `Modified ${path} (+${change.added} -${change.removed} lines${share}).\n${details}`,
    show: { kind: "diff", path, operation: "modify", ...change },
  }
}

function parse(diff: string): ParsedEdits {
  const isBlocks = /^<<<<<<< SEARCH/m.test(diff)
  return !isBlocks && isUnifiedDiff(diff) ? parseUnifiedDiff(diff) : parseSearchReplace(diff)
}
