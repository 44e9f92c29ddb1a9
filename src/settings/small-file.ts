/**
 * Reads a small text file that a person or a project wrote. Never blocks on a pipe or device somebody put in its place, never
 * reads without bound, and judges the very file it opened.
 */
import { constants, type Stats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"

export type SmallFile =
  | { found: "text"; text: string; stats: Stats }
  | { found: "nothing" }
  /** `problem` goes on from the file's name: "is not UTF-8 text". */
  | { found: "unusable"; problem: string }

export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile()) return { found: "unusable", problem: "is not a file" }
    if (stats.size > maxBytes) return { found: "unusable", problem: `is larger than ${Math.round(maxBytes / 1024)} KB` }
    return { found: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile()), stats }
  } catch (error) {
    return failure(error)
  } finally {
    await file?.close()
  }
}

function failure(error: unknown): SmallFile {
  const code = codeOf(error)
  if (code === "ENOENT" || code === "ENOTDIR") return { found: "nothing" }
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { found: "unusable", problem: "is not UTF-8 text" }
  return { found: "unusable", problem: `cannot be read (${code})` }
}

/** The system's word for what went wrong. */
export function codeOf(error: unknown): string {
  if (error instanceof Error) return "code" in error && typeof error.code === "string" ? error.code : error.message
  return String(error)
}
