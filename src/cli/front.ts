/** Puts the print front on this process: who answers, where output goes, and what Ctrl-C means. */
import type { Task } from "../types/task.ts"
import { jsonPrinter } from "../ui/print/json-printer.ts"
import { linePerson } from "../ui/print/line-person.ts"
import { EXIT, type Printer, printTask } from "../ui/print/print-task.ts"
import { textPrinter } from "../ui/print/text-printer.ts"
import type { OutputFormat } from "./arguments.ts"

export interface Front {
  /** Shows the task until it ends; the exit code. Closes it. */
  run(task: Task): Promise<number>
  /** The first words, from a person at a terminal; "" when there is nobody. */
  askForWords(): Promise<string>
  /** Asks yes or no; no when there is nobody. */
  confirm(question: string): Promise<boolean>
  /** Lets go of the terminal, for another front. */
  leave(): void
}

export function front(format: OutputFormat, process: NodeJS.Process, { attended = isAttended(format, process) } = {}): Front {
  const { stdin, stdout, env } = process
  const person = attended ? linePerson(stdin) : undefined

  return {
    async run(running) {
      const restore = cancelOnInterrupt(running, process)
      try {
        return await printTask(running, printerFor(format, process), person)
      } finally {
        restore()
        person?.close()
        await running.close()
      }
    },
    async askForWords() {
      if (!person) return ""
      stdout.write(env["NO_COLOR"] ? "What should I do? " : "\u001b[1mWhat should I do?\u001b[22m ")
      return (await person.more()) ?? ""
    },
    async confirm(question) {
      if (!person) return false
      stdout.write(`${question}\nyes / no: `)
      return /^y(es)?$/i.test((await person.more()) ?? "")
    },
    leave: () => person?.close(),
  }
}

function isAttended(format: OutputFormat, { stdin, stdout }: NodeJS.Process): boolean {
  return format === "text" && Boolean(stdin.isTTY && stdout.isTTY)
}

function printerFor(format: OutputFormat, { stdout, env }: NodeJS.Process): Printer {
  const write = (text: string) => void stdout.write(text)
  if (format !== "text") return jsonPrinter(write, { stream: format === "stream-json" })
  const dumb = env["TERM"] === "dumb"
  return textPrinter({
    write,
    colour: Boolean(stdout.isTTY && !env["NO_COLOR"] && !dumb),
    transient: Boolean(stdout.isTTY && !dumb),
  })
}

/** The first Ctrl-C stops the task and keeps its history whole; the second leaves at once. */
function cancelOnInterrupt(task: Task, process: NodeJS.Process): () => void {
  let interrupts = 0
  const onInterrupt = () => {
    if (++interrupts > 1) process.exit(EXIT.cancelled)
    task.send({ type: "cancel" })
  }
  process.on("SIGINT", onInterrupt)
  process.on("SIGTERM", onInterrupt)
  process.on("SIGHUP", onInterrupt)
  return () => {
    process.off("SIGINT", onInterrupt)
    process.off("SIGTERM", onInterrupt)
    process.off("SIGHUP", onInterrupt)
  }
}
