/** Turns what the operating system says into a HostError: a known code, and one line that a person or a model can act on. */
import { LONGEST_PATH } from "../text/path-forms.ts"
import { truncate } from "../text/truncate.ts"
import { HostError, type HostErrorCode } from "../types/host.ts"

const KNOWN: Record<string, { code: HostErrorCode; words: string }> = {
  ENOENT: { code: "not-found", words: "there is no such file or folder" },
  NOT_A_FILE: { code: "other", words: "this is neither a file nor a folder, but a device, a pipe or a socket" },
  OF_THE_KERNEL: { code: "no-access", words: "this belongs to the system itself; look at it with a command" },
  EISDIR: { code: "is-directory", words: "this is a folder, not a file" },
  ENOTDIR: { code: "not-directory", words: "a file stands where a folder is needed" },
  EEXIST: { code: "not-directory", words: "a file stands where a folder is needed" },
  EACCES: { code: "no-access", words: "permission denied" },
  EPERM: { code: "no-access", words: "permission denied" },
  EROFS: { code: "no-access", words: "the file system is read-only" },
  ENOSPC: { code: "no-space", words: "the disk is full; nothing was changed" },
  EDQUOT: { code: "no-space", words: "the disk quota is used up; nothing was changed" },
  ENAMETOOLONG: { code: "other", words: "the name is too long" },
  ELOOP: { code: "other", words: "its links go round in a circle" },
  EMFILE: { code: "other", words: "too many files are open" },
  ENFILE: { code: "other", words: "too many files are open" },
  EFBIG: { code: "other", words: "the file is too large" },
  EBUSY: { code: "other", words: "it is in use by something else" },
  EAGAIN: { code: "other", words: "nothing can be read from it now" },
  ENXIO: { code: "other", words: "this is neither a file nor a folder" },
  EIO: { code: "other", words: "the disk reported a read or write error" },
  ERR_FS_FILE_TOO_LARGE: { code: "other", words: "the file is too large to be read whole" },
  ERR_INVALID_ARG_VALUE: { code: "other", words: "the path contains a character that no path can have" },
}

type OwnErrno = "EISDIR" | "ENOTDIR" | "ENOENT" | "ELOOP" | "ENAMETOOLONG" | "NOT_A_FILE" | "OF_THE_KERNEL"

/** An error as the system would give it, for what we find out ourselves. */
export function systemError(errno: OwnErrno): Error {
  return Object.assign(new Error(errno), { code: errno })
}

/** `shown` is the path as people should read it. A HostError, and anything that is not an errno (a bug), pass unchanged. */
export function hostError(error: unknown, shown: string): unknown {
  const errno = errnoOf(error)
  if (errno === undefined) return error
  const known = KNOWN[errno] ?? { code: "other", words: `the system refuses (${errno})` }
  return refusalOf(known.code, shown, known.words)
}

/** The path stands before the words, short enough to be read and on one line. */
export function refusalOf(code: HostErrorCode, path: string, words: string): HostError {
  return new HostError(code, `${onOneLine(path)}: ${words}`, truncate(path, LONGEST_PATH))
}

const MOST_SHOWN = 300

/** A long path is cut in its middle; what would break the line, or turn it round, is written out. */
export function onOneLine(path: string): string {
  const head = path.length > MOST_SHOWN ? truncate(path, MOST_SHOWN / 3) : path
  const tail = path.length > MOST_SHOWN ? path.slice((-2 * MOST_SHOWN) / 3).replace(/^[\udc00-\udfff]/, "") : ""
  return `${head}${tail}`.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (letter) => {
    return letter === "\0" ? "\\0" : (SHORT[letter] ?? `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  })
}

const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof HostError) return undefined
  return "code" in error && typeof error.code === "string" ? error.code : undefined
}

/** Nothing is there: also when a part of the way is a file. */
export function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === "ENOENT" || errno === "ENOTDIR"
}
