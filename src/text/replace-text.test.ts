import { describe, expect, it } from "vitest"
import { type Overlooked, replaceTexts, type TextEdit } from "./replace-text.ts"

function replace(text: string, edits: TextEdit | TextEdit[], upTo: Overlooked = "words") {
  const { text: after, results } = replaceTexts(text, [edits].flat(), { upTo })
  return { text: after, outcomes: results.map((result) => result.outcome) }
}

describe("replaceTexts", () => {
  it("replaces a piece of a line, and of several, literally", () => {
    expect(replace("let a = 1\n", { search: "a = 1", replace: "$& $1 $$" }).text).toBe("let $& $1 $$\n")
    expect(replace("one\ntwo\nthree\n", { search: "ne\ntwo\nth", replace: "-" }).text).toBe("o-ree\n")
    expect(replace("one\ntwo\n", { search: "one\n", replace: "" }).text).toBe("two\n")
  })

  it("tells where the places stand with all edits made", () => {
    const { text, outcomes } = replace("a\nb\nc\nb\n", [
      { search: "c", replace: "c1\nc2" },
      { search: "a\n", replace: "" },
      { search: "b", replace: "B", times: "all" },
    ])
    expect(text).toBe("B\nc1\nc2\nB\n")
    expect(outcomes).toEqual([
      { kind: "applied", count: 1, lines: [2], height: 2, tolerance: "exact" },
      { kind: "applied", count: 1, lines: [1], height: 0, tolerance: "exact" },
      { kind: "applied", count: 2, lines: [1, 4], height: 1, tolerance: "exact" },
    ])
  })

  it("makes each edit in what the ones before have made", () => {
    expect(
      replace("a\n", [
        { search: "a", replace: "b" },
        { search: "b", replace: "c" },
      ]).text,
    ).toBe("c\n")
  })

  it("makes many edits at once as it makes them one by one", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`)
    let state = 3
    const random = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return (state >>> 8) % below
    }
    for (let round = 0; round < 60; round++) {
      const edits = Array.from({ length: 12 }, (_, index): TextEdit => {
        const start = random(57)
        const search = lines.slice(start, start + 1 + random(4)).join("\n")
        const replace = random(3) === 0 ? "" : `fresh ${round} ${index}\n${search.replaceAll("line", "row")}`
        return { search: `${search}\n`, replace, times: random(9) === 0 ? "all" : 1 }
      })
      const file = `${lines.join("\n")}\n`
      const together = replace(file, edits, "exact")
      const singly = edits.reduce((text, edit) => replace(text, edit, "exact").text, file)
      expect(together.text).toBe(singly)
      const after = together.text.split("\n")
      for (const [index, outcome] of together.outcomes.entries()) {
        const [line = 0] = outcome.kind === "applied" && outcome.height > 0 ? outcome.lines : []
        if (line > 0 && after.includes(`fresh ${round} ${index}`)) expect(after[line - 1]).toBe(`fresh ${round} ${index}`)
      }
    }
  })

  it("does not choose between places, and names them", () => {
    expect(replace("x\ny\nx\n", { search: "x", replace: "z" }).outcomes).toEqual([
      { kind: "miscounted", count: 2, lines: [1, 3] },
    ])
    expect(replace("}\n}\n}\n", { search: "}\n}", replace: "z" }).outcomes).toMatchObject([{ kind: "miscounted", count: 2 }])
    expect(replace("x x x", { search: "x", replace: "y", times: 2 }).outcomes).toMatchObject([{ kind: "miscounted", count: 3 }])
    expect(replace("x x", { search: "x", replace: "y", times: 2 }).text).toBe("y y")
  })

  it("knows empty, same, done and missing", () => {
    const text = "const answer = 42\n"
    expect(replace(text, { search: "", replace: "x" }).outcomes).toEqual([{ kind: "empty" }])
    expect(replace(text, { search: "a", replace: "a" }).outcomes).toEqual([{ kind: "same" }])
    expect(replace(text, { search: "let it be", replace: "const answer" }).outcomes).toEqual([{ kind: "missing", alreadyAt: 1 }])
    expect(replace(text, { search: "nowhere", replace: "x" })).toEqual({ text, outcomes: [{ kind: "missing" }] })
    expect(replace("“a”\n", { search: '"a"', replace: "“a”" }).outcomes).toEqual([{ kind: "unchanged", lines: [1] }])
  })

  it("overlooks line ends, and keeps those of the file", () => {
    expect(replace("a\r\nb\r\nc\r\n", { search: "a\nb", replace: "1\n2\n3" }).text).toBe("1\r\n2\r\n3\r\nc\r\n")
    expect(replace("a\nb\n", { search: "a\r\nb", replace: "1\r\n2" }).text).toBe("1\n2\n")
    expect(replace("a\nb\r\nc\nd\r\n", { search: "b\nc", replace: "B\nx\nc" }).text).toBe("a\nB\r\nx\r\nc\nd\r\n")
    expect(replace("a\r\nb\nc", { search: "c", replace: "d\ne" }).text).toBe("a\r\nb\nd\ne")
    expect(replace("a\r\n\r\nb\n", { search: "\n\n", replace: "\n" }).text).toBe("a\r\nb\n")
  })

  it("overlooks white space around and in whole lines, and carries the indentation over", () => {
    const file = "class A {\n\tf() {\n\t\treturn 1\n\t}\n}\n"
    const edit = { search: "  f() {\n    return 1\n  }\n", replace: "  f() {\n    if (x)\n      return 2\n  }\n" }
    const { text, outcomes } = replace(file, edit)
    expect(text).toBe("class A {\n\tf() {\n\t\tif (x)\n\t\t\treturn 2\n\t}\n}\n")
    expect(outcomes).toEqual([{ kind: "applied", count: 1, lines: [2], height: 4, tolerance: "white-space" }])
    expect(replace(file, { search: "\nreturn 1", replace: "\nreturn 2" }, "white-space").outcomes).toEqual([{ kind: "missing" }])
    expect(replace("  a  \n  b", { search: "a\nb", replace: "a\nB" }).text).toBe("  a  \n  B")
    expect(replace("\ta;\n\tb;\n", { search: "a;\nb;\n", replace: "" }, "white-space").text).toBe("")
  })

  it("overlooks no more than allowed", () => {
    const edit = { search: "say('x')\n  y()", replace: "z" }
    expect(replace("say(‘x’)\n\ty()\n", edit, "punctuation").text).toBe("z\n")
    expect(replace("say(‘x’)\n\ty()\n", edit, "white-space").outcomes).toEqual([{ kind: "missing" }])
    expect(replace("a \nb\n", { search: "a\nb", replace: "c" }, "line-tails").text).toBe("c\n")
    expect(replace("a \nb\n", { search: "a\nb", replace: "c" }, "exact").outcomes).toEqual([{ kind: "missing" }])
  })

  it("goes by words alone only where that is allowed", () => {
    const file = "  call(first,\n       second)\n  next()\n"
    const edit = { search: "call(first, second)", replace: "call(third)" }
    expect(replace(file, edit, "punctuation").outcomes).toEqual([{ kind: "missing" }])
    expect(replace(file, edit)).toMatchObject({
      text: "  call(third)\n  next()\n",
      outcomes: [{ tolerance: "words", lines: [1] }],
    })
    const wide = { search: "if (a) {\n  b()\n}", replace: "if (a) {\n  c()\n  d()\n}" }
    expect(replace("\tif (a)\n\t{\n\t\tb()\n\t}\n", wide).text).toBe("\tif (a) {\n\t\tc()\n\t\td()\n\t}\n")
    expect(replace("x = f( a,b )\n", { search: "f( a,b  )", replace: "g()" }).text).toBe("x = g()\n")
  })

  it("stands many and hostile edits of a large text", () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `const value${index} = compute(${index})\n`)
    const edits = Array.from({ length: 200 }, (_, index) => {
      return { search: `const value${index * 400} = compute(${index * 400})`, replace: `let value${index * 400}\n` }
    })
    const { outcomes } = replace(lines.join(""), edits)
    expect(outcomes.every(({ kind }) => kind === "applied")).toBe(true)
    const missing = edits.map(({ search }) => ({ search: `${search} // not there`, replace: "x" }))
    expect(replace(lines.join(""), missing).outcomes.every(({ kind }) => kind === "missing")).toBe(true)
    expect(replace("a".repeat(2_000_000), { search: "a", replace: "b", times: "all" }).text).toBe("b".repeat(2_000_000))
    expect(replace("a".repeat(2_000_000), { search: "a", replace: "b" }).outcomes).toMatchObject([{ kind: "miscounted" }])
  })
})
