/** Changes several files by one patch: all of it or nothing. */
import * as z from "zod"
import { count } from "../text/count.ts"
import type { Show } from "../types/show.ts"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { foreignPatch } from "./foreign-edits.ts"
import { patchFiles } from "./patch-files.ts"
import { parsePatch, patchPaths } from "./patch-text.ts"
import { fromProposal, type Originals, type Proposal } from "./proposal.ts"

const FORM = `*** Begin Patch
*** Add File: new.txt
+each line
*** Update File: old.txt
*** Move to: other.txt
@@ function above the change
 line that stays
-line that goes
+line that comes
*** Delete File: gone.txt
*** End Patch`

const input = z.object({ patch: z.string().min(1).describe("From `*** Begin Patch` to `*** End Patch`") })

export const applyPatch = defineTool({
  name: "apply_patch",
  knownAs: [
    { agent: "claude-code", name: "Edit", arguments: { path: "file_path" }, adds: foreignPatch },
    { agent: "claude-code", name: "Write", arguments: { path: "file_path" }, adds: foreignPatch },
    { agent: "codex", name: "apply_patch" },
  ],
  group: "edit",
  effect: "write",
  description: `Add, change, move and delete files, all or none:
${FORM}
Move to and the line after @@ are optional. Three lines of context around a change tell its place; where they stand more than once, add @@ with a line above. End a hunk at the end of a file with *** End of File.`,
  input,
  spellings: { input: "patch", patchText: "patch", patch_text: "patch", diff: "patch" },
  touches: ({ patch }) => patchPaths(patch),
  preview: ({ patch }) => ({ kind: "title", text: `Patch ${firstPath(patch)}${patch ? ` (${patch.length} characters)` : ""}` }),
  ...fromProposal(propose),
})

async function propose({ patch }: z.output<typeof input>, files: Originals): Promise<Proposal> {
  const parsed = parsePatch(patch)
  if (!parsed.ok) throw new ToolError(`The patch cannot be read: ${parsed.problem}. Nothing was changed. Its form is:\n${FORM}`)
  const patched = await patchFiles(parsed.operations, files)
  if (patched.length === 0) {
    const say = "Nothing to change: the files already read like this."
    return { changes: [], say, show: { kind: "title", text: "The patch changes nothing" } }
  }
  const heading = patched.length > 1 ? [`Patched ${count(patched.length, "file")}.`] : []
  return {
    changes: patched.flatMap(({ changes }) => changes),
    say: [...heading, ...patched.map(({ say }) => say)].join("\n"),
    show: showOf(patched.map(({ shown }) => shown)),
  }
}

function showOf(files: (Show & { kind: "changes" })["files"]): Show {
  const [first, ...others] = files
  if (!first || others.length > 0 || first.operation === "delete" || first.operation === "move") return { kind: "changes", files }
  return { ...first, kind: "diff", operation: first.operation }
}

/** Reading a text back while it grows costs more the longer it is. */
const READ_BACK = 100_000
const HEAD = 2_000

function firstPath(patch: string | undefined): string {
  if (patch === undefined || patch.length > READ_BACK) return "…"
  const [path] = patchPaths(patch.slice(0, HEAD).replace(/[^\n]*$/, ""))
  return path ?? "…"
}
