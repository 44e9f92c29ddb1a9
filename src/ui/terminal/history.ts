/** What was said before, to be gone through with the arrow keys; what is being written waits at its end. */
import { type Editor, editorWith, emptyEditor } from "./editor.ts"

const MOST = 500

export interface History {
  /** With what was pasted into them. */
  entries: readonly Editor[]
  /** Where one looks: `entries.length` is what is being written. */
  at: number
  draft: Editor
}

export function historyOf(texts: readonly string[]): History {
  return ending(texts.map(editorWith))
}

export function remember({ entries }: History, said: Editor): History {
  return ending(entries.at(-1)?.text === said.text ? entries : [...entries, said])
}

function ending(entries: readonly Editor[]): History {
  return { entries: entries.slice(-MOST), at: Math.min(entries.length, MOST), draft: emptyEditor }
}

/** undefined at either end. */
export function step(history: History, editor: Editor, by: -1 | 1): { history: History; editor: Editor } | undefined {
  const at = history.at + by
  if (at < 0 || at > history.entries.length) return undefined
  const draft = history.at === history.entries.length ? editor : history.draft
  const entry = history.entries[at]
  return { history: { ...history, at, draft }, editor: entry ?? draft }
}
