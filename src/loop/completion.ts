/** How a task ends: the model hands in a result and the person accepts it, or plain text is the answer. */
import type { Ending } from "../types/event.ts"
import { type AssistantMessage, type Content, isErrorResult } from "../types/message.ts"
import type { Answer, Question } from "../types/question.ts"
import type { CallState } from "../types/state.ts"
import { ToolError } from "../types/tool.ts"
import type { Loop } from "./loop.ts"

/** After a turn is settled: the ending, or undefined to go on. */
export async function decide(loop: Loop): Promise<Ending | undefined> {
  const { calls, unheard, plainReplies, lastReply, declined, paused } = loop.state
  if (loop.signal.aborted) return { reason: "cancelled" }
  if (declined) return { reason: "limit", ...declined }
  const accepted = acceptedIn(calls)
  if (accepted) return accepted
  if (calls.length > 0 || unheard.length > 0 || paused) return undefined
  const result = textOf(lastReply)
  const isAnswer = plainReplies > loop.settings.reminders
  const refused = isAnswer ? (await loop.stations.hooks?.completion(result, loop.signal))?.refuse : undefined
  if (isAnswer && refused === undefined) return { reason: "answered", result }
  const text = refused === undefined ? loop.stations.prompt.toolReminder : `Not done yet: ${refused}`
  loop.record({ type: "said", by: "joey", content: [{ type: "text", text }] })
  return undefined
}

/** A task that is continued without new words after its result was accepted has nothing to do. */
export function acceptedBefore({ state }: Loop): Ending | undefined {
  return state.unheard.length === 0 ? acceptedIn(state.calls) : undefined
}

function acceptedIn(calls: readonly CallState[]): Ending | undefined {
  const accepted = calls.find((state) => state.accepted !== undefined)?.accepted
  return accepted === undefined ? undefined : { reason: "accepted", result: accepted }
}

export type CompletionAnswer = { accepted: true } | { accepted: false; feedback: Content[] }

/** Puts the model's result before the person (S22, S23). Throws ToolError where it may not be handed in yet. */
export async function proposeCompletion(
  loop: Loop,
  { callKey, result, acceptedBy }: { callKey: string; result: string; acceptedBy?: string | undefined },
): Promise<CompletionAnswer> {
  refuseTooEarly(loop, callKey)
  const refused = (await loop.stations.hooks?.completion(result, loop.signal))?.refuse
  if (refused !== undefined) throw new ToolError(`Not handed in: ${refused}`)
  const { usage, tools, questions } = loop.state
  const id = `complete:${callKey}`
  if (!questions.has(id)) loop.record({ type: "completion-proposed", callKey, result, usage, tools })
  const question = { kind: "completion", callKey, result, usage, tools } as const
  const answer = acceptedBy === undefined ? await loop.ask(id, question) : accept(loop, id, question, acceptedBy)
  if (answer.kind === "words") return { accepted: false, feedback: answer.content }
  if (answer.kind === "no")
    return { accepted: false, feedback: [{ type: "text", text: "The person did not accept this result." }] }
  if (!loop.state.completed) loop.record({ type: "task-completed", result, usage: loop.state.usage, tools: loop.state.tools })
  return { accepted: true }
}

function accept({ record }: Loop, id: string, question: Question, by: string): Answer {
  const answer: Answer = { kind: "yes" }
  record({ type: "asked", id, question })
  record({ type: "answered", id, answer, by })
  return answer
}

function refuseTooEarly(loop: Loop, callKey: string): void {
  const failed = loop.state.calls.filter(({ call, result }) => call.key !== callKey && result && isErrorResult(result.kind))
  if (failed.length > 0) {
    const names = failed.map(({ call }) => call.name).join(", ")
    throw new ToolError(`Not handed in: ${names} failed in this same turn. Deal with that first, then hand in the result.`)
  }
  const open = loop.state.todos.filter((todo) => todo.status !== "done")
  if (loop.settings.preventCompletionWithOpenTodos && open.length > 0) {
    throw new ToolError(`Not handed in: ${open.length} todo items are still open. Finish them, or update the list.`)
  }
}

function textOf(message: AssistantMessage | undefined): string {
  const texts = message?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) ?? []
  return texts.join("\n").trim()
}
