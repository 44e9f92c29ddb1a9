/** Files that hold text in a form of their own: which they are, and their text as lines that can be read like a file's. */
import { ToolError } from "../../types/tool.ts"

export type DocumentKind = "PDF document" | "Word document" | "Excel workbook" | "Jupyter notebook"

export interface DocumentText {
  text: string
  /** What stands here instead of the file's own bytes, in words for the model. */
  note: string
}

/** A larger one is not opened: it has to be in memory whole. */
export const MOST_DOCUMENT_BYTES = 50_000_000
const LIMITS = { pages: 1000, characters: 2_000_000 }
const MOST_UNPACKED = 50_000_000

/** By its first bytes, and by its name where they do not tell. */
export function documentKind(path: string, head: Uint8Array): DocumentKind | undefined {
  const start = String.fromCharCode(...head.subarray(0, 5))
  if (start === "%PDF-") return "PDF document"
  if (start.startsWith("PK\x03\x04")) {
    if (/\.docx$/i.test(path)) return "Word document"
    return /\.xlsx$/i.test(path) ? "Excel workbook" : undefined
  }
  return /\.ipynb$/i.test(path) && head.length > 0 ? "Jupyter notebook" : undefined
}

/** Throws a ToolError that names the file and what is wrong with it. */
export async function documentText(
  path: string,
  kind: DocumentKind,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<DocumentText> {
  try {
    return await READERS[kind](bytes, signal)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    throw new ToolError(`${path} (${kind}) cannot be read: ${error.message.replace(/\.$/, "")}.`)
  }
}

const READERS: Record<DocumentKind, (bytes: Uint8Array, signal: AbortSignal) => Promise<DocumentText>> = {
  "PDF document": async (bytes, signal) => {
    const { inThread } = await import("./thread.ts")
    const { text, pages = 0, read = pages } = await inThread({ kind: "pdf", bytes, limits: LIMITS }, signal)
    const some = read < pages ? `the first ${read} of its ${pages} pages` : `${pages} ${pages === 1 ? "page" : "pages"}`
    const empty = text.replace(/^--- page \d+ ---$/gm, "").trim() === "" ? " It has no text, perhaps only pictures of it." : ""
    return { text, note: `This is the text of a PDF document, ${some}.${empty}` }
  },
  "Word document": async (bytes, signal) => {
    await mustUnpackSmall(bytes)
    const [{ inThread }, { htmlToMarkdown }] = await Promise.all([
      import("./thread.ts"),
      import("../../text/html-to-markdown.ts"),
    ])
    const { text } = await inThread({ kind: "word", bytes, limits: LIMITS }, signal)
    return { text: htmlToMarkdown(text).markdown, note: "This is the text of a Word document." }
  },
  "Excel workbook": async (bytes) => {
    const { spreadsheetText } = await import("./spreadsheet.ts")
    return { text: await spreadsheetText(bytes), note: "This is the text of an Excel workbook, its cells apart by tabs." }
  },
  "Jupyter notebook": async (bytes) => {
    const [{ notebookText }, { readText }] = await Promise.all([import("./notebook.ts"), import("../../text/encoding.ts")])
    const text = notebookText(readText(bytes).text)
    return { text, note: "These are the cells of a Jupyter notebook. The file itself is JSON: an edit must match that." }
  },
}

/** The reader of Word documents unpacks without a bound. */
async function mustUnpackSmall(bytes: Uint8Array): Promise<void> {
  const { zipEntries } = await import("./zip.ts")
  let room = MOST_UNPACKED
  for (const entry of zipEntries(bytes)) if (/\.(?:xml|rels)$/i.test(entry.name)) room -= (await entry.read(room)).length
}
