/** Tells a person who looks elsewhere that they are needed. Silent while they are at the terminal. */
import type { Session } from "./session.ts"

/** Somebody who pressed a key this short a time ago is still there. */
const THERE_MS = 8_000
const KNOWS_NOTES = /^(?:iTerm\.app|WezTerm|ghostty|kitty)$/

export function notify({ options, isFocused, lastKeyAt, now }: Session, text: string): void {
  const { notify: way = "desktop", env, stdout } = options
  const isThere = isFocused ?? now() - lastKeyAt < THERE_MS
  if (way === "off" || isThere) return
  const knowsNotes = KNOWS_NOTES.test(env["TERM_PROGRAM"] ?? "") || env["TERM"] === "xterm-kitty"
  const note = way === "desktop" && knowsNotes && !env["TMUX"] ? `\u001b]9;${text}\u0007` : ""
  stdout.write(`${note}\u0007`)
}
