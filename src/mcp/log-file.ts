/** What a server says beside its messages, in a file of bounded size: when it is full, its older half makes room. Never throws. */
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { withoutHidden } from "./result.ts"

const LARGEST = 1024 * 1024

export interface ServerLog {
  readonly file: string
  write(text: string): void
  /** The last line it wrote itself, for a message about its end. */
  lastLine(): string
}

export function serverLogFile(folder: string, server: string): string {
  const plain = server.replace(/[^\w.-]+/g, "_").slice(0, 60)
  return join(folder, `${plain === "" || plain.startsWith(".") ? `_${plain}` : plain}.log`)
}

export function openServerLog(file: string): ServerLog {
  let last = ""
  return {
    file,
    write(text) {
      const clean = withoutHidden(text).trimEnd()
      if (clean === "") return
      if (!clean.startsWith("[joey]")) last = clean.slice(clean.lastIndexOf("\n") + 1).slice(0, 300)
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) halve(file)
        appendFileSync(file, `${clean.slice(0, LARGEST / 4)}\n`, { mode: 0o600 })
      } catch {
        // A full disk must not end a call.
      }
    },
    lastLine: () => last,
  }
}

function halve(file: string): void {
  const tail = readLogTail(file, LARGEST / 2)
  writeFileSync(file, tail.slice(tail.indexOf("\n") + 1), { mode: 0o600 })
}

/** The last bytes; "" when there is no such file. */
export function readLogTail(file: string, bytes: number): string {
  let opened: number | undefined
  try {
    opened = openSync(file, "r")
    const { size } = fstatSync(opened)
    const buffer = Buffer.alloc(Math.min(size, bytes))
    return buffer.subarray(0, readSync(opened, buffer, 0, buffer.length, size - buffer.length)).toString("utf8")
  } catch {
    return ""
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
