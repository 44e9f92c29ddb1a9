/**
 * One process that has the task open: a real task over a real log on the disk, with a front that follows it. Nothing in it waits
 * for real time, so that a task at rest is known to be at rest. It can die between any two things it does.
 */

import { emptyState, fold } from "../../src/task/fold.ts"
import { type Log, LogError, openLog } from "../../src/task/log.ts"
import type { PersonPorts } from "../../src/task/open.ts"
import { openTask } from "../../src/task/task.ts"
import type { TaskState } from "../../src/types/state.ts"
import type { Stations } from "../../src/types/stations.ts"
import type { Task } from "../../src/types/task.ts"
import { emptyView, reduce, type View } from "../../src/view/view.ts"

/** What its stations may know of a process. */
export interface Life {
  /** The fold of every event, made from the objects themselves. */
  readonly state: TaskState
  /** From here on it does nothing. */
  dead: boolean
  /** So many writes will fail. */
  full: number
}

export interface Process extends Life {
  readonly task: Task
  /** Of everything the task told, from the first event on. */
  readonly view: View
  /** It told of an end, and of nothing since. */
  readonly resting: boolean
}

export interface ProcessParts {
  logFile: string
  reminders: number
  stations(life: Life, ports: PersonPorts): Stations
  /** Told of each event that is in the log now. */
  onWritten(life: Life): void
  onViewFailed(error: unknown): void
}

/** Undefined when it died before the task was open. */
export function startProcess({ logFile, reminders, stations, onWritten, onViewFailed }: ProcessParts): Process | undefined {
  const opened = openLog(logFile)
  const life: Life = { state: emptyState(), dead: false, full: 0 }
  for (const event of opened.events) fold(life.state, event)
  try {
    const task = openTask({
      id: "task-1",
      workspace: "/workspace",
      mode: "code",
      protocol: "native",
      opened: { ...opened, log: watchedLog(opened.log, life, onWritten) },
      settings: { reminders, preventCompletionWithOpenTodos: false, approvalLastsMs: 3_600_000 },
      stations: (ports) => stations(life, ports),
      release() {},
    })
    const process = Object.assign(life, { task, view: emptyView, resting: false })
    follow(process).catch(onViewFailed)
    return process
  } catch (error) {
    if (!life.dead) throw error
    opened.log.close()
    return undefined
  }
}

function watchedLog(real: Log, life: Life, onWritten: (life: Life) => void): Log {
  const refuseDead = (): void => {
    if (life.dead) throw new Error("the process is dead")
  }
  return {
    ...real,
    get lastSeq() {
      return real.lastSeq
    },
    append(event) {
      refuseDead()
      if (life.full > 0) {
        life.full--
        throw new LogError("The task's log cannot be written (the disk is full).")
      }
      const recorded = real.append(event)
      fold(life.state, recorded)
      onWritten(life)
      refuseDead()
      return recorded
    },
    sync: async () => {},
  }
}

/** As a front does: what was, then what happens. */
async function follow(process: { task: Task; view: View; resting: boolean }): Promise<void> {
  for await (const event of process.task.events(0)) {
    process.view = reduce(process.view, event)
    if (event.type === "task-finished") process.resting = true
    else if (event.type === "task-resumed" || event.type === "turn-started") process.resting = false
  }
}
