/**
 * Reads files for the model: text as numbered lines, a page or a block at a time; documents as their text; images as images.
 * A small file is read whole once and remembered as known; a huge one is streamed and never enters memory.
 */
import * as z from "zod"
import { binaryKind, SNIFF_BYTES } from "../text/binary-kind.ts"
import { readText, wideEncoding } from "../text/encoding.ts"
import type { FileFacts, Host } from "../types/host.ts"
import { HostError } from "../types/host.ts"
import type { Content } from "../types/message.ts"
import type { Show } from "../types/show.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutput } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { documentKind, documentText, MOST_DOCUMENT_BYTES } from "./documents/document.ts"
import { dimensions, MOST_IMAGE_BYTES, MOST_IMAGES_BYTES, mediaTypeOf } from "./image-file.ts"
import { manyFiles, type RequestedFile, rangesOf } from "./many-files.ts"
import { pathArgument } from "./path-argument.ts"
import { PAGE, type Page, pageIn, showPage, type Wish } from "./text-page.ts"
import { describeReadFile, READ_FILE_DEFAULTS, type ReadFileOptions } from "./variants.ts"

/** About 25,000 tokens: more than this in one answer crowds out the task. */
const MOST_CHARACTERS = 100_000
/** Up to here a file is read whole. */
const WHOLE_BYTES = 8 * 1024 * 1024

/** Without partial reads: as much as there is room for in any case. */
const WHOLE_LINES = 20_000

const DESCRIPTION = `Read a text file as numbered lines ("12 | text"; the number is not part of the file), at most ${PAGE} lines per call. When there is more, the answer names the next offset. Also the text of PDF, Word, Excel and notebook files.`

const line = z.int().min(1)

/** Short: it is paid for with every request. What is accepted is checked closer. */
const offered = z.object({
  path: z.string().describe("File, relative to the workspace"),
  mode: z.enum(["slice", "indentation"]).optional().describe("indentation: the block of code around a line"),
  offset: z.int().optional().describe("First line, counted from 1"),
  limit: z.int().optional().describe("How many lines"),
  indentation: z
    .object({
      anchor_line: z.int().describe("A line of the block"),
      max_levels: z.int().optional().describe("Levels further out; default: all"),
      include_siblings: z.boolean().optional(),
    })
    .optional(),
})

const around = z.object({
  anchor_line: line.optional(),
  max_levels: z.int().min(0).default(0),
  include_siblings: z.boolean().default(false),
  include_header: z.boolean().default(true),
  max_lines: line.optional(),
})

const accepted = z
  .object({
    path: pathArgument().optional(),
    mode: z.enum(["slice", "indentation"]).default("slice"),
    offset: line.default(1),
    limit: line.default(WHOLE_LINES), // more than a page gives a page, and says so
    indentation: around.optional(),
    files: manyFiles.optional(),
  })
  .refine((input) => input.path !== undefined || input.files !== undefined, {
    path: ["path"],
    message: "expected string, got nothing",
  })

type Input = z.output<typeof accepted>

export function readFile(chosen: Partial<ReadFileOptions> = {}): Tool<Input> {
  const options = { ...READ_FILE_DEFAULTS, ...chosen }
  return defineTool({
    name: "read_file",
    knownAs: [{ agent: "claude-code", name: "Read", arguments: { path: "file_path" } }],
    group: "read",
    effect: "read",
    description: describeReadFile(DESCRIPTION, options),
    offered: options.partialReads ? offered : offered.pick({ path: true }),
    input: accepted.refine(({ files = [] }) => files.length <= options.atOnce, {
      path: ["files"],
      message: `expected at most ${options.atOnce} files in one call`,
    }),
    spellings: { file_path: "path", filePath: "path" },
    touches: ({ path, files }) => files?.map((file) => file.path) ?? (path === undefined ? [] : [path]),
    preview: ({ path, files }) => ({ kind: "title", text: files ? `Read ${files.length} files` : `Read ${path ?? "…"}` }),
    async run(input, context) {
      const reading: Reading = { options, context, imageRoom: MOST_IMAGES_BYTES }
      if (input.files) return readMany(input.files, reading)
      return readPart(input.path ?? "", wishOf(input, options), MOST_CHARACTERS, reading)
    },
  })
}

function wishOf({ mode, offset, limit, indentation }: Input, { partialReads }: ReadFileOptions): Wish {
  const lines = Math.min(limit, partialReads ? PAGE : WHOLE_LINES)
  if (mode === "slice") return { offset, limit: lines }
  return {
    offset,
    limit: Math.min(lines, indentation?.max_lines ?? PAGE),
    block: {
      anchor: indentation?.anchor_line ?? offset,
      levels: indentation?.max_levels ?? 0,
      siblings: indentation?.include_siblings ?? false,
      header: indentation?.include_header ?? true,
    },
  }
}

