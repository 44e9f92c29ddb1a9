/**
 * The text a person is writing: pure, several lines, a cursor, one step of yanking. A large paste stands in it as a short mark
 * that moves and goes as one character, and is put back in its place when the text is handed over.
 */
import type { Key } from "./keys.ts"
import { charactersOf, characterWidth } from "./width.ts"

export interface Editor {
  text: string
  /** An offset into `text`, always between two characters. */
  cursor: number
  /** Mark → what was pasted. */
  pastes: ReadonlyMap<string, string>
  /** What was cut last. */
  cut: string
}

export const emptyEditor: Editor = { text: "", cursor: 0, pastes: new Map(), cut: "" }

const LARGE_LINES = 6
const LARGE_CHARACTERS = 800

export function editorWith(text: string): Editor {
  return { ...emptyEditor, text, cursor: text.length }
}

/** What cannot be seen, or would reorder what can be seen. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export function insert(editor: Editor, text: string): Editor {
  return replace(editor, editor.cursor, editor.cursor, text.replace(UNSEEN, ""))
}

export function insertPaste(editor: Editor, pasted: string): Editor {
  const text = pasted.replace(/\r\n?/g, "\n")
  const lines = text.split("\n").length
  if (lines <= LARGE_LINES && text.length <= LARGE_CHARACTERS) return insert(editor, text)
  const size = lines > 1 ? `${lines.toLocaleString("en-US")} lines` : `${text.length.toLocaleString("en-US")} characters`
  const mark = `[paste ${editor.pastes.size + 1}: ${size}]`
  return { ...insert(editor, mark), pastes: new Map([...editor.pastes, [mark, text]]) }
}

/** The text with every paste in its place. */
export function wholeText({ text, pastes }: Editor): string {
  let whole = text
  for (const [mark, pasted] of pastes) whole = whole.split(mark).join(pasted)
  return whole
}

/** What a key does to the text; undefined when it means nothing here. */
export function pressed(editor: Editor, key: Key): Editor | undefined {
  const { name, ctrl, alt } = key
  if (name === "text") return insert(editor, key.text)
  if (name === "paste") return insertPaste(editor, key.text)
  if (name === "j" && ctrl) return insert(editor, "\n")
  if (name === "enter" && (key.shift || alt)) return insert(editor, "\n")
  const wordwise = ctrl || alt
  if (name === "left" || (name === "b" && wordwise)) {
    return moveTo(
      editor,
      name === "left" ? (wordwise ? wordStart(editor) : before(editor)) : alt ? wordStart(editor) : before(editor),
    )
  }
  if (name === "right" || (name === "f" && wordwise)) {
    return moveTo(editor, name === "right" ? (wordwise ? wordEnd(editor) : after(editor)) : alt ? wordEnd(editor) : after(editor))
  }
  if (name === "home" || (name === "a" && ctrl)) return moveTo(editor, lineStart(editor))
  if (name === "end" || (name === "e" && ctrl)) return moveTo(editor, lineEnd(editor))
  return deleted(editor, key)
}

function deleted(editor: Editor, { name, ctrl, alt }: Key): Editor | undefined {
  if (name === "backspace") return remove(editor, ctrl || alt ? wordStart(editor) : before(editor), editor.cursor)
  if (name === "delete" || (name === "d" && ctrl)) return remove(editor, editor.cursor, after(editor))
  if (name === "d" && alt) return cutOut(editor, editor.cursor, wordEnd(editor))
  if (!ctrl) return undefined
  if (name === "w") return cutOut(editor, wordStart(editor), editor.cursor)
  if (name === "u") return cutOut(editor, lineStart(editor), editor.cursor)
  if (name === "k") {
    const end = lineEnd(editor)
    return cutOut(editor, editor.cursor, end === editor.cursor ? after(editor) : end)
  }
  return name === "y" ? insert(editor, editor.cut) : undefined
}

function replace(editor: Editor, from: number, to: number, text: string): Editor {
  const before = editor.text.slice(0, from)
  return { ...editor, text: before + text + editor.text.slice(to), cursor: before.length + text.length }
}

