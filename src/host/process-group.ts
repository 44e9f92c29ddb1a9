/** The processes a command started, as one: signalled together, and killed when we exit and somebody of them is still there. */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

export interface ProcessGroup {
  signal(signal: NodeJS.Signals): void
  /** Lets the members end in their own way for a while, then kills the rest. */
  end(graceMs: number): Promise<void>
  /** The command is over. What it left in the background still ends with us. */
  leave(): void
}

const groups = new Set<number>()

export function processGroup(id: number): ProcessGroup {
  forgetEmpty()
  groups.add(id)
  watchExit()
  return {
    signal: (signal) => signalGroup(id, signal),
    async end(graceMs) {
      const deadline = Date.now() + graceMs
      while (isInhabited(id) && Date.now() < deadline) await sleep(30)
      signalGroup(id, "SIGKILL")
    },
    leave() {
      forgetEmpty()
      watchExit()
    },
  }
}

/** The system may give the number of an empty group to somebody else. */
function forgetEmpty(): void {
  for (const id of groups) if (!isInhabited(id)) groups.delete(id)
}

function watchExit(): void {
  process.off("exit", killAll)
  if (groups.size > 0) process.on("exit", killAll)
}

function killAll(): void {
  for (const id of groups) signalGroup(id, "SIGKILL")
}

/** False when nobody is there to be signalled. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal)
  } catch {
    return false
  }
}

/** In a container without a proper first process, the dead stay in their group for long: they do not count. */
function isInhabited(id: number): boolean {
  if (!signalGroup(id, 0)) return false
  if (process.platform !== "linux") return true
  return readdirSync("/proc").some((pid) => /^\d/.test(pid) && isLivingMember(pid, id))
}

function isLivingMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state, , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return itsGroup === String(group) && state !== "Z" && state !== "X"
  } catch {
    return false // gone while we looked
  }
}
