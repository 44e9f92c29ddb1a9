import { describe, expect, it } from "vitest"
import { documentKind, documentText } from "./document.ts"
import { pdfWith, wordWith, workbookWith, zipWith } from "./sample-documents.ts"

const signal = new AbortController().signal

function text(path: string, bytes: Uint8Array, until = signal) {
  const kind = documentKind(path, bytes.subarray(0, 4096))
  if (!kind) throw new Error(`${path} is no document`)
  return documentText(path, kind, bytes, until)
}

const paragraph = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`

describe("documents as text", () => {
  it("are told by their first bytes, and by their name where these say too little", () => {
    expect(documentKind("x.txt", pdfWith([["a"]]))).toBe("PDF document")
    expect(documentKind("x.DOCX", zipWith({ a: "" }))).toBe("Word document")
    expect(documentKind("x.jar", zipWith({ a: "" }))).toBeUndefined()
    expect(documentKind("x.docx", Buffer.from("plain"))).toBeUndefined()
    expect(documentKind("x.ipynb", Buffer.from("{}"))).toBe("Jupyter notebook")
  })

  it("reads a PDF page by page", async () => {
    expect(await text("a.pdf", pdfWith([["Hello", "World"], ["Two"]]))).toEqual({
      text: "--- page 1 ---\nHello\nWorld\n--- page 2 ---\nTwo",
      note: "This is the text of a PDF document, 2 pages.",
    })
  })

  it("says when a PDF has no text", async () => {
    expect((await text("a.pdf", pdfWith([[]]))).note).toContain("1 page. It has no text")
  })

  it("reads a Word document as Markdown", async () => {
    const table = `<w:tbl>${["a b", "1 2"]
      .map(
        (row) =>
          `<w:tr>${row
            .split(" ")
            .map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`)
            .join("")}</w:tr>`,
      )
      .join("")}</w:tbl>`
    const bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>strong</w:t></w:r></w:p>"
    expect(await text("a.docx", wordWith(paragraph("One &amp; two") + bold + table))).toEqual({
      text: "One & two\n\n**strong**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
      note: "This is the text of a Word document.",
    })
  })

  it("reads a workbook row by row", async () => {
    const sheet = `<row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1"><v>2.5</v></c></row>
<row r="2"><c r="A2" t="inlineStr"><is><t>in &lt;line</t></is></c><c r="B2" t="b"><v>1</v></c><c r="C2"><f>A1</f><v>7</v></c></row>`
    expect((await text("a.xlsx", workbookWith(sheet, ["unused", "shared"]))).text).toBe(
      "--- sheet Prices & more ---\nshared\t\t2.5\nin <line\tTRUE\t7",
    )
  })

  it("reads the cells of a notebook and what they printed", async () => {
    const notebook = {
      cells: [
        { cell_type: "markdown", source: ["# Title\n", "text"] },
        {
          cell_type: "code",
          source: "1 + 1",
          outputs: [
            { output_type: "stream", text: ["out\n"] },
            { data: { "text/plain": "2", "image/png": "AAAA" } },
            { ename: "Error", evalue: "bad" },
          ],
        },
        null,
      ],
    }
    expect((await text("a.ipynb", Buffer.from(JSON.stringify(notebook)))).text).toBe(
      "--- cell 1 (markdown) ---\n# Title\ntext\n--- cell 2 (code) ---\n1 + 1\n--- output ---\nout\n2\n(image/png)\nError: bad",
    )
  })

  it.each([
    ["a.pdf", Buffer.from("%PDF-1.7\nnothing more"), /^a\.pdf \(PDF document\) cannot be read: .*\.$/],
    ["a.docx", Buffer.from("PK\x03\x04 and no more"), /^a\.docx \(Word document\) cannot be read: it is damaged/],
    ["a.docx", zipWith({ "word/none.xml": "<a/>" }), /cannot be read: .*\.$/],
    ["a.docx", wordWith("<w:p><w:r>"), /^a\.docx \(Word document\) cannot be read: .*\.$/],
    ["a.docx", wordWith(" ".repeat(60_000_000)), /it unpacks to far more than a document has\.$/],
    ["a.xlsx", zipWith({ a: "b" }), /it is no workbook\.$/],
    ["a.ipynb", Buffer.from('{"cells": ['), /its JSON is broken/],
    ["a.ipynb", Buffer.from("[]"), /it has no cells\.$/],
  ])("says in one line what is wrong with a broken %s", async (path, bytes, words) => {
    await expect(text(path, bytes)).rejects.toMatchObject({ name: "ToolError", message: expect.stringMatching(words) })
    await expect(text(path, bytes)).rejects.toMatchObject({ message: expect.not.stringContaining("\n") })
  })

  it("gives up a nesting without end", async () => {
    const deep = wordWith("<w:p>".repeat(300_000))
    await expect(text("deep.docx", deep)).rejects.toMatchObject({ name: "ToolError" })
  })

  it("does not let a row repeat a long text without end", async () => {
    const row = `<row>${'<c r="A1" t="s"><v>0</v></c>'.repeat(20_000)}</row>`
    expect((await text("a.xlsx", workbookWith(row, ["x".repeat(100_000)]))).text.length).toBeLessThan(5000)
  })

  it("stops when it is cancelled", async () => {
    await expect(text("a.pdf", pdfWith([["x"]]), AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" })
    const soon = AbortSignal.timeout(20)
    await expect(text("a.pdf", pdfWith(Array.from({ length: 2000 }, () => ["x"])), soon)).rejects.toMatchObject({
      name: "TimeoutError",
    })
  })
})
