/** How one place in the file system looks: what is compared, kept and put back. */
import { sizeWords } from "../text/size-words.ts"

export type FileState =
  /** `folders`: those above it that were missing too, the innermost first. */
  | { kind: "absent"; folders?: string[] }
  /** `unkept`: why what it held is not in the store. */
  | { kind: "file"; blob: string; mode: number; size: number; unkept?: string }
  /** Too large to be read: known by its size and times only, and never kept. */
  | { kind: "huge"; stamp: string; mode: number; size: number }
  /** The link itself, wherever it leads. */
  | { kind: "link"; target: string }
  /** A folder, a pipe, a device: nothing that is kept or put back. */
  | { kind: "other" }

export interface Change {
  path: string
  was: FileState
  /** How the call left it; absent when nobody saw its end. */
  is?: FileState
}

export function sameState(one: FileState, other: FileState): boolean {
  switch (one.kind) {
    case "absent":
    case "other":
      return other.kind === one.kind
    case "file":
      return other.kind === "file" && other.blob === one.blob && other.mode === one.mode
    case "huge":
      return other.kind === "huge" && other.stamp === one.stamp && other.mode === one.mode
    case "link":
      return other.kind === "link" && other.target === one.target
  }
}

/** undefined when it can be put back, else why not. */
export function lostBecause(state: FileState): string | undefined {
  switch (state.kind) {
    case "file":
      return state.unkept
    case "huge":
      return `it was too large to be kept (${sizeWords(state.size)})`
    case "other":
      return "it was no file"
    default:
      return undefined
  }
}

/** Git keeps its own history, and nobody but git writes there. */
export function isInsideGit(path: string): boolean {
  return path.split(/[\\/]/).some((name) => name.toLowerCase() === ".git")
}
