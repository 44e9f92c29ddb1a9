/** What is offered while a person types: commands behind a slash, files behind an at sign. */
import { type Editor, moveTo } from "./editor.ts"
import { type FuzzyIndex, scoreOf } from "./fuzzy.ts"
import type { Choice } from "./picker.ts"

export interface Suggestions {
  kind: "command" | "file"
  /** What is typed so far, and where it stands. */
  query: string
  from: number
  to: number
  choices: readonly Choice[]
  at: number
}

export interface Wanted {
  kind: "command" | "file"
  query: string
  from: number
  to: number
}

/** What the cursor stands behind, if something can be offered there. */
export function wantedAt({ text, cursor }: Editor): Wanted | undefined {
  const command = /^\/([\w:-]*)$/.exec(text.slice(0, cursor))
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: cursor }
  const file = /(?:^|\s)@([^\s@]{0,200})$/.exec(text.slice(0, cursor))
  if (!file) return undefined
  const query = file[1] ?? ""
  return { kind: "file", query, from: cursor - query.length - 1, to: cursor }
}

const MOST = 200

export function commandChoices(commands: readonly Choice[], query: string): Choice[] {
  const wanted = query.toLowerCase()
  const scored = commands.flatMap((choice) => {
    const score = wanted === "" ? 0 : scoreOf(choice.label.slice(1).toLowerCase(), wanted)
    return score === undefined ? [] : [{ choice, score }]
  })
  return (wanted === "" ? scored : scored.sort((one, other) => other.score - one.score)).map(({ choice }) => choice)
}

export function fileChoices(files: FuzzyIndex, query: string): Choice[] {
  return files.search(query.replace(/^\//, ""), MOST).map((path) => ({ value: path, label: path }))
}

/** The text with the choice in the place of what was typed. */
export function accept(editor: Editor, { kind, from, to }: Wanted, value: string): Editor {
  const word = kind === "command" ? `${value} ` : `@/${escaped(value)} `
  const text = editor.text.slice(0, from) + word + editor.text.slice(to).replace(/^ /, "")
  return moveTo({ ...editor, text }, from + word.length)
}

function escaped(path: string): string {
  return path.replaceAll(" ", "\\ ")
}
