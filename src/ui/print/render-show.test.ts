/** One renderer per kind of Show: a title on one line, a bounded body, everything when a person has to judge, and never a control character. */
import { describe, expect, it } from "vitest"
import type { Show } from "../../types/show.ts"
import { paint } from "./paint.ts"
import { renderShow } from "./render-show.ts"

const plain = paint(false)
const lines = (show: Show, options?: { whole: boolean }) => {
  const { title, body } = renderShow(show, plain, options)
  return [title, ...body]
}
const diff = (unified: string, operation: "create" | "modify" = "modify"): Show => ({
  kind: "diff",
  path: "a.ts",
  operation,
  unified,
  added: 1,
  removed: 2,
})

/** Each kind, with a text in every place a tool or a model can fill. */
const shows = (text: string): Show[] => [
  { kind: "title", text },
  { kind: "file", path: text, offset: 1, count: 2 },
  { kind: "listing", path: text, count: 1, cut: false },
  { kind: "hits", pattern: text, path: text, files: 1, count: 1, cut: false },
  { kind: "diff", path: text, operation: "create", unified: `@@\n+${text}\n-${text}\n ${text}`, added: 1, removed: 1 },
  {
    kind: "changes",
    files: [
      { path: text, operation: "move", to: text, unified: `@@\n+${text}\n-${text}`, added: 1, removed: 1 },
      { path: text, operation: "delete", unified: `@@\n-${text}`, added: 0, removed: 1 },
    ],
  },
  { kind: "command", command: text, cwd: text, output: text, exitCode: 0 },
  { kind: "todos", todos: [{ text, status: "pending" }] },
  { kind: "question", question: text, suggestions: [{ text }] },
  { kind: "result", text },
  { kind: "malformed", tool: text, input: { [text]: text }, problem: text },
  { kind: "input", tool: text, input: { [text]: [text] } },
]

describe("every kind", () => {
  it.each(shows("words").map((show) => [show.kind, show] as const))("S14: %s has a title of one line", (_, show) => {
    const { title } = renderShow(show, plain)
    expect(title).toMatch(/\S/)
    expect(title).not.toContain("\n")
  })

  const evil = "a\u001b[2Jb\u009b31mc\u0007d\u202ee\rf\u001b]0;title\u0007g\u007fh\u0000i"
  it.each(shows(evil).map((show) => [show.kind, show] as const))(
    "lets no control character of a %s reach the terminal",
    (_, show) => {
      for (const whole of [true, false]) {
        for (const line of lines(show, { whole }))
          expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }
    },
  )

  it.each(shows("one\ntwo").map((show) => [show.kind, show] as const))(
    "keeps the lines of a %s in lines of its own",
    (_, show) => {
      for (const line of lines(show)) expect(line).not.toContain("\n")
    },
  )
})

describe("what they say", () => {
  it("a file with its lines", () => {
    expect(lines({ kind: "file", path: "a.ts", offset: 3, count: 2, total: 9 })).toEqual(["Read a.ts (lines 3–4 of 9)"])
    expect(lines({ kind: "file", path: "a.ts", offset: 1, count: 0 })).toEqual(["Read a.ts (empty)"])
  })

  it("a listing and hits with their numbers", () => {
    expect(lines({ kind: "listing", path: "src", count: 1, cut: true })).toEqual(["List src (1 entry, cut)"])
    expect(lines({ kind: "hits", pattern: "x", path: ".", files: 2, count: 3, cut: false })).toEqual([
      "Search x in . (3 hits in 2 files)",
    ])
    expect(lines({ kind: "hits", pattern: "x", path: ".", files: 0, count: 0, cut: false })).toEqual([
      "Search x in . (nothing found)",
    ])
  })

  it("a command with its end", () => {
    const command = { kind: "command", command: "make", output: "ok\n" } as const
    expect(lines({ ...command, exitCode: 2 })).toEqual(["$ make (exit 2)", "ok"])
    expect(lines({ ...command, cwd: "lib", ending: "timed-out" })[0]).toBe("$ make in lib (timed-out)")
    expect(lines(command)[0]).toBe("$ make")
  })

  it("S14: a malformed call with what could be read and the problem", () => {
    const show: Show = {
      kind: "malformed",
      tool: "jot",
      input: { path: "a", content: "half" },
      problem: "the text ends inside a string",
    }
    expect(lines(show)).toEqual(["jot: parse error", 'path: "a"', 'content: "half"', "the text ends inside a string"])
  })

  it("todos with their marks", () => {
    const todos = (["pending", "in-progress", "done"] as const).map((status) => ({ text: status, status }))
    const [, ...body] = lines({ kind: "todos", todos })
    expect(new Set(body.map((line) => line[0])).size).toBe(3)
  })
})

