/** Replaces one piece of text that stands in a file exactly once. The strictest of the edit tools. */
import * as z from "zod"
import { defineTool } from "./define-tool.ts"
import { pathArgument } from "./path-argument.ts"
import { fromProposal } from "./proposal.ts"
import { proposeTextEdits } from "./text-edits.ts"

const input = z.object({
  file_path: pathArgument().describe("File, relative to the workspace"),
  old_string: z.string().describe("Text exactly as it stands in the file, once only: take lines around it"),
  new_string: z.string().describe("Text to put there; empty deletes"),
})

export const searchReplace = defineTool({
  name: "search_replace",
  knownAs: [{ agent: "claude-code", name: "Edit", arguments: { path: "file_path" } }],
  group: "edit",
  effect: "write",
  description: "Replace one piece of text in an existing file.",
  input,
  spellings: {
    path: "file_path",
    filePath: "file_path",
    search: "old_string",
    replace: "new_string",
    oldString: "old_string",
    newString: "new_string",
  },
  touches: ({ file_path }) => [file_path],
  preview({ file_path, new_string }) {
    return { kind: "title", text: `Edit ${file_path ?? "…"}${new_string ? ` (${new_string.length} characters)` : ""}` }
  },
  ...fromProposal(({ file_path, old_string, new_string }: z.output<typeof input>, files) =>
    proposeTextEdits(
      {
        path: file_path,
        edits: [{ search: old_string, replace: new_string }],
        upTo: "line-tails",
        remedy: "Add lines around it to tell them apart",
      },
      files,
    ),
  ),
})
