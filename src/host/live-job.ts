/** One command of a task while it runs, and what can still be done with it when it is over. */
import { join } from "node:path"
import { HostError } from "../types/host.ts"
import type { Job, JobOutcome, JobWait } from "../types/job.ts"
import { type JobRecord, recordEnd } from "./job-index.ts"
import type { JobProcess } from "./job-process.ts"
import { outputFile } from "./output-file.ts"
import { searchOutput } from "./output-search.ts"
import type { ProcessGroup } from "./process-group.ts"

/** What a job keeps of its output for a result; about 5,000 tokens. The end of an output tells more than its beginning. */
const KEPT = { head: 6000, tail: 14_000 }
const GRACE_MS = 1500
const GLANCE_MS = 100
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface JobGround {
  folder: string
  index: string
  ripgrep(): Promise<string>
}

export interface Living {
  ground: JobGround
  record: JobRecord
  child: JobProcess
  group: ProcessGroup
  notices: readonly string[]
  /** It ended, nobody waits for it and nobody has killed it. */
  onEnd(): void
  limitMs: number | undefined
}

export interface LiveJob extends Job {
  /** It has filled its file. */
  stopPrinting(): void
}

export function liveJob(living: Living): LiveJob {
  const { record, child, notices } = living
  const past = pastJob(living.ground, record)
  const life = liveUntilItEnds(living, past)
  return {
    ...past,
    notices,
    get outcome() {
      return life.outcome()
    },
    get bytes() {
      return past.bytes
    },
    wait: life.wait,
    async write(text) {
      if (life.outcome()) return past.write(text)
      if (!child.write) throw new HostError("other", `${record.id} has no input; only a command on a terminal can be written to`)
      await child.write(text)
    },
    kill: () => life.stop("killed"),
    stopPrinting: () => void life.stop("too-much"),
  }
}

function liveUntilItEnds({ ground, child, group, onEnd, limitMs }: Living, past: Job) {
  let outcome: JobOutcome | undefined
  let reason: JobOutcome["ending"] = "exited"
  let waiting = 0
  let stopping: Promise<JobOutcome> | undefined

  const settle = ({ exitCode, signal }: { exitCode: number | null; signal?: string }) => {
    if (outcome) return
    const left = group.leave() && reason === "exited"
    outcome = { exitCode, ...(signal && { signal }), ending: reason, ...(left && { leftRunning: true }) }
    clearTimeout(limit)
    keepInMind(ground, past.id, outcome)
    if (waiting === 0 && reason !== "killed") onEnd()
  }
  const ended = child.ended.then(settle)

  const end = async (): Promise<JobOutcome> => {
    group.signal("SIGTERM")
    await group.end(GRACE_MS)
    // What waits for a broken disk dies when the disk answers, not before.
    const patience = setTimeout(() => settle({ exitCode: null, signal: "SIGKILL" }), GRACE_MS)
    await ended
    clearTimeout(patience)
    const { leftRunning: _, ...over } = outcome ?? { exitCode: null, ending: reason }
    outcome = over
    return over
  }
  const stop = (why: JobOutcome["ending"]) => {
    if (!outcome && reason === "exited") reason = why
    stopping ??= end()
    return stopping
  }
  const late = () => void stop("out-of-time")
  const limit = limitMs === undefined ? undefined : setTimeout(late, Math.min(limitMs, LONGEST_TIMER_MS)).unref()

  return {
    outcome: () => outcome,
    stop,
    async wait(options: JobWait = {}) {
      if (outcome) return true
      waiting++
      try {
        await until(ended, options, () => past.bytes)
      } finally {
        waiting--
      }
      return outcome !== undefined
    },
  }
}

/** If the disk is full, the next run takes the job for lost, and nothing else is. */
function keepInMind(ground: JobGround, id: string, outcome: JobOutcome): void {
  try {
    recordEnd(ground.index, id, outcome)
  } catch {}
}

/** A job that is over, as far as its record and its file tell. */
export function pastJob(ground: JobGround, { id, command, cwd, startedAt, outcome }: JobRecord): Job {
  const output = outputFile(join(ground.folder, `${id}.txt`), KEPT)
  const over = outcome ?? { exitCode: null, ending: "lost" }
  return {
    id,
    command,
    cwd,
    startedAt,
    notices: [],
    outcome: over,
    outputFile: output.path,
    get bytes() {
      return output.bytes
    },
    printed: output.printed,
    news: output.news,
    read: output.read,
    search: async (pattern, { most, signal }) =>
      searchOutput({ ripgrep: await ground.ripgrep(), path: output.path, pattern, most, ...(signal && { signal }) }),
    wait: async () => true,
    write: () => Promise.reject(new HostError("other", `${id} is over; it takes no input any more`)),
    kill: async () => over,
  }
}

/** Until it ends, the time is over or the signal aborts. */
function until(ended: Promise<void>, { ms, signal, onOutput }: JobWait, bytes: () => number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0
    const look = () => {
      const now = bytes()
      if (now !== seen) onOutput?.()
      seen = now
    }
    const done = () => {
      clearInterval(glance)
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
    const glance = onOutput && setInterval(look, GLANCE_MS)
    const timer = ms === undefined ? undefined : setTimeout(done, Math.min(ms, LONGEST_TIMER_MS))
    signal?.addEventListener("abort", done)
    if (signal?.aborted) done()
    void ended.then(done)
  })
}