describe("diffs", () => {
  it("show the changed lines without the file headers", () => {
    const [title, ...body] = lines(diff("--- a.ts\n+++ a.ts\n@@ -1,2 +1,1 @@\n same\n-old\n+new\n"))
    expect(title).toBe("Edit a.ts (+1 −2)")
    expect(body).toEqual(["@@ -1,2 +1,1 @@", " same", "-old", "+new"])
    expect(lines(diff("", "create"))[0]).toBe("Create a.ts (+1 −2)")
  })

  it("of several files stand below each other, each with its title", () => {
    const moved = {
      path: "a",
      operation: "move",
      to: "b",
      unified: "--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n",
      added: 1,
      removed: 1,
    } as const
    const gone = {
      path: "c",
      operation: "delete",
      unified: "--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n",
      added: 0,
      removed: 1,
    } as const
    expect(lines({ kind: "changes", files: [moved, gone] })).toEqual([
      ...["Change 2 files", "Move a to b (+1 −1)", "@@ -1 +1 @@", "-x", "+y"],
      ...["Delete c (+0 −1)", "@@ -1 +0,0 @@", "-z"],
    ])
    expect(lines({ kind: "changes", files: [gone] })).toEqual(["Delete c (+0 −1)", "@@ -1 +0,0 @@", "-z"])
  })

  it("hide no changed line that looks like a header", () => {
    const [, ...body] = lines(diff("--- a.sql\n+++ a.sql\n@@ -1,3 +1,2 @@\n--- drop the old table\n-++ counter\n+++ counter\n"))
    expect(body).toContain("--- drop the old table")
    expect(body).toContain("+++ counter")
  })
})

describe("length", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")

  it("is bounded, and says how much was left out", () => {
    const [, ...head] = lines(diff(`@@\n${many(100)}`))
    expect(head.length).toBeLessThan(25)
    expect(head[0]).toBe("@@")
    expect(head.at(-1)).toMatch(/\d+ more lines/)
    const [, first, ...tail] = lines({ kind: "command", command: "make", output: many(100) })
    expect(first).toMatch(/\d+ more lines/)
    expect(tail.at(-1)).toBe("line 100")
    expect(lines({ kind: "command", command: "make", output: "x".repeat(5_000) })[1]?.length).toBeLessThan(300)
  })

  it("S28: is not bounded when a person has to judge: nothing is left out, neither lines nor the ends of lines", () => {
    const long = `${"x".repeat(1_000)} && rm -rf /`
    const whole = { whole: true }
    expect(lines(diff(`@@\n${many(100)}\n+${long}`), whole)).toEqual(expect.arrayContaining(["line 100", `+${long}`]))
    expect(lines({ kind: "command", command: long, output: "" }, whole)[0]).toContain("rm -rf /")
    expect(lines({ kind: "input", tool: "it", input: { text: long } }, whole).join("\n")).toContain("rm -rf /")
    expect(lines({ kind: "title", text: long }, whole)[0]).toContain("rm -rf /")
  })

  it("S28: hides nothing behind an escape sequence from a person who has to judge", () => {
    const hidden = "echo \u001b]0; rm -rf ~ ;\u0007\u001b[8m; reboot"
    for (const show of [
      { kind: "command", command: hidden, output: "" },
      { kind: "title", text: hidden },
      { kind: "input", tool: "it", input: hidden },
      diff(`@@\n+${hidden}`),
    ] satisfies Show[]) {
      expect(lines(show, { whole: true }).join("\n")).toMatch(/echo.*rm -rf ~.*reboot/)
    }
  })
})