interface Reading {
  options: ReadFileOptions
  context: ToolContext
  /** Bytes of images that this call may still show. */
  imageRoom: number
}

/** One file that cannot be read does not hide the others. */
async function readMany(files: readonly RequestedFile[], reading: Reading): Promise<ToolOutput> {
  const parts = files.flatMap((file) => rangesOf(file, PAGE).map((range) => ({ path: file.path, range })))
  const answers: Content[][] = []
  const problems: string[] = []
  for (const { path, range } of parts) {
    try {
      const { say } = await readPart(path, range, MOST_CHARACTERS / parts.length, reading)
      answers.push(typeof say === "string" ? [{ type: "text", text: say }] : say)
    } catch (error) {
      if (!(error instanceof ToolError || error instanceof HostError)) throw error
      problems.push(error.message)
    }
  }
  if (answers.length === 0) throw new ToolError(problems.join("\n"))
  const show: Show = { kind: "title", text: `Read ${files.map((file) => file.path).join(", ")}` }
  const content = answers.flat()
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const text = [...problems, ...texts].join("\n\n")
  const images = content.filter((part) => part.type === "image")
  return { say: images.length === 0 ? text : [{ type: "text", text }, ...images], show }
}

async function readPart(path: string, wish: Wish, most: number, reading: Reading): Promise<ToolOutput> {
  const { host, files } = reading.context
  const facts = await host.stat(path)
  if (facts?.kind === "directory") throw new ToolError(`${path} is a folder. list_files shows what is in it.`)
  if (facts?.kind === "other") throw new ToolError(`${path} is not a regular file.`) // reading a pipe or a device may never end
  const whole = (facts?.size ?? 0) <= WHOLE_BYTES ? await host.readFile(path) : undefined
  const head = whole?.subarray(0, SNIFF_BYTES) ?? (await host.readHead(path, SNIFF_BYTES))
  const size = whole?.length ?? facts?.size ?? 0
  const kind = documentKind(path, head)
  if (kind) {
    if (size > MOST_DOCUMENT_BYTES) throw new ToolError(`${path} (${kind}) is too large to be read (${size} bytes).`)
    const document = await documentText(path, kind, whole ?? (await host.readFile(path)), reading.context.signal)
    return told(path, pageIn(document.text, wish, path), wish, most, [document.note])
  }
  const binary = wideEncoding(head) ? undefined : binaryKind(head)
  if (binary) return readBinary(path, binary, head, { size, whole }, reading)
  if (whole) files?.learn(path, whole)
  return told(path, await textPage(path, wish, { whole, facts, host, signal: reading.context.signal }), wish, most, [])
}

function told(path: string, page: Page, wish: Wish, most: number, notes: readonly string[]): ToolOutput {
  const { text, count } = showPage(path, page, wish, most, notes)
  return { say: text, show: { kind: "file", path, offset: page.offset, count, total: page.total } }
}

interface TextSource {
  whole: Uint8Array | undefined
  facts: FileFacts | undefined
  host: Host
  signal: AbortSignal
}

async function textPage(path: string, wish: Wish, { whole, host, signal }: TextSource): Promise<Page> {
  if (whole) {
    const { text, encoding, damaged } = readText(whole)
    return { ...pageIn(text, wish, path), encoding, damaged }
  }
  if (wish.block) {
    throw new ToolError(
      `${path} is too large for mode indentation. Find the place with search_files and read it by offset and limit.`,
    )
  }
  const page = await host.readLines(path, { ...wish, signal })
  const { encoding = "UTF-8" } = page
  return { ...page, offset: wish.offset, encoding, damaged: page.lines.some((text) => text.includes("\uFFFD")) }
}

interface BinaryFile {
  size: number
  whole: Uint8Array | undefined
}

function readBinary(path: string, kind: string, head: Uint8Array, { size, whole }: BinaryFile, reading: Reading): ToolOutput {
  const mediaType = mediaTypeOf(kind)
  const facts = `${kind}${dimensions(kind, head)}, ${size} bytes`
  const show: Show = { kind: "title", text: `Read ${path} (${kind})` }
  if (!mediaType) return { say: `${path} is not text (${facts}), so there are no lines to show.`, show }
  const refusal = imageRefusal(size, reading)
  if (refusal || !whole) return { say: `${path} is an image (${facts}). ${refusal ?? ""}`.trimEnd(), show }
  reading.imageRoom -= size
  const image: Content = { type: "image", mediaType, data: Buffer.from(whole).toString("base64") }
  return { say: [{ type: "text", text: `${path} (${facts}):` }, image], show }
}

function imageRefusal(size: number, { options, imageRoom }: Reading): string | undefined {
  if (!options.images) return "This model cannot be shown images."
  if (size > MOST_IMAGE_BYTES) return `It is not shown: images may have ${MOST_IMAGE_BYTES} bytes at most.`
  return size > imageRoom
    ? "It is not shown: the images of this call are too large together. Read it in a call of its own."
    : undefined
}
