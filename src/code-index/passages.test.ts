import { describe, expect, it } from "vitest"
import { excerptOf } from "./excerpt.ts"
import { cutIntoPassages } from "./passages.ts"
import type { CodeSymbol } from "./symbols.ts"
import { wordSplitter } from "./words.ts"

const symbol = (kind: string, name: string, first: number, last: number): CodeSymbol => ({ kind, name, first, last })
const short = (path: string, text: string, symbols?: CodeSymbol[]) =>
  cutIntoPassages(path, text, symbols).map(({ first, last, kind, name, container }) =>
    [`${first}-${last}`, kind, name, container && `in ${container}`].filter(Boolean).join(" "),
  )

describe("passages", () => {
  it("are symbols with the comment above them, and what is left over", () => {
    const text = [
      "// What this file is for",
      "import x from 'x'",
      "",
      "/**",
      " * Reads it.",
      " */",
      "",
      "function read() {",
      "  return x",
      "}",
      "",
      "const limit = 5",
    ].join("\n")
    const passages = cutIntoPassages("lib/reader.js", text, [symbol("function", "read", 7, 9)])
    expect(passages).toEqual([
      {
        first: 4,
        last: 10,
        kind: "function",
        name: "read",
        doc: "/**\n * Reads it.\n */",
        body: "\nfunction read() {\n  return x\n}",
      },
      { first: 1, last: 2, kind: "file", name: "reader", doc: "// What this file is for", body: "" },
      { first: 12, last: 12, doc: "", body: "const limit = 5" },
    ])
  })

  it("give a method its own lines and the class the rest", () => {
    const text = ["class A {", "  x = 1", "  run() {", "    go()", "  }", "  b() { c() }", "}"].join("\n")
    const symbols = [symbol("class", "A", 0, 6), symbol("method", "run", 2, 4), symbol("method", "b", 5, 5)]
    const passages = cutIntoPassages("a.js", text, symbols)
    expect(passages.map(({ name, container, body }) => [name, container, body])).toEqual([
      ["A", undefined, "class A {\n  x = 1\n  b() { c() }\n}"],
      ["run", "class A", "  run() {\n    go()\n  }"],
    ])
  })

  it("cut a long symbol in parts that know where they belong", () => {
    const text = Array.from({ length: 150 }, (_, at) => `line ${at}`).join("\n")
    expect(short("a.js", text, [symbol("function", "long", 0, 149)])).toEqual([
      "1-150 function long",
      "61-120 in function long",
      "121-150 in function long",
    ])
  })

  it("of a file without a grammar are windows of forty lines", () => {
    const text = Array.from({ length: 90 }, (_, at) => `line ${at}`).join("\n")
    expect(short("notes.tcl", text)).toEqual(["1-40 file notes", "41-80", "81-90"])
  })

  it("of a document are its sections, and a # in a fence is none", () => {
    const text = "# Title\nwords\n\n## Setting up\n```\n# no heading\n```\nmore"
    expect(short("README.md", text)).toEqual(["1-3 section Title", "4-8 section Setting up"])
  })

  it("take a docstring for words", () => {
    const text = 'def f():\n  """Says hello.\n\n  Twice.\n  """\n  return 1'
    const [passage] = cutIntoPassages("a.py", text, [symbol("function", "f", 0, 5)])
    expect(passage?.doc).toContain("Twice.")
    expect(passage?.body).toBe("def f():\n  return 1")
  })

  it("name what a module exports by the module", () => {
    expect(short("lib/stringify.js", "a\nb", [symbol("function", "exports", 0, 1)])).toEqual(["1-2 function stringify"])
    expect(short("lib/stringify/index.js", "a\nb", [symbol("function", "exports", 0, 1)])).toEqual(["1-2 function stringify"])
  })

  it("do not take ten thousand nested symbols to heart", () => {
    const count = 10_000
    const text = "x\n".repeat(2 * count)
    const symbols = Array.from({ length: count }, (_, at) => symbol("function", `f${at}`, at, 2 * count - 1 - at))
    const began = performance.now()
    expect(cutIntoPassages("a.js", text, symbols).length).toBeLessThan(1000)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  it("of an empty file are none", () => expect(short("a.js", "", [])).toEqual([]))
})

describe("an excerpt", () => {
  const split = wordSplitter()
  it("is all of a short passage, with line numbers", () => {
    expect(excerptOf(["a", "b"], 9, new Set(), split)).toBe("  9 | a\n 10 | b")
  })

  it("of a long one is its head and where the words meet", () => {
    const lines = Array.from({ length: 100 }, (_, at) => (at === 70 ? "retry upload" : `line ${at}`))
    const text = excerptOf(lines, 1, new Set(split("retry upload")), split)
    expect(text.split("\n").length).toBeLessThanOrEqual(26)
    expect(text).toContain("  1 | line 0")
    expect(text).toContain(" 71 | retry upload")
    expect(text).toContain("\n…\n")
  })

  it("cuts endless lines", () => expect(excerptOf(["x".repeat(100_000)], 1, new Set(), split).length).toBeLessThan(300))
})
