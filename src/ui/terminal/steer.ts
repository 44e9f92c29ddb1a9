/** One subtask among several: stopped with all below it, or told something. */
import { onOneLine } from "../../text/printable.ts"
import { findSubtask, runningTasks } from "../../view/subtasks.ts"
import { safe } from "./line.ts"
import { openPicker } from "./picker.ts"
import type { Session } from "./session.ts"
import { choose } from "./tell.ts"

export function cancelSubtask(session: Session, number: number | undefined): void {
  const running = runningTasks(session.transcript.view)
  const [only] = running
  const wanted = number === undefined ? (running.length === 1 ? only : undefined) : numbered(session, number)
  const cancel = (task: string) => {
    session.task?.send({ type: "cancel", task })
    session.hint = `Subtask ${session.transcript.numbers.get(task) ?? ""} is stopped; the task goes on without it.`
  }
  if (running.length === 0) session.hint = "No subtask runs; esc stops the task."
  else if (wanted !== undefined) cancel(wanted)
  else if (number === undefined) choose(session, openPicker("Stop subtask", choices(session, running)), cancel)
}

export function tellSubtask(session: Session, number: number, words: string): void {
  const task = numbered(session, number)
  if (task === undefined) return
  session.task?.send({ type: "say", content: [{ type: "text", text: words }], task })
  session.hint = `Subtask ${number} hears it at its next turn.`
}

function numbered(session: Session, number: number): string | undefined {
  const { view, numbers } = session.transcript
  const task = runningTasks(view).find((id) => numbers.get(id) === number)
  if (task === undefined) session.hint = `No subtask ${number} runs now.`
  return task
}

function choices({ transcript }: Session, tasks: readonly string[]): { value: string; label: string; detail: string }[] {
  return tasks.map((task) => {
    const { view, message = "" } = findSubtask(transcript.view, task) ?? {}
    const [first = ""] = message.trimStart().split("\n", 1)
    return {
      value: task,
      label: `${transcript.numbers.get(task) ?? ""} ${view?.status.mode ?? ""}`,
      detail: onOneLine(safe(first)),
    }
  })
}
