/** Reads bytes as UTF-8 without losing any: a byte order mark is kept aside, and what is not UTF-8 is not guessed at. */

export const BYTE_ORDER_MARK = "\uFEFF"

export interface DecodedText {
  /** What must stand before the text again when it is written back. */
  mark: "" | typeof BYTE_ORDER_MARK
  text: string
}

/** undefined when the bytes are not UTF-8: writing them back as text would destroy them. */
export function decodeUtf8(bytes: Uint8Array): DecodedText | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, text: text.slice(1) } : { mark: "", text }
  } catch {
    return undefined
  }
}
