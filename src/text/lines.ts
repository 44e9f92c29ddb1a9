/**
 * Text as lines. A line ends with LF or CRLF; the last one may have no end, and a final line end does not start another
 * line. Joining what was split gives back the same text, character by character.
 */

export type LineEnd = "\n" | "\r\n" | ""

export interface Line {
  text: string
  end: LineEnd
}

export function splitLines(text: string): Line[] {
  return rawLines(text).map(toLine)
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.end).join("")
}

/** Lines with their ends still on. */
export function rawLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf("\n", start)
    const next = newline < 0 ? text.length : newline + 1
    lines.push(text.slice(start, next))
    start = next
  }
  return lines
}

export function toLine(raw: string): Line {
  const end = raw.endsWith("\r\n") ? "\r\n" : raw.endsWith("\n") ? "\n" : ""
  return { text: raw.slice(0, raw.length - end.length), end }
}

/** The end most lines have; LF where there is nothing to go by. */
export function mainLineEnd(lines: readonly Line[]): "\n" | "\r\n" {
  let balance = 0
  for (const { end } of lines) balance += end === "\r\n" ? 1 : end === "\n" ? -1 : 0
  return balance > 0 ? "\r\n" : "\n"
}

/** `N | text`, the numbers aligned to the right. */
export function numberLines(lines: readonly string[], first = 1): string {
  const width = String(first + lines.length - 1).length
  return lines.map((line, index) => `${String(first + index).padStart(width)} | ${line}`).join("\n")
}
