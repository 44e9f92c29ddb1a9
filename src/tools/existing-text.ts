/** The text of a file a tool is about to change, or the reason why there is none. */
import { type DecodedText, decodeUtf8 } from "../text/utf8.ts"
import type { Host } from "../types/host.ts"
import { ToolError } from "../types/tool.ts"

export type ExistingText = ({ kind: "text" } & DecodedText) | { kind: "absent" } | { kind: "unreadable"; reason: string }

const MOST_BYTES = 50_000_000

/** Folders, devices and pipes are no files to change, whatever the tool. */
export async function existingText(path: string, host: Host): Promise<ExistingText> {
  const facts = await host.stat(path)
  if (facts?.kind === "directory" || path.endsWith("/")) throw new ToolError(`${path} is a folder, not a file.`)
  if (!facts) return { kind: "absent" }
  if (facts.kind === "other") throw new ToolError(`${path} is not a regular file.`)
  if (facts.size > MOST_BYTES) return { kind: "unreadable", reason: `is too large (${facts.size} bytes)` }
  const decoded = decodeUtf8(await host.readFile(path))
  return decoded ? { kind: "text", ...decoded } : { kind: "unreadable", reason: "is not UTF-8 text" }
}
