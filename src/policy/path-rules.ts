/** What a project says about its own files, and what holds where it says nothing. Paths are relative to the workspace. */
import { isCredential } from "./credentials.ts"
import { isProtected } from "./protected-files.ts"

export interface PathRules {
  /** Kept from the agent altogether. */
  isIgnored(path: string): boolean
  /** Writing there changes what later runs by itself: always asked. */
  isProtected(path: string): boolean
  /** Holds secrets: reading asks too. Judged by where the path really leads, and from the workspace. */
  isCredential?(real: string, relative?: string): boolean
  /** Put aside for the model to read, wherever it lies: words and results that were too long. */
  isForModel?(real: string): boolean
}

export const DEFAULT_PATH_RULES: PathRules = {
  isIgnored: () => false,
  isProtected,
  isCredential,
}
