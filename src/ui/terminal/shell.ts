/** A line of the person's own: it runs, its output is shown, and the model hears of it with the person's next words. */
import { printable } from "../../text/printable.ts"
import { line, styled } from "./line.ts"
import { rowLines } from "./rows.ts"
import { type Session, textWidth } from "./session.ts"

const TAIL = 2_000
/** For the model. */
const HEAD = 2_000

export async function runShell(session: Session, command: string): Promise<void> {
  const { options, transcript } = session
  if (command === "" || session.shell || !options.shell) return
  const running = { line: command, tail: "", stop: new AbortController() }
  let head = ""
  session.shell = running
  session.screen.touch()
  const onOutput = (text: string) => {
    if (head.length < HEAD) head += text.slice(0, HEAD - head.length)
    running.tail = (running.tail + text).slice(-TAIL)
    session.screen.touch()
  }
  const outcome = await options.shell(command, { onOutput, signal: running.stop.signal }).catch((error: unknown) => String(error))
  session.shell = undefined
  const output = head.length < HEAD ? head : head.endsWith(running.tail) ? head : `${head}\n…\n${running.tail}`
  if (typeof outcome === "string") transcript.add([line(styled("bad", printable(outcome)))])
  else {
    const { exitCode } = outcome
    const show = { kind: "command", command, output, exitCode: exitCode ?? 1 } as const
    const row = { kind: "call", key: "", tool: "", status: exitCode === 0 ? "done" : "failed", show } as const
    transcript.add(rowLines(row, { width: textWidth(options.stdout.columns) }))
    session.notes = [...session.notes, `I ran \`${command}\` (exit ${exitCode ?? "by signal"}):\n${output.trimEnd()}`]
  }
  session.screen.touch()
}
