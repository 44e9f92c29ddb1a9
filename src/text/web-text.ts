/** Bytes from the web as text: the encoding is the one a byte order mark, the server or the page itself names, else it is guessed. */
import { readText, readWindows1252, wideEncoding } from "./encoding.ts"

export function decodeWebText(bytes: Uint8Array, contentType: string): string {
  const isMarked = wideEncoding(bytes) !== undefined || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
  const named = isMarked ? undefined : (charsetOf(contentType) ?? metaCharset(bytes))
  if (named === undefined) return readText(bytes).text
  if (/^(?:windows-1252|cp1252|iso-?8859-1|latin-?1|us-ascii|ascii)$/i.test(named)) return readWindows1252(bytes)
  try {
    return new TextDecoder(named).decode(bytes)
  } catch {
    return readText(bytes).text // nobody knows that encoding
  }
}

function charsetOf(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType)?.[1]
}

/** Stands within the first bytes, in letters that every encoding has in common. */
function metaCharset(bytes: Uint8Array): string | undefined {
  const head = readWindows1252(bytes.subarray(0, 2048))
  return /<(?:meta[^>]{0,200}charset|\?xml[^>]{0,200}encoding)\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1]
}
