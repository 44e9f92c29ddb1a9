/** Keeps rule files within a number of bytes. The largest give way first, so that one huge file does not push out the small ones. */
import type { RuleFile } from "../types/project.ts"

/** Files that were cut carry `cutFrom`; none is left out. A file's `bytes` may be more than its text holds, when only its head was read. */
export function fitInto(files: readonly RuleFile[], maxBytes: number): RuleFile[] {
  const sizes = files.map(({ text }) => Buffer.byteLength(text))
  const level = levelFor(sizes, maxBytes)
  return files.map((file, index) => {
    const size = sizes[index] ?? 0
    const headOnly = file.bytes > maxBytes
    if (size <= level && !headOnly) return { ...file, bytes: size }
    const text = headOf(file.text, level)
    return { ...file, text, bytes: Buffer.byteLength(text), cutFrom: Math.max(file.bytes, size) }
  })
}

/** The size up to which each file may stay, so that all together fit. */
function levelFor(sizes: readonly number[], maxBytes: number): number {
  const ascending = sizes.toSorted((one, other) => one - other)
  let left = maxBytes
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (size > share) return Math.max(0, share)
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

/** Whole lines where there are any; never half a character. */
function headOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  const head = new TextDecoder("utf-8").decode(encoded.subarray(0, bytes), { stream: true })
  const lastLine = head.lastIndexOf("\n")
  return (lastLine > head.length / 2 ? head.slice(0, lastLine) : head).trimEnd()
}
