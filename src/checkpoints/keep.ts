/** Keeps what stands at a place. What cannot be kept is described all the same, with the reason. */
import { sizeWords } from "../text/size-words.ts"
import type { CheckpointLimits } from "./limits.ts"
import { look } from "./look.ts"
import type { ObjectStore } from "./objects.ts"
import type { FileState } from "./state.ts"

export interface Keeper {
  /** Bytes of the task's store by now. */
  total(): number
  /** Never rejects. */
  keep(path: string, most: number): Promise<FileState>
  /** Content that was found elsewhere. */
  keepContent(content: Uint8Array, state: FileState & { kind: "file" }): Promise<FileState>
}

export function keeper(store: ObjectStore, limits: CheckpointLimits, before: () => number): Keeper {
  const total = () => before() + store.added

  async function keepContent(content: Uint8Array, { unkept: _, ...state }: FileState & { kind: "file" }): Promise<FileState> {
    if (total() > limits.taskBytes) {
      return { ...state, unkept: `this task's checkpoints hold ${sizeWords(limits.taskBytes)} already` }
    }
    try {
      await store.keep(content, { blob: state.blob })
      return state
    } catch (error) {
      return { ...state, unkept: reasonOf(error) }
    }
  }

  return {
    total,
    keepContent,
    async keep(path, most) {
      try {
        const { state, content } = await look(path, most)
        return content && state.kind === "file" ? await keepContent(content, state) : state
      } catch (error) {
        return { kind: "file", blob: "", mode: 0, size: 0, unkept: reasonOf(error) }
      }
    },
  }
}

/** An error of the file system, in a few words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (code === "ENOSPC") return "the disk is full"
  if (code === "EDQUOT") return "the disk quota is used up"
  if (code === "EACCES" || code === "EPERM") return "permission denied"
  if (code === "EROFS") return "the file system is read-only"
  return code || (error instanceof Error ? error.message : String(error))
}
