/** Where the output of a command goes: into its file, up to a size. Never throws: what cannot be kept is told once. */
import { appendFileSync, statSync, truncateSync } from "node:fs"
import { errnoOf } from "./host-error.ts"

export interface OutputSink {
  readonly path: string
  push(bytes: Uint8Array): void
  /** Somebody else writes the file: is it full? Tells `onFull` then. */
  look(): boolean
  /** They have stopped: takes away what is too much. */
  trim(): void
}

export interface SinkPorts {
  /** The file has its largest size; nothing more is kept. */
  onFull(): void
  onLost(words: string): void
}

/** The file is not held open: what the command left in the background may print until the end of days. */
export function outputSink(path: string, mostBytes: number, { onFull, onLost }: SinkPorts): OutputSink {
  let room = mostBytes
  let losing = false
  return {
    path,
    push(bytes) {
      if (room <= 0) return
      const kept = bytes.subarray(0, room)
      room -= kept.length
      try {
        appendFileSync(path, kept)
      } catch (error) {
        if (!losing) onLost(`A part of its output is lost: ${errnoOf(error) === "ENOSPC" ? "the disk is full" : String(error)}.`)
        losing = true
      }
      if (room <= 0) onFull()
    },
    look() {
      if (room > 0 && sizeOf(path) > mostBytes) {
        room = 0
        onFull()
      }
      return room <= 0
    },
    trim() {
      try {
        if (sizeOf(path) > mostBytes) truncateSync(path, mostBytes)
      } catch {} // it is gone, then
    },
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
