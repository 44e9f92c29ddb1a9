/** Replaces text in a file as often as it is expected to stand there, or creates one. The most tolerant of the edit tools. */
import * as z from "zod"
import { ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { pathArgument } from "./path-argument.ts"
import { fromProposal, type Originals, type Proposal } from "./proposal.ts"
import { proposeTextEdits } from "./text-edits.ts"

const offered = z.object({
  file_path: pathArgument().describe("File, relative to the workspace"),
  old_string: z.string().describe("Text as it stands in the file, with enough lines around it; empty creates the file"),
  new_string: z.string().describe("Text to put there; empty deletes"),
  expected_replacements: z.int().min(1).default(1).describe("How often old_string stands in the file"),
})

/** null stands for an empty text: that is how models leave an argument out that they must send. */
const input = offered.extend({ old_string: z.string().nullable(), new_string: z.string().nullable() })

type Input = z.output<typeof input>

export const editFile = defineTool({
  name: "edit_file",
  knownAs: [
    { agent: "claude-code", name: "Edit", arguments: { path: "file_path" } },
    { agent: "gemini-cli", name: "replace", arguments: { path: "file_path" } },
  ],
  group: "edit",
  effect: "write",
  description: "Replace text in a file, or create a file.",
  input,
  offered,
  spellings: { path: "file_path", filePath: "file_path", oldString: "old_string", newString: "new_string" },
  touches: ({ file_path }) => [file_path],
  preview({ file_path, old_string, new_string }) {
    const verb = old_string === "" ? "Create" : "Edit"
    return { kind: "title", text: `${verb} ${file_path ?? "…"}${new_string ? ` (${new_string.length} characters)` : ""}` }
  },
  ...fromProposal(propose),
})

async function propose(value: Input, files: Originals): Promise<Proposal> {
  const { file_path: path, expected_replacements: times } = value
  const search = value.old_string ?? ""
  if (search === "") await refuseExisting(path, files)
  const remedy = `${times} expected: add lines around it, or correct expected_replacements`
  return proposeTextEdits({ path, edits: [{ search, replace: value.new_string ?? "", times }], upTo: "words", remedy }, files)
}

async function refuseExisting(path: string, files: Originals): Promise<void> {
  const existing = await files.read(path)
  if (existing.kind === "absent" || (existing.kind === "text" && existing.text === "")) return
  throw new ToolError(`${path} exists already. An empty old_string creates a file; to change one, give the text to replace.`)
}
