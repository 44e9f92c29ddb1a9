/**
 * Reads bytes as text whatever their encoding: UTF-8, UTF-16 by its mark or by where its zeros stand, else Windows-1252, which
 * contains Latin-1. For reading only: what was not UTF-8 cannot be written back from here.
 */

export type TextEncoding = "UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252"

export interface ReadText {
  /** Without a byte order mark. */
  text: string
  encoding: TextEncoding
  /** Bytes that fit nowhere stand as U+FFFD. */
  damaged: boolean
}

export function readText(bytes: Uint8Array): ReadText {
  const wide = wideEncoding(bytes)
  if (wide) {
    const text = new TextDecoder(wide).decode(bytes)
    return { text, encoding: wide, damaged: text.includes(REPLACEMENT) }
  }
  const text = new TextDecoder().decode(bytes)
  if (!text.includes(REPLACEMENT)) return { text, encoding: "UTF-8", damaged: false }
  if (isMostlyUtf8(text) || isValidUtf8(bytes)) return { text, encoding: "UTF-8", damaged: !isValidUtf8(bytes) }
  return { text: readWindows1252(bytes), encoding: "Windows-1252", damaged: false }
}

const SAMPLE = 2048

/** Enough of a file's beginning is enough. undefined: one byte is at least a part of a character of its own. */
export function wideEncoding(head: Uint8Array): "UTF-16LE" | "UTF-16BE" | undefined {
  const [first, second, third, fourth] = head
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? undefined : "UTF-16LE" // else UTF-32, which nobody uses
  if (first === 0xfe && second === 0xff) return "UTF-16BE"
  const pairs = Math.min(head.length, SAMPLE) >> 1
  let low = 0
  let high = 0
  for (let at = 0; at < pairs; at++) {
    if (head[2 * at] === 0) high++
    if (head[2 * at + 1] === 0) low++
  }
  if (pairs < 4) return undefined
  // Text without a mark: most characters are Latin, so that every other byte is zero and hardly one of the rest.
  if (low > pairs * 0.7 && high <= pairs * 0.02) return "UTF-16LE"
  return high > pairs * 0.7 && low <= pairs * 0.02 ? "UTF-16BE" : undefined
}

const REPLACEMENT = "\uFFFD"

function isValidUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Eight-bit text hardly ever makes a valid sequence, so a few broken bytes between many valid ones are damage. */
function isMostlyUtf8(text: string): boolean {
  let broken = 0
  let whole = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) broken++
    else if (code > 0x7f) whole++
  }
  return whole >= 2 * broken
}

/** What Windows-1252 has where Latin-1 has controls. Spelled out: some versions of Node decode it as if it were Latin-1. */
const WINDOWS_HIGH = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
const BLOCK = 8192

export function readWindows1252(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK))
  return text.replace(/[\u0080-\u009f]/g, (control) => WINDOWS_HIGH[control.charCodeAt(0) - 0x80] ?? control)
}
