/**
 * The processes a command started, as one: signalled together, wherever they have gone, and killed when we exit and somebody of
 * them is still there.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { findMembers } from "./process-table.ts"

export interface ProcessGroup {
  signal(signal: NodeJS.Signals): void
  /** Lets the members end in their own way for a while, then kills the rest. */
  end(graceMs: number): Promise<void>
  /** The command is over. What it left in the background still ends with us; says whether there is something. */
  leave(): boolean
}

const BETWEEN_LOOKS_MS = 30
/** What cannot be killed (it waits for a broken disk, say) is left alone after so many attempts. */
const MOST_ATTEMPTS = 30

/** Groups in which somebody may be. */
const groups = new Set<number>()
/** The marks of everything that was started. */
const marks = new Set<string>()

/** `id` is that of the process which leads the group, `mark` what it was marked with. */
export function processGroup(id: number, mark: string): ProcessGroup {
  forgetEmpty()
  groups.add(id)
  marks.add(mark)
  watchExit()
  const ours = new Set([mark])
  /** The number of an empty group may have been given to somebody else. */
  const members = () => findMembers(ours, groups.has(id) ? new Set([id]) : new Set())
  const signal = (name: NodeJS.Signals) => {
    if (groups.has(id)) signalGroup(id, name)
    for (const { pid, group } of members()) if (group !== id || !groups.has(id)) signalProcess(pid, name)
  }
  return {
    signal,
    async end(graceMs) {
      const deadline = Date.now() + graceMs
      while (members().length > 0 && Date.now() < deadline) await sleep(BETWEEN_LOOKS_MS)
      for (let attempt = 0; attempt < MOST_ATTEMPTS && members().length > 0; attempt++) {
        signal("SIGKILL")
        await sleep(BETWEEN_LOOKS_MS)
      }
    },
    leave() {
      forgetEmpty()
      return groups.has(id)
    },
  }
}

/** Ends whoever still carries one of these marks. For what an earlier run of Joey could not end itself. */
export function killMarked(ofOthers: ReadonlySet<string>): number {
  const found = findMembers(ofOthers, new Set())
  for (const { pid } of found) signalProcess(pid, "SIGKILL")
  return found.length
}

export function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  return signalProcess(-id, signal)
}

function forgetEmpty(): void {
  for (const id of groups) if (!isInhabited(id)) groups.delete(id)
}

/** From the first command on: what it left behind may have hidden from its group. */
function watchExit(): void {
  process.off("exit", killAll)
  process.on("exit", killAll)
}

function killAll(): void {
  for (const id of groups) signalGroup(id, "SIGKILL")
  // Somebody may start somebody else between the look and the blow.
  for (let attempt = 0; attempt < 3 && killMarked(marks) > 0; attempt++) {}
}

/** False when nobody is there to be signalled. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** In a container without a proper first process, the dead stay in their group for long: they do not count. */
function isInhabited(id: number): boolean {
  return signalGroup(id, 0) && findMembers(new Set(), new Set([id])).some(({ group }) => group === id)
}
