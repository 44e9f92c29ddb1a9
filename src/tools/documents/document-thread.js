/**
 * Reads one PDF or Word document in a thread of its own, so that a hostile one can be stopped: its text, or why there is none,
 * is the one message it sends. Plain JavaScript: a thread is started from a file, and Node 20 starts no TypeScript.
 */
import { parentPort, workerData } from "node:worker_threads"

const { kind, bytes, limits } = workerData

try {
  parentPort?.postMessage(kind === "pdf" ? await readPdf() : await readWord())
} catch (error) {
  parentPort?.postMessage({ problem: problemOf(error) })
}

/** Page by page, each under a line that names it. */
async function readPdf() {
  // What the library wants for drawing, which is never done here; else it looks for a package that draws.
  for (const name of ["DOMMatrix", "ImageData", "Path2D"]) globalThis[name] ??= class {}
  // Handed over like this the library does not start a thread of its own from a file it would look for.
  globalThis.pdfjsWorker = await import("pdfjs-dist/legacy/build/pdf.worker.mjs")
  const { getDocument, VerbosityLevel } = await import("pdfjs-dist/legacy/build/pdf.mjs")
  const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, stopAtErrors: false }
  const document = await getDocument({ data: bytes, verbosity: VerbosityLevel.ERRORS, ...options }).promise
  const last = Math.min(document.numPages, limits.pages)
  const parts = []
  let characters = 0
  let page = 1
  for (; page <= last && characters < limits.characters; page++) {
    const { items } = await (await document.getPage(page)).getTextContent()
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")
    characters += text.length
    parts.push(`--- page ${page} ---\n${text.trimEnd()}`)
  }
  return { text: parts.join("\n"), pages: document.numPages, read: page - 1 }
}

/** As HTML, which the other side turns into Markdown. Pictures are left out. */
async function readWord() {
  const { default: mammoth } = await import("mammoth")
  const convertImage = mammoth.images.imgElement(async () => ({ src: "" }))
  const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage })
  return { text: value }
}

function problemOf(error) {
  if (error?.name === "PasswordException") return "it is protected by a password"
  const words = String(error?.message ?? error)
  return words.replace(/\s+/g, " ").slice(0, 200)
}
