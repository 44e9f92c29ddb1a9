/** `/checkpoints`: what was done to files, newest first; one is looked at and gone back to: files, the conversation, or both. */
import { onOneLine } from "../../text/printable.ts"
import { type Line, line, safe, styled } from "./line.ts"
import { look } from "./look.ts"
import type { CheckpointPort } from "./options.ts"
import { type Choice, openPicker } from "./picker.ts"
import { isWorking, liveWidth, type Session } from "./session.ts"
import { showLines } from "./show.ts"
import { choose, tell, tryTo, whenWords } from "./tell.ts"

export async function lookAtCheckpoints(session: Session, number: number | undefined): Promise<void> {
  const { task, options } = session
  const port = options.facts.checkpoints
  await tryTo(session, async () => {
    const all = task && port ? await port.list(task.id) : []
    if (!port || all.length === 0) session.hint = "Nothing was done to files in this task."
    else if (number === undefined) {
      const choices = all.map(({ id, at, words }): Choice => {
        return { value: String(id), label: `${id}  ${onOneLine(safe(words)).slice(0, 70)}`, detail: whenWords(at, session.now()) }
      })
      choose(
        session,
        openPicker("Go back to before", choices),
        (value) => void tryTo(session, () => preview(session, port, Number(value))),
      )
    } else if (all.some(({ id }) => id === number)) await preview(session, port, number)
    else session.hint = `There is no checkpoint ${number}; /checkpoints lists them.`
  })
}

/** What would happen is shown before anything does. */
async function preview(session: Session, port: CheckpointPort, id: number): Promise<void> {
  const { task } = session
  if (!task) return
  const { lines, files, held } = await port.preview(task.id, id)
  tell(session, [line(styled("strong", `Back to before ${id} would`)), ...lines.map((text) => line("  ", onOneLine(safe(text))))])
  const choices: Choice[] = [
    { value: "diff", label: "See the difference", detail: "what was changed since then" },
    ...(files > 0 ? [{ value: "both", label: "Files and conversation", detail: "as if the call had never been" }] : []),
    ...(files > 0 ? [{ value: "files", label: "Files only", detail: "the model is told with your next words" }] : []),
    ...(held > 0 ? [{ value: "force", label: "Files, also those changed since", detail: "what they hold now is kept" }] : []),
    { value: "conversation", label: "Conversation only", detail: "files stay as they are" },
  ]
  const ask = () =>
    choose(session, openPicker(`Back to before ${id}`, choices), (value) => {
      if (value === "diff") ask() // it is still open when the difference has been looked at
      void tryTo(session, () => goBack(session, port, id, value))
    })
  ask()
}

async function goBack(session: Session, port: CheckpointPort, id: number, what: string): Promise<void> {
  const { task } = session
  if (!task) return
  if (what === "diff") return look(session, diffLines(await port.diff(task.id, id), liveWidth(session)))
  if (isWorking(session)) {
    session.hint = "Joey works: esc stops, then go back."
    return
  }
  const isBack = what === "both" || what === "conversation"
  const to = isBack ? await port.point(task.id, id) : undefined
  if (what !== "conversation") {
    const { lines, told } = await port.restore(task.id, id, { force: what === "force" })
    tell(
      session,
      lines.map((text) => line(styled("dim", onOneLine(safe(text))))),
    )
    if (told !== undefined && !isBack) session.notes = [...session.notes, told]
  }
  if (to !== undefined) task.send({ type: "rewind", to })
}

function diffLines(diffs: Awaited<ReturnType<CheckpointPort["diff"]>>, width: number): Line[] {
  if (diffs.length === 0) return [line(styled("dim", "All files are as they were then."))]
  return diffs.flatMap(({ notes, ...diff }): Line[] => {
    const { title, body } = showLines({ kind: "diff", operation: "modify", ...diff }, { width })
    return [title, ...notes.map((note) => line(styled("dim", `  ${onOneLine(safe(note))}`))), ...body, []]
  })
}
