import { describe, expect, it } from "vitest"
import { parseSearchReplace } from "./search-replace-blocks.ts"

const parse = (...lines: string[]) => parseSearchReplace(lines.join("\n"))
const problem = (...lines: string[]) => {
  const parsed = parse(...lines)
  return parsed.ok ? undefined : parsed.problem
}

const OPEN = "<<<<<<< SEARCH"
const CLOSE = ">>>>>>> REPLACE"

describe("parseSearchReplace", () => {
  it("S31: reads blocks with and without line numbers and the rule below them", () => {
    expect(parse(OPEN, "a", "=======", "b", CLOSE)).toEqual({ ok: true, edits: [{ search: ["a"], replace: ["b"] }] })
    expect(parse(OPEN, ":start_line:12", "-------", "a", "", "=======", CLOSE)).toEqual({
      ok: true,
      edits: [{ search: ["a", ""], replace: [], line: 12 }],
    })
    expect(parse(OPEN, ":start_line: 3", ":end_line:5", "a", "=======", "b", CLOSE)).toMatchObject({
      edits: [{ line: 3, search: ["a"] }],
    })
    expect(parse(OPEN, ":start_line:0", "-------", "a", "=======", "b", CLOSE)).toEqual({
      ok: true,
      edits: [{ search: ["a"], replace: ["b"] }],
    })
  })

  it("reads several blocks and ignores what stands around them", () => {
    const parsed = parse("Here it is:", "```", OPEN, "a", "=======", "b", CLOSE, "", OPEN, "c", "=======", "d", CLOSE, "```")
    expect(parsed).toMatchObject({ ok: true, edits: [{ search: ["a"] }, { search: ["c"] }] })
  })

  it("keeps every character of the lines between the markers", () => {
    expect(parse(OPEN, "\ta  ", "=======", "  $1 \\n ", "-------", CLOSE)).toMatchObject({
      edits: [{ search: ["\ta  "], replace: ["  $1 \\n ", "-------"] }],
    })
    expect(parseSearchReplace(`${OPEN}\r\na\r\n=======\r\nb\r\n${CLOSE}\r\n`)).toMatchObject({
      edits: [{ search: ["a"], replace: ["b"] }],
    })
  })

  it("tolerates one stray > and blanks after a marker, nothing before it", () => {
    expect(parse(`${OPEN}>`, "a", "=======", "b", CLOSE).ok).toBe(true)
    expect(parse(`${OPEN} `, "a", "======= ", "b", `${CLOSE}\t`).ok).toBe(true)
    expect(parse(`${OPEN}>>`, "a", "=======", "b", CLOSE).ok).toBe(false)
    expect(parse(`${OPEN} >`, "a", "=======", "b", CLOSE).ok).toBe(false)
    expect(parse(` ${OPEN}`, "a", "=======", "b", CLOSE).ok).toBe(false)
  })

  it("refuses markers out of order and says at which line", () => {
    expect(problem("a", "=======", "b", CLOSE)).toContain("line 2 of the diff, `=======`: expected `<<<<<<< SEARCH`")
    expect(problem(OPEN, "a", CLOSE)).toContain("line 3 of the diff, `>>>>>>> REPLACE`: expected `=======`")
    expect(problem(OPEN, "a", "=======", "b", "=======", CLOSE)).toContain("line 5 of the diff, `=======`: a second separator")
    expect(problem(OPEN, "a", OPEN)).toContain("line 3")
    expect(problem(OPEN, "a", "=======", "b", OPEN)).toContain("expected `>>>>>>> REPLACE`")
    expect(problem(CLOSE)).toContain("line 1")
  })

  it("refuses leftovers of a merge inside a block", () => {
    expect(problem(OPEN, "<<<<<<< HEAD", "=======", "b", CLOSE)).toContain("line 2")
    expect(problem(OPEN, "a", "=======", ">>>>>>> branch", CLOSE)).toContain("line 4")
  })

  it("refuses line numbers in the replacement unless they are escaped", () => {
    expect(problem(OPEN, "a", "=======", "b", ":start_line:5", CLOSE)).toContain("belong under `<<<<<<< SEARCH`")
    expect(problem(OPEN, "a", "=======", ":end_line:5 ", "b", CLOSE)).toContain("belong under")
    expect(parse(OPEN, "a", "=======", "\\:start_line:5", "\\:end_line:6", CLOSE)).toMatchObject({
      edits: [{ replace: [":start_line:5", ":end_line:6"] }],
    })
  })

  it("takes the backslash off escaped markers on both sides", () => {
    const markers = ["<<<<<<< HEAD", "=======", ">>>>>>> branch", "-------"]
    const escaped = markers.map((marker) => `\\${marker}`)
    expect(parse(OPEN, ...escaped, "=======", ...escaped, "\\n", CLOSE)).toEqual({
      ok: true,
      edits: [{ search: markers, replace: [...markers, "\\n"] }],
    })
  })

  it("never closes a block by itself", () => {
    expect(problem(OPEN, "a", "=======", "b")).toBe("the last block is not closed by `>>>>>>> REPLACE`")
    expect(problem(OPEN, "a")).toBe("the last block is not closed by `=======` and `>>>>>>> REPLACE`")
    expect(problem("just words")).toBe("there is no `<<<<<<< SEARCH` line")
    expect(problem("")).toBe("there is no `<<<<<<< SEARCH` line")
  })
})
