/** Text as bytes of the encoding it was read from, so that a file that is not UTF-8 stays what it is. */
import { readText, readWindows1252, type TextEncoding } from "./encoding.ts"
import { BYTE_ORDER_MARK, type DecodedText, decodeUtf8 } from "./utf8.ts"

export interface EditableText extends DecodedText {
  encoding: TextEncoding
}

/** undefined when the bytes are no text, or could not be written back as they are. */
export function readEditable(bytes: Uint8Array): EditableText | undefined {
  const decoded = decodeUtf8(bytes)
  if (decoded) return { ...decoded, encoding: "UTF-8" }
  const { text, encoding, damaged } = readText(bytes)
  if (damaged || encoding === "UTF-8" || text.includes("\0")) return undefined
  const mark = encoding !== "Windows-1252" && hasMark(bytes) ? BYTE_ORDER_MARK : ""
  const again = writeBack(mark + text, encoding)
  return again instanceof Uint8Array && equal(again, bytes) ? { mark, text, encoding } : undefined
}

/** A character that the encoding does not have is given back instead. */
export function writeBack(text: string, encoding: TextEncoding): string | Uint8Array | { lacks: string } {
  switch (encoding) {
    case "UTF-8":
      return text
    case "UTF-16LE":
    case "UTF-16BE":
      return wide(text, { littleEndian: encoding === "UTF-16LE" })
    case "Windows-1252":
      return narrow(text)
  }
}

function wide(text: string, { littleEndian }: { littleEndian: boolean }): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), littleEndian)
  return new Uint8Array(view.buffer)
}

function narrow(text: string): Uint8Array | { lacks: string } {
  const bytes = new Uint8Array(text.length)
  const high = highCharacters()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const byte = code < 0x80 ? code : high.get(code)
    if (byte === undefined) return { lacks: String.fromCodePoint(text.codePointAt(at) ?? 0) }
    bytes[at] = byte
  }
  return bytes
}

function highCharacters(): Map<number, number> {
  const all = Uint8Array.from({ length: 128 }, (_, index) => 128 + index)
  return new Map([...readWindows1252(all)].map((character, index) => [character.charCodeAt(0), 128 + index]))
}

function hasMark([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}
