/** A person at a line-based terminal. What is typed while nothing is asked is a message for the task: it never approves anything. */
import { createInterface } from "node:readline"
import { objectIn } from "../../text/object-in.ts"
import type { Answer, Question } from "../../types/question.ts"
import type { Person } from "./print-task.ts"

export interface LinePerson extends Person {
  close(): void
}

export function linePerson(input: NodeJS.ReadableStream): LinePerson {
  const lines = createInterface({ input, terminal: false })
  const takers: ((line: string | undefined) => void)[] = []
  let ended = false
  let onWords = (_words: string): void => {}
  lines.on("line", (line) => {
    const take = takers.shift()
    if (take) take(line)
    else if (line.trim()) onWords(line)
  })
  lines.on("close", () => {
    ended = true
    for (const take of takers.splice(0)) take(undefined)
  })
  /** A question goes before words that are waited for. */
  const nextLine = ({ first }: { first: boolean }) =>
    ended
      ? Promise.resolve(undefined)
      : new Promise<string | undefined>((resolve) => (first ? takers.unshift(resolve) : takers.push(resolve)))
  return {
    async answer(question) {
      const line = await nextLine({ first: true })
      return line === undefined ? undefined : readAnswer(question, line.trim())
    },
    async more() {
      return (await nextLine({ first: false }))?.trim() || undefined
    },
    hear(listener) {
      onWords = listener
    },
    close: () => lines.close(),
  }
}

/** Only a plain yes is a yes. */
export function readAnswer(question: Question, line: string): Answer {
  const word = line.toLowerCase()
  if (question.kind === "followup") {
    const choice = /^\d+$/.test(line) ? question.suggestions[Number(line) - 1] : undefined
    return { kind: "words", content: [{ type: "text", text: choice?.text ?? line }] }
  }
  if (word === "y" || word === "yes") return { kind: "yes" }
  if (question.kind === "approve") {
    const approval = readApproval(line)
    if (approval) return approval
  }
  if (question.kind === "completion" && word === "") return { kind: "yes" }
  if (word === "" || word === "n" || word === "no") return { kind: "no" }
  return { kind: "words", content: [{ type: "text", text: line }] }
}

/** What only an approval can be answered with. Anything that is not exactly so is words. */
function readApproval(line: string): Answer | undefined {
  if (/^a(lways)?$/i.test(line)) return { kind: "yes", always: "task" }
  if (/^(p|project|always project)$/i.test(line)) return { kind: "yes", always: "project" }
  const [, hunks] = /^hunks?\s+([\d,\s]+)$/i.exec(line) ?? []
  if (hunks) return { kind: "yes", hunks: (hunks.match(/\d+/g) ?? []).map((number) => Number(number) - 1) }
  const [, input = ""] = /^edit\s+(\{.*\})$/is.exec(line) ?? []
  const edited = objectIn(input)
  return edited && { kind: "yes", input: edited }
}
