/**
 * The processes of this machine, as far as they concern us: who descends from whom, and who carries the mark of a command that we
 * started. The mark stands in the environment, so it is found on children that left their group and session, too.
 */
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"

/** Holds the mark of the command; that of a Joey which runs inside a command of another stands behind the other's. */
export const MARK = "JOEY_JOB"

export interface ProcessEntry {
  pid: number
  parent: number
  group: number
}

export function newMark(): string {
  return randomBytes(6).toString("hex")
}

/** What a command's environment gets, besides the rest. */
export function marked(mark: string, ours: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return { [MARK]: ours[MARK] ? `${ours[MARK]}/${mark}` : mark }
}

/** Everybody who belongs to one of the marks or groups, and everybody they started. We ourselves never do. */
export function findMembers(marks: ReadonlySet<string>, groups: ReadonlySet<number>): ProcessEntry[] {
  const table = listProcesses()
  const members = new Set<number>()
  for (const { pid, group } of table) if (groups.has(group) || isMarked(pid, marks)) members.add(pid)
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return table.filter(({ pid }) => members.has(pid))
}

/** When the process began, in words of the system: a number that was given to somebody else does not have the same. */
export function beginningOf(pid: number): string | undefined {
  if (process.platform === "linux") return statOf(pid)?.[19]
  return run("ps", ["-o", "lstart=", "-p", String(pid)]).trim() || undefined
}

/** The dead that nobody has buried yet do not count. */
function listProcesses(): ProcessEntry[] {
  if (process.platform !== "linux") return fromPs(run("ps", ["-axo", "pid=,ppid=,pgid=,stat="]))
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name)
    const [state = "Z", parent, group] = (Number.isInteger(pid) && statOf(pid)) || []
    return state === "Z" || state === "X" ? [] : [{ pid, parent: Number(parent), group: Number(group) }]
  })
}

function fromPs(text: string): ProcessEntry[] {
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, state = "Z"] = line.trim().split(/\s+/)
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent), group: Number(group) }]
  })
}

/** The fields behind the name, which may contain anything. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined // gone while we looked
  }
}

/** Only Linux lets us look; elsewhere descent and group must do. */
function isMarked(pid: number, marks: ReadonlySet<string>): boolean {
  if (process.platform !== "linux" || marks.size === 0) return false
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1")
    const at = environment.startsWith(`${MARK}=`) ? 0 : environment.indexOf(`\0${MARK}=`) + 1
    if (at === 0 && !environment.startsWith(`${MARK}=`)) return false
    const [value = ""] = environment.slice(at + MARK.length + 1, at + 4096).split("\0", 1)
    return value.split("/").some((mark) => marks.has(mark))
  } catch {
    return false // gone, or somebody else's
  }
}

function run(program: string, args: string[]): string {
  return spawnSync(program, args, { encoding: "utf8", timeout: 5000 }).stdout ?? ""
}
