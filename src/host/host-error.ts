/** Turns what the operating system says into a HostError: a known code, and one line that a person or a model can act on. */
import { HostError, type HostErrorCode } from "../types/host.ts"

const KNOWN: Record<string, { code: HostErrorCode; words: string }> = {
  ENOENT: { code: "not-found", words: "there is no such file or folder" },
  NOT_A_FILE: { code: "other", words: "this is neither a file nor a folder" },
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
  EIO: { code: "other", words: "the disk reported a read or write error" },
  ERR_FS_FILE_TOO_LARGE: { code: "other", words: "the file is too large to be read whole" },
  ERR_INVALID_ARG_VALUE: { code: "other", words: "the path contains a character that no path can have" },
}

/** An error as the system would give it, for what we find out ourselves. */
export function systemError(errno: "EISDIR" | "ENOTDIR" | "ELOOP" | "NOT_A_FILE"): Error {
  return Object.assign(new Error(errno), { code: errno })
}

/** `shown` is the path as people should read it. A HostError, and anything that is not an errno (a bug), pass unchanged. */
export function hostError(error: unknown, shown: string): unknown {
  const errno = errnoOf(error)
  if (errno === undefined) return error
  const known = KNOWN[errno] ?? { code: "other", words: `the system refuses (${errno})` }
  return new HostError(known.code, `${shown.replaceAll("\0", "\\0")}: ${known.words}`, shown)
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof HostError) return undefined
  return "code" in error && typeof error.code === "string" ? error.code : undefined
}

/** Nothing is there: also when a part of the way is a file. */
export function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === "ENOENT" || errno === "ENOTDIR"
}
