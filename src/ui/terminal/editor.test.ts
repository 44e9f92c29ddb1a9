/** The editor: text, cursor, pastes as marks, and where it all stands. */
import { describe, expect, it } from "vitest"
import { type Editor, editorWith, emptyEditor, insert, insertPaste, layOut, moveRow, pressed, wholeText } from "./editor.ts"
import { historyOf, remember, step } from "./history.ts"
import { key } from "./keys.ts"

const press = (editor: Editor, ...keys: Parameters<typeof key>[]) =>
  keys.reduce((now, each) => pressed(now, key(...each)) ?? now, editor)
/** The text with the cursor in it. */
const shown = ({ text, cursor }: Editor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`

describe("keys", () => {
  it.each<[string, Parameters<typeof key>[], string]>([
    ["text where the cursor is", [["left"], ["text", { text: "x" }]], "one twx|o"],
    ["backspace takes a whole character", [["text", { text: "👩‍👩‍👧e\u0301" }], ["backspace"], ["backspace"]], "one two|"],
    ["words", [["w", { ctrl: true }]], "one |"],
    ["back over a word", [["left", { ctrl: true }]], "one |two"],
    [
      "to the beginning and cut to the end",
      [
        ["a", { ctrl: true }],
        ["k", { ctrl: true }],
      ],
      "|",
    ],
    [
      "cut and put back",
      [
        ["u", { ctrl: true }],
        ["y", { ctrl: true }],
        ["y", { ctrl: true }],
      ],
      "one twoone two|",
    ],
    [
      "a further line",
      [
        ["enter", { shift: true }],
        ["text", { text: "x" }],
      ],
      "one two\nx|",
    ],
    ["delete forward", [["home"], ["delete"]], "|ne two"],
  ])("%s", (_, keys, expected) => expect(shown(press(editorWith("one two"), ...keys))).toBe(expected))

  it("control characters and marks that reorder text do not get in", () => {
    expect(insert(emptyEditor, "a\u001b[31mb\u202ec\u0000").text).toBe("a[31mbc")
  })
})

describe("pastes", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join("\n")

  it("a short one is text, a long one is a mark that moves and goes as one character", () => {
    expect(insertPaste(emptyEditor, "a\r\nb").text).toBe("a\nb")
    const pasted = insertPaste(editorWith("see "), many)
    expect(pasted.text).toBe("see [paste 1: 10,000 lines]")
    expect(wholeText(pasted)).toBe(`see ${many}`)
    expect(shown(press(pasted, ["left"]))).toBe("see |[paste 1: 10,000 lines]")
    expect(shown(press(pasted, ["backspace"]))).toBe("see |")
  })

  it("two of them stay apart", () => {
    const two = insertPaste(insertPaste(emptyEditor, many), "x".repeat(1000))
    expect(two.text).toBe("[paste 1: 10,000 lines][paste 2: 1,000 characters]")
    expect(wholeText(two)).toBe(many + "x".repeat(1000))
  })
})

describe("layout", () => {
  it("breaks where there is no more room, and the cursor has a place behind a full row", () => {
    const { rows, row, column } = layOut(editorWith("abcdef"), 3)
    expect(rows.map(({ text }) => text)).toEqual(["abc", "def", ""])
    expect([row, column]).toEqual([2, 0])
  })
  it("counts wide characters twice", () => {
    const { rows, column } = layOut(editorWith("日本語"), 4)
    expect(rows.map(({ text }) => text)).toEqual(["日本", "語"])
    expect(column).toBe(2)
  })
  it("goes up and down by rows, and says when there is no more", () => {
    const editor = editorWith("first\nsecond")
    const up = moveRow(editor, 40, -1)
    expect(up && shown(up)).toBe("first|\nsecond")
    expect(up && moveRow(up, 40, -1)).toBeUndefined()
    expect(moveRow(editor, 40, 1)).toBeUndefined()
  })
})

it("history goes back and forth, and what was being written waits at its end", () => {
  const draft = editorWith("half")
  const history = remember(historyOf(["one"]), editorWith("two"))
  const back = step(history, draft, -1)
  expect(back?.editor.text).toBe("two")
  const further = back && step(back.history, back.editor, -1)
  expect(further?.editor.text).toBe("one")
  expect(further && step(further.history, further.editor, -1)).toBeUndefined()
  const forth = further && step(further.history, further.editor, 1)
  expect(forth && step(forth.history, forth.editor, 1)?.editor.text).toBe("half")
})