function remove(editor: Editor, from: number, to: number): Editor {
  return from === to ? editor : replace(editor, from, to, "")
}

function cutOut(editor: Editor, from: number, to: number): Editor {
  return from === to ? editor : { ...remove(editor, from, to), cut: editor.text.slice(from, to) }
}

export function moveTo(editor: Editor, cursor: number): Editor {
  return cursor === editor.cursor ? editor : { ...editor, cursor }
}

/** The mark that ends (or begins) at an offset. */
function markAt({ text, pastes }: Editor, offset: number, side: "ending" | "beginning"): string | undefined {
  for (const mark of pastes.keys()) {
    if (text.startsWith(mark, side === "ending" ? offset - mark.length : offset)) return mark
  }
  return undefined
}

function before(editor: Editor): number {
  const mark = markAt(editor, editor.cursor, "ending")
  if (mark) return editor.cursor - mark.length
  const near = editor.text.slice(Math.max(0, editor.cursor - 64), editor.cursor)
  return editor.cursor - ([...charactersOf(near)].at(-1)?.length ?? 0)
}

function after(editor: Editor): number {
  const mark = markAt(editor, editor.cursor, "beginning")
  if (mark) return editor.cursor + mark.length
  const [next = ""] = charactersOf(editor.text.slice(editor.cursor, editor.cursor + 64))
  return editor.cursor + next.length
}

function wordStart(editor: Editor): number {
  const mark = markAt(editor, editor.cursor, "ending")
  if (mark) return editor.cursor - mark.length
  return editor.cursor - (/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?\s*$/u.exec(editor.text.slice(0, editor.cursor))?.[0].length ?? 0)
}

function wordEnd(editor: Editor): number {
  const mark = markAt(editor, editor.cursor, "beginning")
  if (mark) return editor.cursor + mark.length
  return editor.cursor + (/^\s*(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+)?/u.exec(editor.text.slice(editor.cursor))?.[0].length ?? 0)
}

function lineStart({ text, cursor }: Editor): number {
  return text.lastIndexOf("\n", cursor - 1) + 1
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf("\n", cursor)
  return end < 0 ? text.length : end
}

export interface Layout {
  /** Of the text, each as wide as there is room. */
  rows: { text: string; start: number }[]
  row: number
  column: number
}

/** Where everything stands when there are `width` cells. */
export function layOut({ text, cursor }: Editor, width: number): Layout {
  const rows: Layout["rows"] = []
  let start = 0
  let row = 0
  let column = 0
  for (const paragraph of text.split("\n")) {
    for (const piece of pieces(paragraph, width)) {
      const end = start + piece.length
      rows.push({ text: piece, start })
      if (cursor >= start && cursor <= end) {
        row = rows.length - 1
        column = [...charactersOf(text.slice(start, cursor))].reduce((sum, one) => sum + characterWidth(one), 0)
      }
      start = end
    }
    start += 1 // the line end
  }
  return { rows, row, column }
}

/** A full piece is followed by another one, if only an empty one: the cursor needs a place. */
function pieces(paragraph: string, width: number): string[] {
  const found: string[] = []
  let piece = ""
  let used = 0
  for (const character of charactersOf(paragraph)) {
    const needed = characterWidth(character)
    if (used + needed > width) {
      found.push(piece)
      piece = ""
      used = 0
    }
    piece += character
    used += needed
  }
  return used >= width ? [...found, piece, ""] : [...found, piece]
}

/** Up or down a row as it is shown; undefined at the first and the last one. */
export function moveRow(editor: Editor, width: number, by: -1 | 1): Editor | undefined {
  const { rows, row, column } = layOut(editor, width)
  const target = rows[row + by]
  if (!target) return undefined
  let offset = 0
  let used = 0
  for (const character of charactersOf(target.text)) {
    if (used + characterWidth(character) > column) break
    used += characterWidth(character)
    offset += character.length
  }
  return moveTo(editor, target.start + offset)
}
