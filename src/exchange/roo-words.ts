/** Who speaks in a user's message of a Roo conversation: the person, Roo itself, or its notes on how things stood. Pure. */
import type { Content } from "../types/message.ts"
import type { RooPart } from "./roo-message.ts"

/** What the notes on how things stood say of the task. */
export interface Noted {
  mode?: string
  model?: string
  folder?: string
}

export interface Heard {
  person: Content[]
  roo: Content[]
  /** The notes themselves. */
  notes: Content[]
  noted: Noted
}

const NOTES = "<environment_details>"
const NOTES_END = "</environment_details>"
const WRAPPED = /^\s*<(task|user_message|feedback|answer)>\n?([\s\S]*?)\n?<\/\1>\s*$/
/** Results of calls that were tags in text, and what Roo says by itself. */
const BY_ROO = /^\s*\[(?:\w+(?: for [^\n]*)?\] Result:|ERROR\])/

/** `isFirst`: the words the task began with. */
export function hear(parts: readonly RooPart[], isFirst: boolean): Heard {
  const heard: Heard = { person: [], roo: [], notes: [], noted: {} }
  const images: Content[] = []
  const besideResults = parts.some(({ type }) => type === "result")
  let behindResult = false // what stands there is a result, whatever it looks like
  for (const part of parts) {
    if (part.type === "image") images.push(part)
    if (part.type !== "text") continue
    const { words, notes } = withoutNotes(part.text)
    if (notes !== "") {
      heard.notes.push({ type: "text", text: notes })
      heard.noted = { ...heard.noted, ...notedIn(notes) }
    }
    if (words.trim() === "") continue
    behindResult ||= !isFirst && BY_ROO.test(words)
    const spoken = behindResult ? undefined : (WRAPPED.exec(words)?.[2] ?? (besideResults ? undefined : words))
    if (spoken !== undefined) heard.person.push({ type: "text", text: spoken })
    else heard.roo.push({ type: "text", text: words })
  }
  const last = heard.person.length > 0 || heard.roo.length === 0 ? heard.person : heard.roo
  last.push(...images)
  return heard
}

/** They may stand by themselves, or at the end of the words. */
function withoutNotes(text: string): { words: string; notes: string } {
  if (!text.trimEnd().endsWith(NOTES_END)) return { words: text, notes: "" }
  const at = text.lastIndexOf(NOTES)
  return at < 0 ? { words: text, notes: "" } : { words: text.slice(0, at).trimEnd(), notes: text.slice(at) }
}

function notedIn(notes: string): Noted {
  const mode = /<slug>([A-Za-z0-9-]{1,100})<\/slug>/.exec(notes)?.[1]
  const model = /<model>([^<\n]{1,200})<\/model>/.exec(notes)?.[1]
  const folder = /^# Current (?:Working|Workspace) Directory \((.+)\) Files/m.exec(notes)?.[1]
  return { ...(mode && { mode }), ...(model && { model }), ...(folder && { folder }) }
}
