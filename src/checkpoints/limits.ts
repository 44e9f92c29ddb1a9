/** How much is kept, and how long it may take. Whoever comes to one of these is told what cannot be undone because of it. */
import type { WalkBudget } from "./tree.ts"

export interface CheckpointLimits {
  /** A larger file that a call says it touches is not kept. */
  fileBytes: number
  /** Of everything one task keeps. */
  taskBytes: number
  /** Around a command: looking through the folder, twice. */
  walk: WalkBudget
  /** Before a command: reading what git does not have, so much in any case. What is left over is read before the next one. */
  keep: { ms: number; atLeastBytes: number }
  /** A larger file is not kept before a command. */
  commandFileBytes: number
  /** Changes of one command that are noted. */
  changes: number
  /** What is fetched out of git's objects after a command. */
  rescue: { files: number; bytes: number; ms: number }
}

export const DEFAULT_CHECKPOINT_LIMITS: CheckpointLimits = {
  fileBytes: 64 * 1024 * 1024,
  taskBytes: 256 * 1024 * 1024,
  walk: { ms: 100, atLeast: 2_000, files: 50_000 },
  keep: { ms: 100, atLeastBytes: 4 * 1024 * 1024 },
  commandFileBytes: 1024 * 1024,
  changes: 5_000,
  rescue: { files: 1_000, bytes: 32 * 1024 * 1024, ms: 3_000 },
}
