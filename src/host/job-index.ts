/**
 * Which commands a task has run, in a file beside their outputs: found again after a restart. Whoever was running when Joey was
 * killed is ended here, recognised by mark, or by number and beginning, so that nobody else is.
 */
import { appendFileSync, readFileSync } from "node:fs"
import type { JobOutcome } from "../types/job.ts"
import { killMarked, signalGroup } from "./process-group.ts"
import { beginningOf, MARK } from "./process-table.ts"

export interface JobRecord {
  id: string
  command: string
  cwd: string
  startedAt: number
  pid: number
  /** When the process began, as the system says. */
  beginning?: string
  mark: string
  outcome?: JobOutcome
}

export function recordStart(file: string, record: JobRecord): void {
  appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

export function recordEnd(file: string, id: string, outcome: JobOutcome): void {
  appendFileSync(file, `${JSON.stringify({ id, outcome })}\n`, { mode: 0o600 })
}

/** Oldest first. A line that was cut off by a kill is passed over. */
export function readIndex(file: string): JobRecord[] {
  const records = new Map<string, JobRecord>()
  for (const line of textOf(file).split("\n")) {
    const entry = parsed(line)
    const known = entry && records.get(entry.id)
    if (known) known.outcome = entry.outcome
    else if (entry?.command !== undefined) records.set(entry.id, entry)
  }
  return [...records.values()]
}

/** Ends what the records say is running, though the Joey that ran it is gone. They are `lost` from now on. */
export function endOrphans(file: string, records: readonly JobRecord[]): void {
  const lost = records.filter(({ outcome }) => outcome === undefined)
  if (lost.length === 0) return
  const above = (process.env[MARK] ?? "").split("/") // we may run inside of what we would end
  killMarked(new Set(lost.map(({ mark }) => mark).filter((mark) => !above.includes(mark))))
  for (const record of lost) {
    const { id, pid, beginning, mark } = record
    if (beginning !== undefined && beginningOf(pid) === beginning && !above.includes(mark)) signalGroup(pid, "SIGKILL")
    record.outcome = { exitCode: null, ending: "lost" }
    recordEnd(file, id, record.outcome)
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return "" // none yet
  }
}

/** Only we write this file; what cannot be one of our lines is a torn one. */
function parsed(line: string): JobRecord | undefined {
  if (!line.startsWith("{") || !line.endsWith("}")) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
