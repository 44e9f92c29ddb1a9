/**
 * The history as turns: what was said, what the model replied to it, and the result of each of its calls. Results are paired
 * within their own turn, and a reply of which nothing could be sent is left out.
 */
import type { AssistantMessage, AssistantPart, Content, Message, ResultMessage } from "../../types/message.ts"
import { type CallPart, NEXT_LINE, NO_OUTPUT, NO_RESULT, resultsAfter, spokenTexts } from "./replay.ts"

export interface AnsweredCall {
  part: CallPart
  /** undefined: the task broke off before there was one. */
  result: ResultMessage | undefined
}

/** The last turn has no reply: it is the one that is asked for. */
export interface Turn {
  said: Content[]
  reply?: AssistantMessage
  /** Of the reply, in its order. */
  calls: AnsweredCall[]
}

export function* turnsOf(messages: readonly Message[]): Generator<Turn, void> {
  let said: Content[] = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === "user") said.push(...message.content)
    if (message?.role !== "assistant" || !message.parts.some(isSent)) continue
    const results = resultsAfter(messages, at)
    const parts = message.parts.filter((part) => part.type === "call")
    yield { said, reply: message, calls: parts.map((part) => ({ part, result: results.get(part.call.key) })) }
    said = []
  }
  yield { said, calls: [] }
}

/** Reasoning alone is nothing to reply to. */
function isSent(part: AssistantPart): boolean {
  return part.type === "call" || (part.type === "text" && part.text.trim() !== "")
}

/** A result where no image can stand in it, as it stands between the quotes of a JSON string. */
export function resultText({ result }: AnsweredCall): string {
  if (!result) return NO_RESULT
  const texts = spokenTexts(result.content)
  const images = result.content.filter((part) => part.type === "image").length
  if (images > 0) texts.push(images === 1 ? "[The image follows.]" : `[${images} images follow.]`)
  return texts.join(NEXT_LINE) || NO_OUTPUT
}

/** The images of a result, to follow as if a person had shown them. */
export function shownImages({ part, result }: AnsweredCall): Content[] {
  const images = result?.content.filter((content) => content.type === "image") ?? []
  return images.length > 0 ? [{ type: "text", text: `From the result of ${part.call.name}:` }, ...images] : []
}
