/**
 * Real pipes for the output of commands. What Node makes for its children are sockets: a script that opens /dev/stderr fails on
 * them, and on a file it would wipe what is there. One pipe for both streams keeps the order in which they were written.
 */
import { execFile } from "node:child_process"
import { closeSync, constants, openSync, readdirSync, rmSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

/** Made at once, for making one costs a process. */
const BATCH = 8
const PREFIX = "pipe-"

export interface RealPipe {
  /** For the child. */
  write: number
  /** The child has its end: let go of ours, and read. */
  reader(): Socket
  /** Another end to read from, for somebody who takes over. */
  other: number
  drop(): void
}

export interface PipeStore {
  /** undefined where there are none to be had. */
  take(): Promise<RealPipe | undefined>
  /** Removes what nobody took. */
  close(): void
}

export function pipeStore(folder: string): PipeStore {
  const ready: string[] = []
  let made = 0
  let making: Promise<boolean> | undefined

  /** False when none can be made: no such program, or a folder that cannot hold any. */
  async function make(): Promise<boolean> {
    if (made === 0) removeLeftovers(folder)
    const paths = Array.from({ length: BATCH }, () => join(folder, `${PREFIX}${++made}`))
    try {
      await promisify(execFile)("mkfifo", ["-m", "600", ...paths], { env: { PATH: process.env["PATH"] } })
      ready.push(...paths)
      return true
    } catch {
      return false
    } finally {
      making = undefined
    }
  }

  return {
    async take() {
      while (ready.length === 0) {
        making ??= make()
        if (!(await making)) return undefined
      }
      return openPipe(ready.shift() ?? "")
    },
    close() {
      for (const path of ready.splice(0)) rmSync(path, { force: true })
    },
  }
}

/** Of a run that was killed. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(PREFIX)) rmSync(join(folder, name), { force: true })
}

function openPipe(path: string): RealPipe | undefined {
  const ends: number[] = []
  const end = (flags: number) => {
    const opened = openSync(path, flags)
    ends.push(opened)
    return opened
  }
  const drop = () => {
    for (const opened of ends) closeSync(opened)
  }
  try {
    const read = end(constants.O_RDONLY | constants.O_NONBLOCK) // the first must not wait for a writer
    const write = end(constants.O_WRONLY)
    const other = end(constants.O_RDONLY)
    const reader = () => {
      closeSync(write)
      return new Socket({ fd: read, readable: true, writable: false })
    }
    return { write, other, reader, drop }
  } catch {
    drop()
    return undefined
  } finally {
    rmSync(path, { force: true })
  }
}
