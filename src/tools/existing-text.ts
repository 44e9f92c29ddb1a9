/** The text of a file a tool is about to change, or the reason why there is none. */
import type { TextEncoding } from "../text/encoding.ts"
import { readEditable, writeBack } from "../text/write-back.ts"
import type { Host } from "../types/host.ts"
import { ToolError } from "../types/tool.ts"

export interface FoundText {
  kind: "text"
  /** What must stand before the text again when it is written back. */
  mark: string
  text: string
  encoding: TextEncoding
  bytes: Uint8Array
}

export type ExistingText = FoundText | { kind: "absent" } | { kind: "unreadable"; reason: string; bytes?: Uint8Array }

const MOST_BYTES = 50_000_000
const MOST_LINES = 2_000_000
const NEWLINE = 0x0a

/** Folders, devices and pipes are no files to change, whatever the tool. */
export async function existingText(path: string, host: Host): Promise<ExistingText> {
  const facts = await host.stat(path)
  if (facts?.kind === "directory" || path.endsWith("/")) throw new ToolError(`${path} is a folder, not a file.`)
  if (!facts) return { kind: "absent" }
  if (facts.kind === "other") throw new ToolError(`${path} is not a regular file.`)
  if (facts.size > MOST_BYTES) return { kind: "unreadable", reason: `is too large (${facts.size} bytes)` }
  const bytes = await host.readFile(path)
  if (hasTooManyLines(bytes)) return { kind: "unreadable", reason: `has more than ${MOST_LINES} lines`, bytes }
  const editable = readEditable(bytes)
  return editable ? { kind: "text", ...editable, bytes } : { kind: "unreadable", reason: "is not text", bytes }
}

/** The text as the file has it: its mark, its encoding. */
export function encoded(path: string, { mark, encoding }: FoundText, text: string): string | Uint8Array {
  const content = writeBack(mark + text, encoding)
  if (typeof content === "string" || content instanceof Uint8Array) return content
  throw new ToolError(`${path} is ${encoding}, which has no "${content.lacks}". Nothing was changed. Write it in another way.`)
}

function hasTooManyLines(bytes: Uint8Array): boolean {
  if (bytes.length < MOST_LINES) return false
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && lines <= MOST_LINES; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines > MOST_LINES
}
