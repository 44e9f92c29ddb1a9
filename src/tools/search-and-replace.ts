/** Replaces text in a file, in one place or in all. Also takes the lists of edits that other agents send in one call. */
import * as z from "zod"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { pathArgument } from "./path-argument.ts"
import { fromProposal } from "./proposal.ts"
import { MOST_EDITS, proposeTextEdits } from "./text-edits.ts"

const offered = z.object({
  file_path: pathArgument().describe("File, relative to the workspace"),
  old_string: z.string().describe("Text as it stands in the file, with enough lines around it to be unique"),
  new_string: z.string().describe("Text to put there; empty deletes"),
  replace_all: z.boolean().default(false).describe("In every place"),
})

/** As other agents, and older versions of this tool, have it. */
const listed = z.object({
  old_string: z.string().optional(),
  new_string: z.string().optional(),
  search: z.string().optional(),
  replace: z.string().optional(),
  replace_all: z.boolean().optional(),
})

const input = z
  .object({
    file_path: offered.shape.file_path,
    old_string: z.string().optional(),
    new_string: z.string().optional(),
    replace_all: z.boolean().default(false),
    edits: z.array(listed).min(1).max(MOST_EDITS).optional(),
  })
  .superRefine((value, context) => {
    const lack = (name: string, path: PropertyKey[]) =>
      context.addIssue({ code: "custom", path: [...path, name], message: "expected string, got nothing" })
    if (!value.edits && value.old_string === undefined) lack("old_string", [])
    if (!value.edits && value.new_string === undefined) lack("new_string", [])
    for (const [at, edit] of (value.edits ?? []).entries()) {
      if ((edit.old_string ?? edit.search) === undefined) lack("old_string", ["edits", at])
      if ((edit.new_string ?? edit.replace) === undefined) lack("new_string", ["edits", at])
    }
  })

type Input = z.output<typeof input>

export const searchAndReplace = defineTool({
  name: "search_and_replace",
  aliases: ["edit"],
  knownAs: [
    { agent: "claude-code", name: "Edit", arguments: { path: "file_path" } },
    { agent: "claude-code", name: "MultiEdit", arguments: { path: "file_path" } },
  ],
  group: "edit",
  effect: "write",
  description: "Replace text in an existing file.",
  input,
  offered,
  spellings: {
    path: "file_path",
    filePath: "file_path",
    search: "old_string",
    replace: "new_string",
    oldString: "old_string",
    newString: "new_string",
    replaceAll: "replace_all",
    operations: "edits",
  },
  touches: ({ file_path }) => [file_path],
  preview({ file_path, new_string, edits }) {
    const size = edits ? ` (${edits.length} edits)` : new_string ? ` (${new_string.length} characters)` : ""
    return { kind: "title", text: `Edit ${file_path ?? "…"}${size}` }
  },
  ...fromProposal((value: Input, files) =>
    proposeTextEdits(
      {
        path: value.file_path,
        edits: editsOf(value),
        upTo: "punctuation",
        remedy: "Add lines around it to tell them apart, or set replace_all",
      },
      files,
    ),
  ),
})

function editsOf({ old_string = "", new_string = "", replace_all, edits }: Input) {
  if (!edits) return [{ search: old_string, replace: new_string, times: replace_all ? ("all" as const) : 1 }]
  if (old_string !== "") throw new ToolError("Send either old_string and new_string, or edits, not both.")
  return edits.map((edit) => ({
    search: edit.old_string ?? edit.search ?? "",
    replace: edit.new_string ?? edit.replace ?? "",
    times: (edit.replace_all ?? replace_all) ? ("all" as const) : 1,
  }))
}
