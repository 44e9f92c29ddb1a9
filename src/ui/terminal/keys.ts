/**
 * Bytes of a terminal → keys. Sequences may arrive in pieces; a paste comes as one key. Knows the classic sequences, those of
 * xterm with modifiers, and the kitty keyboard protocol.
 */

export interface Key {
  /** "text", "paste", or the name of a key: enter, escape, up, backspace, "c" with `ctrl` … */
  name: string
  /** Of text and paste. */
  text: string
  ctrl: boolean
  alt: boolean
  shift: boolean
}

export interface KeyReader {
  push(text: string): Key[]
  /** Something began that may be an escape sequence, or just the escape key. */
  readonly waits: boolean
  /** Nothing more came: what waits is what it looks like. */
  settle(): Key[]
}

const PASTE_BEGIN = "\u001b[200~"
const PASTE_END = "\u001b[201~"
/** Parameters, then the final letter. Bounded: no key has a longer one. */
const CSI = /^\u001b\[([0-9;:<=>?]{0,40})([A-Za-z~^$@u])/
const SS3 = /^\u001bO([A-Za-z])/
const UNFINISHED = /^\u001b(?:\[[0-9;:<=>?]{0,40}|O)?$/

const LETTERS: Record<string, string> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  I: "focus",
  M: "enter",
  O: "blur",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
}
const NUMBERS: Record<number, string> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "page-up",
  6: "page-down",
  7: "home",
  8: "end",
}
const CODES: Record<number, string> = {
  9: "tab",
  10: "enter",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  8: "backspace",
  57414: "enter",
}

export function keyReader(): KeyReader {
  let held = ""
  let pasted: string[] | undefined

  function readPaste(text: string): string {
    const end = text.indexOf(PASTE_END)
    if (end < 0) {
      const kept = partOfEnd(text)
      pasted?.push(text.slice(0, text.length - kept))
      held = text.slice(text.length - kept)
      return ""
    }
    pasted?.push(text.slice(0, end))
    return text.slice(end + PASTE_END.length)
  }

  function push(text: string): Key[] {
    const keys: Key[] = []
    let rest = held + text
    held = ""
    while (rest !== "") {
      if (pasted) {
        const before = rest
        rest = readPaste(rest)
        if (rest === "" && !before.includes(PASTE_END)) return keys
        keys.push(key("paste", { text: pasted.join("").replace(/\r\n?/g, "\n") }))
        pasted = undefined
      } else if (rest.startsWith(PASTE_BEGIN)) {
        pasted = []
        rest = rest.slice(PASTE_BEGIN.length)
      } else if (UNFINISHED.test(rest)) {
        held = rest
        return keys
      } else {
        const [read, length] = readKey(rest)
        if (read) keys.push(read)
        rest = rest.slice(length)
      }
    }
    return keys
  }

  return {
    push,
    get waits() {
      return held !== "" && !pasted
    },
    settle() {
      if (held === "" || pasted) return []
      const text = held
      held = ""
      if (text === "\u001b") return [key("escape")]
      return [key(text === "\u001bO" ? "O" : "[", { alt: true })]
    },
  }
}

/** How much of the end of a text may be the beginning of the end of a paste. */
function partOfEnd(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (PASTE_END.startsWith(text.slice(-length))) return length
  }
  return 0
}

/** The first key, if it means something, and how long it is. */
function readKey(text: string): [Key | undefined, number] {
  const csi = CSI.exec(text)
  if (csi) return [fromSequence(csi[1] ?? "", csi[2] ?? ""), csi[0].length]
  const ss3 = SS3.exec(text)
  if (ss3) return [named(LETTERS[ss3[1] ?? ""]), ss3[0].length]
  if (text.startsWith("\u001b")) {
    if (text[1] === "\u001b") return [key("escape"), 1]
    const [inner, length] = readKey(text.slice(1))
    return [inner && { ...inner, alt: true, name: inner.name === "text" ? inner.text : inner.name }, length + 1]
  }
  const code = text.codePointAt(0) ?? 0
  if (code === 0x7f || code === 8) return [key("backspace"), 1]
  if (code === 9) return [key("tab"), 1]
  if (code === 13) return [key("enter"), 1]
  if (code === 10) return [key("j", { ctrl: true }), 1]
  if (code === 0) return [key("space", { ctrl: true }), 1]
  if (code < 0x20) return [key(String.fromCharCode(code + 96), { ctrl: true }), 1]
  const typed = /^[^\u0000-\u001f\u007f]+/.exec(text)?.[0] ?? text.slice(0, 1)
  return [key("text", { text: typed }), typed.length]
}

function fromSequence(parameters: string, final: string): Key | undefined {
  if (/^[<=>?]/.test(parameters)) return undefined // an answer of the terminal, not a key
  const [first = 1, second = 1] = parameters.split(";").map((part) => Number(part.split(":")[0] || 1))
  const held = modifiers(second)
  if (final === "u") return fromCode(first, held)
  if (final === "Z") return key("tab", { shift: true })
  if (final === "~") {
    const third = Number(parameters.split(";")[2] ?? 0)
    return first === 27 ? fromCode(third, held) : named(NUMBERS[first], held)
  }
  return named(LETTERS[final], held)
}

function fromCode(code: number, held: Partial<Key>): Key | undefined {
  const name = CODES[code]
  if (name === "space" && !held.ctrl && !held.alt) return key("text", { text: " " })
  if (name) return key(name, held)
  if (code < 32 || code > 0x10ffff || (code >= 0xe000 && code <= 0xf8ff)) return undefined // a modifier by itself
  const text = String.fromCodePoint(code)
  return held.ctrl || held.alt ? key(text.toLowerCase(), held) : key("text", { text })
}

/** Encoded as one more than the sum of their bits. */
function modifiers(encoded: number): Partial<Key> {
  const bits = encoded - 1
  return { shift: (bits & 1) > 0, alt: (bits & 2) > 0, ctrl: (bits & 4) > 0 }
}

function named(name: string | undefined, held: Partial<Key> = {}): Key | undefined {
  return name === undefined ? undefined : key(name, held)
}

export function key(name: string, rest: Partial<Key> = {}): Key {
  return { name, text: "", ctrl: false, alt: false, shift: false, ...rest }
}
