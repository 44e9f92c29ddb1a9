/** Writes a whole file. What was there decides the line ends and the byte order mark, the model decides everything else. */
import * as z from "zod"
import { count } from "../text/count.ts"
import { mainLineEnd, rawLines, splitLines } from "../text/lines.ts"
import { unifiedDiff } from "../text/unified-diff.ts"
import { BYTE_ORDER_MARK } from "../text/utf8.ts"
import { writeBack } from "../text/write-back.ts"
import type { Show } from "../types/show.ts"
import { defineTool } from "./define-tool.ts"
import type { ExistingText } from "./existing-text.ts"
import { pathArgument } from "./path-argument.ts"
import { fromProposal, type Originals, type Proposal } from "./proposal.ts"

const input = z.object({
  path: pathArgument().describe("File, relative to the workspace"),
  content: z.string().describe("All of the file's text, nothing left out"),
})

export const writeToFile = defineTool({
  name: "write_to_file",
  aliases: ["write_file"],
  knownAs: [{ agent: "claude-code", name: "Write", arguments: { path: "file_path" } }],
  group: "edit",
  effect: "write",
  description: "Create a file, with its folders, or replace all of its content. To change part of a file, prefer apply_diff.",
  input,
  spellings: { file_text: "content", file_path: "path", filePath: "path" },
  touches: ({ path }) => [path],
  preview({ path, content }) {
    return { kind: "title", text: `Write ${path ?? "…"}${content ? ` (${content.length} characters)` : ""}` }
  },
  ...fromProposal(propose),
})

async function propose({ path, content }: z.output<typeof input>, files: Originals): Promise<Proposal> {
  const existing = await files.read(path)
  const text = inStyleOf(existing, withoutFence(path, content))
  const before = existing.kind === "text" ? existing.mark + existing.text : undefined
  if (text === before) {
    const show: Show = { kind: "title", text: `${path} is unchanged` }
    return { changes: [], say: `${path} already has exactly this content. Nothing was written.`, show }
  }
  const operation = existing.kind === "absent" ? "create" : "modify"
  const diff = unifiedDiff(path, operation === "create" ? undefined : (before ?? ""), text)
  const { content: written, note } = encodedLike(existing, text)
  return {
    changes: [{ path, content: written }],
    say: `${report(path, existing, text, diff)}${note}`,
    show: { kind: "diff", path, operation, ...diff },
  }
}

/** A file keeps its encoding as long as that has every character of the new text. */
function encodedLike(existing: ExistingText, text: string): { content: string | Uint8Array; note: string } {
  const content = existing.kind === "text" ? writeBack(text, existing.encoding) : text
  if (typeof content === "string" || content instanceof Uint8Array) return { content, note: "" }
  return { content: text, note: ` It is UTF-8 now: the encoding it had lacks "${content.lacks}".` }
}

function report(path: string, existing: ExistingText, text: string, diff: { added: number; removed: number }): string {
  const lines = rawLines(text).length
  if (existing.kind === "absent") return `Created ${path} (${count(lines, "line")}).`
  if (existing.kind === "unreadable") return `Replaced ${path} (${count(lines, "line")}). What stood there ${existing.reason}.`
  const linesBefore = rawLines(existing.text).length
  const shrunk = lines < linesBefore / 2 ? ` It had ${linesBefore} lines and has ${lines} now: make sure nothing is missing.` : ""
  return `Modified ${path} (+${diff.added} -${diff.removed} lines).${shrunk}`
}

/** Models write LF and no byte order mark; a file that has them otherwise keeps them. */
function inStyleOf(existing: ExistingText, content: string): string {
  if (existing.kind !== "text") return content
  const usesReturns = mainLineEnd(splitLines(existing.text)) === "\r\n"
  const text = usesReturns && !content.includes("\r") ? content.replaceAll("\n", "\r\n") : content
  return existing.mark && !text.startsWith(BYTE_ORDER_MARK) ? existing.mark + text : text
}

/** Drops a code fence that wraps the whole content. In Markdown it may be meant, and one inside the content always is. */
function withoutFence(path: string, content: string): string {
  if (/\.(md|mdx|mdc|markdown)$/i.test(path) || !content.startsWith("```")) return content
  const [, inner] = /^```[^`\n]*\n([\s\S]*\n)?```\s*$/.exec(content) ?? []
  return inner === undefined || /^```/m.test(inner) ? content : inner
}
