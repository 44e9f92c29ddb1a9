/** Reads a text file as numbered lines, one page per call. Several files at once are accepted, though not offered. */
import * as z from "zod"
import { binaryKind, SNIFF_BYTES } from "../text/binary-kind.ts"
import { count } from "../text/count.ts"
import { numberLines } from "../text/lines.ts"
import { truncate } from "../text/truncate.ts"
import { HostError } from "../types/host.ts"
import type { Show } from "../types/show.ts"
import { type ToolContext, ToolError, type ToolOutput } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { type LineRange, manyFiles, type RequestedFile, rangesOf } from "./many-files.ts"

const PAGE = 2000
const LONGEST_LINE = 2000
/** About 25,000 tokens: more than this in one answer crowds out the task. */
const MOST_CHARACTERS = 100_000

const offered = z.object({
  path: z.string().min(1).describe("File, relative to the workspace"),
  offset: z.int().min(1).default(1).describe("First line, counted from 1"),
  limit: z.int().min(1).max(PAGE).default(PAGE).describe("How many lines"),
})

export const readFile = defineTool({
  name: "read_file",
  knownAs: [{ agent: "claude-code", name: "Read" }],
  group: "read",
  effect: "read",
  description: `Read a text file as numbered lines ("12 | text"; the number is not part of the file), at most ${PAGE} lines per call. When there is more, the answer names the next offset.`,
  offered,
  input: offered
    .extend({
      path: offered.shape.path.optional(),
      limit: z.int().min(1).default(PAGE), // more than a page gives a page, and says so
      files: manyFiles.optional(),
    })
    .refine((input) => input.path !== undefined || input.files !== undefined, {
      path: ["path"],
      message: "expected string, got nothing",
    }),
  spellings: { file_path: "path", filePath: "path" },
  touches: ({ path, files }) => files?.map((file) => file.path) ?? (path === undefined ? [] : [path]),
  preview: ({ path, files }) => ({ kind: "title", text: files ? `Read ${files.length} files` : `Read ${path ?? "…"}` }),
  async run({ path, offset, limit, files }, context) {
    if (files) return readMany(files, context)
    return readPart(path ?? "", { offset, limit: Math.min(limit, PAGE) }, MOST_CHARACTERS, context)
  },
})

/** One file that cannot be read does not hide the others. */
async function readMany(files: readonly RequestedFile[], context: ToolContext): Promise<ToolOutput> {
  const parts = files.flatMap((file) => rangesOf(file, PAGE).map((range) => ({ path: file.path, range })))
  const answers: string[] = []
  const problems: string[] = []
  for (const { path, range } of parts) {
    try {
      answers.push((await readPart(path, range, MOST_CHARACTERS / parts.length, context)).say)
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof HostError)) throw error
      problems.push(error.message)
    }
  }
  if (answers.length === 0) throw new ToolError(problems.join("\n"))
  const show: Show = { kind: "title", text: `Read ${files.map((file) => file.path).join(", ")}` }
  return { say: [...problems, ...answers].join("\n\n"), show }
}

async function readPart(path: string, { offset, limit }: LineRange, most: number, { host, signal }: ToolContext) {
  const facts = await host.stat(path)
  if (facts?.kind === "directory") throw new ToolError(`${path} is a folder. list_files shows what is in it.`)
  if (facts?.kind === "other") throw new ToolError(`${path} is not a regular file.`) // reading a pipe or a device may never end
  const kind = binaryKind(await host.readHead(path, SNIFF_BYTES))
  if (kind) {
    const note: Show = { kind: "title", text: `Read ${path} (${kind})` }
    return { say: `${path} is not text (${kind}, ${facts?.size ?? 0} bytes), so there are no lines to show.`, show: note }
  }
  const page = await host.readLines(path, { offset, limit, signal })
  if (page.total > 0 && offset > page.total) {
    throw new ToolError(`${path} ends at line ${page.total}; there is no line ${offset}.`)
  }
  const { lines, cut } = shorten(page.lines, most)
  const show: Show = { kind: "file", path, offset, count: lines.length, total: page.total }
  if (page.total === 0) return { say: `${path} is empty.`, show }
  return { say: `${heading(path, offset, lines, page.total, cut)}\n${numberLines(lines, offset)}`, show }
}

/** Cuts long lines, and the page where it grows too large; at least one line is kept. */
function shorten(lines: readonly string[], most: number): { lines: string[]; cut: boolean } {
  const fitting: string[] = []
  let characters = 0
  let cut = false
  for (const line of lines) {
    const shown = truncate(line, LONGEST_LINE)
    characters += shown.length + 1
    if (characters > most && fitting.length > 0) break
    if (shown !== line) cut = true
    fitting.push(shown)
  }
  return { lines: fitting, cut }
}

/** Stands above the lines: what is shown of how much, where to go on, and what is not as it is in the file. */
function heading(path: string, offset: number, lines: readonly string[], total: number, cut: boolean): string {
  const last = offset + lines.length - 1
  const partial = offset > 1 || last < total
  const notes = [partial ? `${path}, lines ${offset}-${last} of ${total}.` : `${path}, ${count(total, "line")}.`]
  if (last < total) notes.push(`Go on with offset ${last + 1}.`)
  if (cut) notes.push(`Lines longer than ${LONGEST_LINE} characters are cut and end in "…".`)
  if (lines.some((line) => line.includes("\uFFFD"))) notes.push('Bytes that are not UTF-8 appear as "\uFFFD".')
  return notes.join(" ")
}
