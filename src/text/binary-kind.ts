/** Tells from a file's first bytes whether it is something else than text, and what, in words for a reader. */

/** How many bytes are enough to tell. */
export const SNIFF_BYTES = 4096

/** Kind, where its signature stands, and the signature, one character per byte. */
const signatures: readonly [kind: string, offset: number, signature: string][] = [
  ["PNG image", 0, "\x89PNG"],
  ["JPEG image", 0, "\xff\xd8\xff"],
  ["GIF image", 0, "GIF8"],
  ["WebP image", 8, "WEBPVP8"],
  ["AVIF image", 4, "ftypavif"],
  ["TIFF image", 0, "II*\x00"],
  ["TIFF image", 0, "MM\x00*"],
  ["icon", 0, "\x00\x00\x01\x00"],
  ["PDF document", 0, "%PDF-"],
  ["ZIP archive (docx, xlsx and jar are such)", 0, "PK\x03\x04"],
  ["gzip archive", 0, "\x1f\x8b"],
  ["xz archive", 0, "\xfd7zXZ\x00"],
  ["Zstandard archive", 0, "\x28\xb5\x2f\xfd"],
  ["ELF program", 0, "\x7fELF"],
  ["Mach-O program", 0, "\xcf\xfa\xed\xfe"],
  ["Java class file", 0, "\xca\xfe\xba\xbe"],
  ["WebAssembly module", 0, "\x00asm"],
  ["SQLite database", 0, "SQLite format 3\x00"],
  ["UTF-16 text", 0, "\xff\xfe"],
  ["UTF-16 text", 0, "\xfe\xff"],
]

/** undefined for text. */
export function binaryKind(head: Uint8Array): string | undefined {
  const known = signatures.find(([, offset, signature]) => {
    return String.fromCharCode(...head.subarray(offset, offset + signature.length)) === signature
  })
  return known?.[0] ?? (head.includes(0) ? "binary file" : undefined)
}
