/**
 * Subtasks of a task: each is an ordinary task that answers a call of its parent. The parent's log names it before it exists, so that
 * after a restart the same call finds the same subtask and goes on with it.
 */
import { existsSync } from "node:fs"
import { findMode } from "../modes/groups.ts"
import { foldLog } from "../task/fold.ts"
import { readLog } from "../task/log.ts"
import { type PersonPorts, TaskClosing } from "../task/open.ts"
import { newTaskId, taskFiles } from "../task/store.ts"
import type { Ending, TaskEvent } from "../types/event.ts"
import type { LimitSettings } from "../types/settings.ts"
import type { Todo } from "../types/show.ts"
import type { TaskState } from "../types/state.ts"
import type { Delegation, SubtaskOutcome, SubtaskPort } from "../types/subtask.ts"
import type { Command, Task } from "../types/task.ts"
import { ToolError } from "../types/tool.ts"
import type { Project } from "./load-project.ts"

/** A subtask may have subtasks, but not without end. */
const DEEPEST = 5
const MOST_AT_ONCE = 4

export interface SubtaskOpening {
  id: string
  parent: { task: string; callKey: string }
  mode: string
  todos: readonly Todo[]
  limits: Partial<LimitSettings>
}

export interface SubtaskParts {
  task: string
  home: string
  depth: number
  /** Opens the task of this id, a new one or one that was begun before. */
  open(opening: SubtaskOpening): Promise<Task>
}

export interface Subtasks {
  /** Hands a command to a subtask that runs now, at any depth. */
  send(task: string, command: Command): boolean
  port(ports: PersonPorts, project: () => Project, left: () => Partial<LimitSettings>): SubtaskPort
}

/** All subtasks of one task while a process has it open. */
interface Nursery extends SubtaskParts {
  running: Map<string, Task>
  /** The subtask that runs, by the id of each task below it. */
  below: Map<string, Task>
  /** Places that are taken, also by those that are just being opened. */
  taken: number
  /** Whoever waits for one, in the order in which they came. */
  waiting: Set<() => void>
}

export function openSubtasks(parts: SubtaskParts): Subtasks {
  const nursery: Nursery = { ...parts, running: new Map(), below: new Map(), taken: 0, waiting: new Set() }
  return {
    send(task, command) {
      const child = nursery.running.get(task) ?? nursery.below.get(task)
      child?.send(command)
      return child !== undefined
    },
    port: (ports, project, left) => ({
      async delegate(delegation, signal) {
        if (parts.depth >= DEEPEST) throw new ToolError(`Subtasks may be nested ${DEEPEST} deep; do this yourself.`)
        const { modes } = project()
        if (!findMode(modes, delegation.mode)) {
          throw new ToolError(`There is no mode "${delegation.mode}". Modes: ${modes.map(({ slug }) => slug).join(", ")}.`)
        }
        const limits = shareOf(left(), ports.state(), delegation.callKey)
        await takePlace(nursery, signal)
        try {
          const outcome = await answerCall(nursery, { delegation, limits, ports, signal })
          signal.throwIfAborted()
          return outcome
        } finally {
          nursery.taken--
          wakeNext(nursery)
        }
      },
    }),
  }
}

async function takePlace(nursery: Nursery, signal: AbortSignal): Promise<void> {
  const { waiting } = nursery
  while (nursery.taken >= MOST_AT_ONCE && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake)
        waiting.delete(wake)
        resolve()
      }
      waiting.add(wake)
      signal.addEventListener("abort", wake)
    })
  }
  if (signal.aborted) wakeNext(nursery) // a place that was meant for this one is the next one's
  signal.throwIfAborted()
  nursery.taken++
}

function wakeNext({ waiting }: Nursery): void {
  const [next] = waiting
  next?.()
}

interface Answering {
  delegation: Delegation
  limits: Partial<LimitSettings>
  ports: PersonPorts
  signal: AbortSignal
}

/** By a subtask that ended before, or goes on, or begins. */
async function answerCall(nursery: Nursery, answering: Answering): Promise<SubtaskOutcome> {
  const { home, task: parent, running, open } = nursery
  const { delegation, limits, ports } = answering
  const { callKey, mode, message, todos } = delegation
  const known = ports.state().subtasks.get(callKey)
  const id = known ?? newTaskId()
  const before = stateOf(home, id)
  if (before?.ending && before.unheard.length === 0) return outcomeOf(id, before, before.ending)
  if (known === undefined) ports.record({ type: "subtask-started", callKey, task: id, mode, message })
  const child = await open({ id, parent: { task: parent, callKey }, mode, todos, limits })
  running.set(id, child)
  try {
    const outcome = follow(nursery, child, answering)
    const isBegun = before && (before.turn > 0 || before.unheard.length > 0)
    child.send(isBegun ? { type: "continue" } : { type: "say", content: [{ type: "text", text: message }] })
    return await outcome
  } finally {
    running.delete(id)
  }
}

/** Until it rests. It is let go of in any case; a cancel is waited for, so that what it was about to do is known. */
async function follow({ home, below }: Nursery, child: Task, { delegation, ports, signal }: Answering): Promise<SubtaskOutcome> {
  const stop = () => (signal.reason instanceof TaskClosing ? void child.close() : child.send({ type: "cancel" }))
  signal.addEventListener("abort", stop, { once: true })
  if (signal.aborted) stop()
  try {
    for await (const event of child.events(child.openedAt)) {
      if (event.type === "subtask") below.set(innermost(event), child)
      ports.emit({ type: "subtask", callKey: delegation.callKey, task: child.id, event })
      if (event.type === "task-finished") return outcomeOf(child.id, stateOf(home, child.id) ?? event, event.ending)
    }
    throw signal.reason ?? new ToolError(`The subtask ${child.id} was closed.`)
  } finally {
    signal.removeEventListener("abort", stop)
    for (const [task, through] of below) if (through === child) below.delete(task)
    await child.close()
  }
}

/** The task that an event of a subtask is about. */
function innermost({ task, event }: TaskEvent & { type: "subtask" }): string {
  return event.type === "subtask" ? innermost(event) : task
}

function outcomeOf(task: string, state: Pick<TaskState, "usage" | "tools" | "lastReply">, ending: Ending): SubtaskOutcome {
  const { usage, tools, lastReply } = state
  const lastWords = lastReply?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  return { task, ending, usage, tools, ...(lastWords && { lastWords }) }
}

/** As its log leaves it; undefined where nothing was begun. */
function stateOf(home: string, id: string): TaskState | undefined {
  const { log } = taskFiles(home, id)
  return existsSync(log) ? foldLog(readLog(log).events) : undefined
}

/** What is left is divided among the subtasks that were asked for in one turn; time passes for all of them alike. */
function shareOf(left: Partial<LimitSettings>, { calls }: Readonly<TaskState>, callKey: string): Partial<LimitSettings> {
  const own = calls.find(({ call }) => call.key === callKey)?.call.name
  const asked = Math.max(1, calls.filter(({ call }) => call.name === own).length)
  const { minutes, ...divided } = left
  const shares = Object.entries(divided).map(([name, rest]) => [name, Math.max(rest / asked, Number.EPSILON)])
  return { ...Object.fromEntries(shares), ...(minutes !== undefined && { minutes }) }
}
