/** A task: commands in, events out. It owns the log and the state folded from it, and runs the loop while there is something to do. */
import { proposeCompletion } from "../loop/completion.ts"
import { knownTexts } from "../loop/known-files.ts"
import type { Loop } from "../loop/loop.ts"
import { run } from "../loop/run.ts"
import { hideHeld } from "../text/hide-held.ts"
import { type DurableEvent, LOG_VERSION } from "../types/event.ts"
import type { Question } from "../types/question.ts"
import type { TaskState } from "../types/state.ts"
import type { Task } from "../types/task.ts"
import { audience } from "./audience.ts"
import { emptyState, fold, foldLog } from "./fold.ts"
import { hidingLive } from "./hiding-live.ts"
import { become, obey } from "./obey.ts"
import { type Open, TaskClosing, type TaskParts } from "./open.ts"
import { questions } from "./questions.ts"
import { ended, tell } from "./running.ts"
import { runs } from "./runs.ts"

export function openTask(parts: TaskParts): Task {
  const { log, events } = parts.opened
  const state = emptyState()
  const record = (event: DurableEvent) => recordIn(open, event)
  const desk = questions(state, record)
  const open: Open = {
    parts,
    state,
    record,
    desk,
    listeners: audience(),
    runs: runs(
      () => run(open.loop),
      (ending, startAgain) => ended(open, ending, startAgain),
    ),
    loop: loopOf(parts, state, { record, desk, open: () => open }),
    closed: false,
  }
  begin(parts, state, open.loop)
  return {
    id: parts.id,
    openedAt: events.at(-1)?.seq ?? 0,
    send: (command) => obey(open, command),
    events: (after = 0) => open.listeners.follow(() => log.read(after)),
    close: () => close(open),
  }
}

interface LoopParts extends Pick<Open, "record" | "desk"> {
  /** There once the loop is made. */
  open(): Open
}

function loopOf(
  { opened, settings, secrets = [], stations }: TaskParts,
  state: TaskState,
  { record, desk, open }: LoopParts,
): Loop {
  const loop: Loop = {
    stations: stations({
      ask: (id, question) => loop.ask(id, question),
      answer: desk.answer,
      complete: (callKey, result, acceptedBy) => proposeCompletion(loop, { callKey, result, acceptedBy }),
      mode: () => state.mode,
      changeMode: (mode, reason, by = "model") => record({ type: "mode-changed", mode, reason, by }),
      notice: (text) => void (open().closed || record({ type: "notice", text })),
      tell: (text) => tell(open(), text),
      turn: () => state.turn,
      state: () => state,
      record,
      emit: (event) => open().listeners.tell(event),
    }),
    settings,
    state,
    texts: knownTexts(),
    wanted: { condense: false },
    record,
    emit: hidingLive(secrets, (event) => open().listeners.tell(event)),
    sync: opened.log.sync,
    ask(id, question) {
      void loop.stations.hooks?.task({ moment: "asked", ...toldToHooks(question) })
      return desk.ask(id, question, loop.signal)
    },
    get signal() {
      return open().runs.signal
    },
  }
  return loop
}

function recordIn({ parts, state, loop, listeners, closed }: Open, event: DurableEvent): void {
  if (closed) throw new TaskClosing()
  const recorded = parts.opened.log.append(hideHeld(event, parts.secrets ?? []))
  fold(state, recorded)
  loop.stations.policy.see(recorded)
  listeners.tell(recorded)
}

async function close(open: Open): Promise<void> {
  if (open.closed) return
  open.closed = true
  const { parts, runs, loop, state, listeners } = open
  runs.stop(new TaskClosing())
  await runs.idle()
  await loop.stations.hooks?.task({ moment: "closed", reason: state.ending?.reason ?? "left" })
  listeners.close()
  parts.opened.log.close()
  await parts.release()
}

/** Brings the state to where the log ends, and records that the task is open again. */
function begin(parts: TaskParts, state: TaskState, { stations, record }: Loop): void {
  const { id: task, workspace, mode, protocol, parent, todos, keepsMode, opened } = parts
  become(state, foldLog(opened.events))
  for (const event of opened.events) stations.policy.see(event)
  const opens = opened.events.length > 0 && keepsMode ? state.mode : mode
  const model = stations.models.for(opens).id
  if (opened.events.length > 0) record({ type: "task-resumed", mode: opens, model })
  else {
    const origin = { ...(parent && { parent }), ...(todos?.length && { todos: [...todos] }) }
    record({ type: "task-started", version: LOG_VERSION, task, workspace, mode, model, protocol, ...origin })
  }
  if (opened.missing > 0) {
    const text = `${opened.missing} large texts or images of this task are missing from its folder; their places say so.`
    record({ type: "notice", text })
  }
  if (opened.torn) record({ type: "notice", text: "The last line of the task's log was torn and has been dropped." })
}

function toldToHooks(question: Question): { kind: "permission_prompt" | "elicitation_dialog" | "idle_prompt"; text: string } {
  if (question.kind === "approve") return { kind: "permission_prompt", text: `${question.tool} waits: ${question.reason}` }
  if (question.kind === "followup") return { kind: "elicitation_dialog", text: question.question }
  return { kind: "idle_prompt", text: question.kind === "limit" ? question.reason : question.result }
}
