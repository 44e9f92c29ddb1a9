/**
 * What a program wrote for a terminal, as text to read: colours and other escape sequences are gone, what was written over is
 * gone, control characters that are left become pictures of themselves. Reads each character once, however hostile.
 */

const ESCAPE = "\u001b"
const LONGEST_STRING = 4096
// A sequence: CSI, a string (OSC, DCS, SOS, PM, APC) with its end, or a short one. All repetitions are bounded.
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[([0-?]{0,64})[ -/]{0,8}([@-~])|[\\]PX^_][^\\u0007${ESCAPE}]{0,${LONGEST_STRING}}(?:\\u0007|${ESCAPE}\\\\)|[ -/]{1,8}[0-~]|[0-OQ-WYZ\\\\\`-~])`,
  "g",
)
const UNFINISHED = new RegExp(
  `${ESCAPE}(?:\\[[0-?]{0,64}[ -/]{0,8}|[\\]PX^_][^\\u0007${ESCAPE}]{0,${LONGEST_STRING}}${ESCAPE}?|[ -/]{0,8})$`,
)
// Controls except line feed, tab and carriage return, and the marks that reorder text.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const EACH_CONTROL = new RegExp(CONTROLS, "g")
const SILENT = "\u0007\u000e\u000f\u007f" // bell, shifts, delete: nothing to see

export interface TerminalText {
  /** The readable part of what arrived. Carriage returns stay: what they wipe is known only when the line ends. */
  push(text: string): string
}

export function terminalText(): TerminalText {
  let held = "" // a sequence whose end has not arrived yet
  return {
    push(text) {
      if (held === "" && !CONTROLS.test(text)) return text
      const whole = held + text
      const cut = UNFINISHED.exec(whole.slice(-LONGEST_STRING - 100))?.[0].length ?? 0
      held = whole.slice(whole.length - cut)
      return readable(whole.slice(0, whole.length - cut))
    },
  }
}

/** One line without its end: only its last state, if it was written over. */
export function readableLine(line: string): string {
  const text = CONTROLS.test(line) ? readable(line) : line
  if (!text.includes("\r")) return text
  const end = text.replace(/\r+$/, "")
  return end.slice(end.lastIndexOf("\r") + 1)
}

function readable(text: string): string {
  const plain = text.includes(ESCAPE) ? text.replace(SEQUENCES, replaced) : text
  const settled = plain.includes("\b") ? withoutBackspaces(plain) : plain
  return settled.replace(EACH_CONTROL, picture)
}

/** Going to the first column, and wiping the line, are what progress bars do instead of a carriage return. */
function replaced(_: string, parameters: string | undefined, final: string | undefined): string {
  if (final === "G" && /^[01]?$/.test(parameters ?? "")) return "\r"
  return final === "K" && parameters === "2" ? "\r" : ""
}

function withoutBackspaces(text: string): string {
  const kept: string[] = []
  for (const character of text) {
    if (character !== "\b") kept.push(character)
    else if (kept.length > 0 && kept.at(-1) !== "\n" && kept.at(-1) !== "\r") kept.pop()
  }
  return kept.join("")
}

function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (SILENT.includes(control)) return ""
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd"
}
