/**
 * The index of a task's checkpoints: append-only, a JSON object per line, written before the call runs and after it ended. Several
 * tasks of a tree write to the same one: each line is a single append. A torn line is passed over, never the rest.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, type writeSync } from "node:fs"
import { join } from "node:path"
import { objectIn } from "../text/object-in.ts"
import type { Effect } from "../types/tool.ts"
import { makeStore } from "./objects.ts"
import type { Change, FileState } from "./state.ts"

export interface Kept {
  path: string
  was: FileState
}

export interface BeforeLine {
  type: "before"
  /** Pairs it with its end. */
  key: string
  at: string
  task: string
  turn: number
  tool: string
  effect: Effect
  /** The number of the latest event of the task's log when the call began. */
  seq: number
  /** What the call says it touches; before a command, every file that was not known so yet. */
  files: Kept[]
  /** Files that were known before an earlier command and are not there any more. */
  gone?: string[]
  /** Of a restore: how it will leave each of the files. */
  plan?: { path: string; to: FileState }[]
  /** Of a restore: the checkpoint it goes back to. */
  restores?: number
  /** Bytes in the store by now. The last member: it is read from the end of the file. */
  total: number
}

export interface AfterLine {
  type: "after"
  key: string
  at: string
  changes: Change[]
  total: number
}

export type Line = BeforeLine | AfterLine

const INDEX = "index.jsonl"
const TAIL_BYTES = 64 * 1024

export interface Journal {
  /** Written when it returns; throws the system's error. */
  append(line: Line, options?: { sync?: boolean }): void
}

/** `write` stands for the system's, so that a test can have a full disk. */
export function openJournal(folder: string, write: typeof writeSync): Journal {
  let whole: boolean | undefined
  return {
    append(line, { sync = false } = {}) {
      const file = openToAppend(folder)
      try {
        whole ??= endsWhole(folder)
        const bytes = Buffer.from(`${whole ? "" : "\n"}${JSON.stringify(line)}\n`)
        whole = false // until all of it is there
        whole = write(file, bytes) === bytes.length
        if (!whole) throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" })
        if (sync) fsyncSync(file)
      } finally {
        closeSync(file)
      }
    },
  }
}

export function readJournal(folder: string): Line[] {
  let text: string
  try {
    text = readFileSync(join(folder, INDEX), "utf8")
  } catch {
    return [] // no call has changed anything yet
  }
  return text.split("\n").flatMap((line) => {
    const found = objectIn(line)
    return isLine(found) ? [found] : []
  })
}

/** Bytes in the store, as the latest line says. */
export function storedBytes(folder: string): number {
  const found = [...tailOf(folder).matchAll(/"total":(\d{1,15})\}\n/g)].at(-1)
  return Number(found?.[1] ?? 0)
}

function isLine(found: unknown): found is Line {
  if (typeof found !== "object" || found === null || !("type" in found) || !("key" in found)) return false
  if (found.type === "before") return "files" in found && Array.isArray(found.files)
  return found.type === "after" && "changes" in found && Array.isArray(found.changes)
}

function openToAppend(folder: string): number {
  const path = join(folder, INDEX)
  try {
    return openSync(path, "a", 0o600)
  } catch {
    makeStore(folder)
    return openSync(path, "a", 0o600)
  }
}

function endsWhole(folder: string): boolean {
  const tail = tailOf(folder)
  return tail === "" || tail.endsWith("\n")
}

function tailOf(folder: string): string {
  try {
    const file = openSync(join(folder, INDEX), "r")
    try {
      const { size } = fstatSync(file)
      const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
      return tail.toString("utf8", 0, readSync(file, tail, 0, tail.length, size - tail.length))
    } finally {
      closeSync(file)
    }
  } catch {
    return ""
  }
}
