import { describe, expect, it } from "vitest"
import { applyEdits, type BlockEdit } from "./apply-edits.ts"
import { joinLines, splitLines } from "./lines.ts"

function edit(search: string, replace: string, line?: number): BlockEdit {
  const lines = (text: string) => (text === "" ? [] : text.split("\n"))
  return { search: lines(search), replace: lines(replace), ...(line !== undefined && { line }) }
}

function apply(file: string, ...edits: BlockEdit[]) {
  const { lines, results } = applyEdits(splitLines(file), edits)
  return { text: joinLines(lines), outcomes: results.map((result) => result.outcome) }
}

describe("applyEdits", () => {
  it("replaces, inserts and deletes whole lines", () => {
    expect(apply("a\nb\nc\n", edit("b", "B1\nB2")).text).toBe("a\nB1\nB2\nc\n")
    expect(apply("a\nb\n", edit("a", "top\na")).text).toBe("top\na\nb\n")
    expect(apply("a\nb\nc\n", edit("a\nb", "")).text).toBe("c\n")
    expect(apply("a\n", edit("a", "")).text).toBe("")
  })

  it("looks for every block in the file as it was and tells where it stands now", () => {
    const { text, outcomes } = apply("1\n2\n3\n4\n", edit("4", "four"), edit("1", "one\nand a half"), edit("2\n3", "2"))
    expect(text).toBe("one\nand a half\n2\nfour\n")
    expect(outcomes).toMatchObject([
      { kind: "applied", line: 4, lineNow: 4 },
      { kind: "applied", line: 1, lineNow: 1, removed: 1, added: 2 },
      { kind: "applied", line: 2, lineNow: 3 },
    ])
  })

  it("reports each block that cannot be applied and applies the others", () => {
    const file = "a\nx\nb\nx\nc\n"
    const { text, outcomes } = apply(file, edit("a", "A"), edit("x", "y"), edit("nowhere", "z"), edit("c", "c"), edit("", "q"))
    expect(text).toBe("A\nx\nb\nx\nc\n")
    expect(outcomes).toMatchObject([
      { kind: "applied" },
      { kind: "ambiguous", count: 2, lines: [2, 4] },
      { kind: "missing" },
      { kind: "same" },
      { kind: "empty" },
    ])
  })

  it("tells equal places apart by the line given", () => {
    expect(apply("x\na\nx\n", edit("x", "y", 3)).text).toBe("x\na\ny\n")
  })

  it("refuses a block that overlaps an earlier one", () => {
    const { text, outcomes } = apply("a\nb\nc\n", edit("a\nb", "A\nB"), edit("b\nc", "x"))
    expect(text).toBe("A\nB\nc\n")
    expect(outcomes[1]).toEqual({ kind: "overlap", edit: 0, line: 2 })
  })

  it("says when the replacement is there already", () => {
    expect(apply("new\n", edit("old", "new")).outcomes).toEqual([{ kind: "missing", alreadyAt: 1 }])
    expect(apply("“a”\nb\n", edit('"a"\nb', "“a”\nb")).outcomes).toEqual([{ kind: "unchanged", line: 1 }])
  })

  it("keeps line ends: CRLF, mixed ones, and a missing last one", () => {
    expect(apply("a\r\nb\r\nc\r\n", edit("b", "B1\nB2")).text).toBe("a\r\nB1\r\nB2\r\nc\r\n")
    expect(apply("a\nb\r\nc\n", edit("a\nb\nc", "a\nb\nC")).text).toBe("a\nb\r\nC\n")
    expect(apply("a\nb", edit("b", "B\nC")).text).toBe("a\nB\nC")
    expect(apply("a\nb", edit("b", "")).text).toBe("a")
    expect(apply("a\nb", edit("a", "A")).text).toBe("A\nb")
    expect(apply("a\nb\n", edit("b", "B")).text).toBe("a\nB\n")
  })

  it("leaves untouched lines of a block exactly as they are, however it was found", () => {
    const { text } = apply("  “quoted”  \n\tkeep\n\told\n", edit('"quoted"\n  keep\n  old', '"quoted"\n  keep\n  new'))
    expect(text).toBe("  “quoted”  \n\tkeep\n\tnew\n")
  })

  it("carries the file's indentation over to new lines", () => {
    const file = "class A {\n    f() {\n        return 1\n    }\n}\n"
    const { text, outcomes } = apply(file, edit("f() {\n    return 1\n}", "f() {\n    if (x) {\n        return 2\n    }\n}"))
    expect(text).toBe("class A {\n    f() {\n        if (x) {\n            return 2\n        }\n    }\n}\n")
    expect(outcomes).toMatchObject([{ kind: "applied", tolerance: "white-space" }])
  })

  it("writes the replacement as it is: trailing blanks, dollar signs, backslashes", () => {
    expect(apply("a\n", edit("a", "b  \n$& $1 $$ \\n\t")).text).toBe("b  \n$& $1 $$ \\n\t\n")
  })

  it("takes line numbers off lines copied from a listing, and uses them", () => {
    expect(apply("x\ny\nx\n", edit("3 | x", "3 | z")).text).toBe("x\ny\nz\n")
    expect(apply("a\n\nb\n", edit(" 9 | a\n10 |\n11 | b", "a\nc")).text).toBe("a\nc\n")
    expect(apply("1 | x\n2 | y\n", edit("1 | x", "1 | z")).text).toBe("1 | z\n2 | y\n")
  })

  it("overlooks blank lines around a block that the file does not have", () => {
    expect(apply("a\nb\n", edit("\na\n", "\nA\n")).text).toBe("A\nb\n")
    expect(apply("a\nb\n", edit("\n\na", "")).text).toBe("b\n")
    expect(apply("a\n\nb\n", edit("a\n", "A\n")).text).toBe("A\n\nb\n")
  })

  it("puts any edit of any file in place, also with white space lost in the search", () => {
    let state = 5
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state % below
    }
    for (let round = 0; round < 500; round++) {
      const end = random(2) === 0 ? "\n" : "\r\n"
      const texts = Array.from(
        { length: 1 + random(20) },
        (_, index) => `${" ".repeat(random(4))}line ${index}${" ".repeat(random(2))}`,
      )
      const start = random(texts.length)
      const stop = start + 1 + random(texts.length - start)
      const replacement = Array.from({ length: 1 + random(4) }, (_, index) => `fresh ${round} ${index} `)
      const search = texts.slice(start, stop)
      const file = texts.join(end) + (random(2) === 0 ? end : "")
      const expected = texts.slice(0, start).concat(replacement, texts.slice(stop)).join(end) + (file.endsWith(end) ? end : "")
      expect(apply(file, edit(search.join("\n"), replacement.join("\n"))).text).toBe(expected)
      const loose = apply(file, edit(search.map((line) => line.trim()).join("\n"), replacement.join("\n"))).text
      expect(loose.split(end).map((line) => line.trim())).toEqual(expected.split(end).map((line) => line.trim()))
    }
  })

  it("edits a large file without trouble", () => {
    const file = Array.from({ length: 150_000 }, (_, index) => `line ${index}\n`).join("")
    expect(apply(file, edit("line 75000", "changed")).text).toBe(file.replace("line 75000\n", "changed\n"))
  })
})
