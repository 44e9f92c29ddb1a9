/**
 * The neutral history as the `messages` of a chat completions request, in JSON. Whatever the history holds, the outcome obeys
 * the wire's rules: one system message first, each call answered exactly once and directly behind its message, ids unique,
 * nothing empty.
 */
import type { AssistantMessage, Content, Message, ProviderState, ReceivedCall, ResultMessage } from "../../../types/message.ts"
import type { Target } from "../../target.ts"
import { escapedText, jsonText, rememberJson } from "../json-text.ts"
import {
  BROKE_OFF,
  type CallPart,
  callIds,
  GO_ON,
  NEXT_LINE,
  NEXT_PARAGRAPH,
  NO_OUTPUT,
  NO_RESULT,
  plainName,
  resultsAfter,
  spokenTexts,
} from "../replay.ts"

const once = rememberJson()

/** Said for the model where a person may not speak directly behind results. */
const NOTED = "Noted."

export function writeHistory(system: string, messages: readonly Message[], target: Target): string {
  /** Only appended to: it is copied once, when it is sent. */
  let written = system.trim() === "" ? "" : `{"role":"${target.profile.systemRole ?? "system"}","content":${jsonText(system)}}`
  let last: "nobody" | "user" | "assistant" | "tool" = "nobody"
  /** What was said since the last message of another role: the wire wants it as one. */
  let said: Content[] = []
  const ids = callIds(target.profile.callIds)

  function write(role: typeof last, fields: string): void {
    written += `${written === "" ? "" : ","}{"role":"${role}",${fields}}`
    last = role
  }
  /** The model answers a person or a tool; where neither spoke, it is asked to go on. */
  function writeSaid(): void {
    const content = userContent(said) ?? (last === "tool" ? undefined : `"${GO_ON}"`)
    if (content && last === "tool" && target.profile.assistantAfterResults) write("assistant", `"content":"${NOTED}"`)
    if (content) write("user", `"content":${content}`)
    said = []
  }

  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === "user") said.push(...message.content)
    if (message?.role !== "assistant") continue // a result is taken by its call, below
    const own = message.model === target.id
    const calls = message.parts.filter((part) => part.type === "call").map((part) => ({ part, id: ids(part.call.id, own) }))
    const fields = assistantFields(message, calls, target)
    if (!fields) continue
    writeSaid()
    write("assistant", fields)
    const results = resultsAfter(messages, at)
    for (const { part, id } of calls) {
      const result = results.get(part.call.key)
      const name = target.profile.namedResults ? `"name":${jsonText(plainName(part.call.name))},` : ""
      write("tool", `${name}"tool_call_id":${jsonText(id)},"content":${toolContent(result)}`)
      said.push(...imagesOf(part.call, result))
    }
  }
  writeSaid()
  return `[${written}]`
}

/** Undefined when nothing would be left to send. */
function assistantFields(
  message: AssistantMessage,
  calls: readonly { part: CallPart; id: string }[],
  target: Target,
): string | undefined {
  const texts = spokenTexts(message.parts)
  if (message.interrupted && texts.length > 0) texts.push(BROKE_OFF)
  if (texts.length === 0 && calls.length === 0) return undefined
  const content = texts.length > 0 ? `"${texts.join(NEXT_PARAGRAPH)}"` : "null"
  const fields = [`"content":${content}`, ...replayed(message, target)]
  if (calls.length > 0) {
    const written = calls.map(({ part, id }, at) => {
      const called = `{"name":${jsonText(plainName(part.call.name))},"arguments":${argumentsOf(part.call)}}`
      return `{"id":${jsonText(id)},"type":"function","function":${called}${signature(part, at === 0, target)}}`
    })
    fields.push(`"tool_calls":[${written.join(",")}]`)
  }
  return fields.join(",")
}

/** Reasoning goes back as opaque state to the model that made it, as text only where the profile demands a field (R7). */
function replayed(message: AssistantMessage, target: Target): string[] {
  const own = message.model === target.id && !message.interrupted
  const thoughts = own ? message.parts.filter((part) => part.type === "reasoning") : []
  const state = thoughts.findLast((part) => part.state?.model === target.id)?.state
  const fields = state ? [insideOf(state)].filter(Boolean) : []
  const { reasoningField } = target.profile
  if (reasoningField) fields.push(`"${reasoningField}":"${thoughts.map(escapedText).join("")}"`)
  return fields
}

/** R8: a signature goes back to its model; where one is demanded, the first call of a foreign turn carries a placeholder. */
function signature({ state }: CallPart, first: boolean, { id, profile }: Target): string {
  const own = state?.model === id ? insideOf(state) : ""
  if (own !== "") return `,${own}`
  if (!first || profile.placeholderSignature === undefined) return ""
  return `,"extra_content":${jsonText({ google: { thought_signature: profile.placeholderSignature } })}`
}

/** The fields of an opaque state, to be set into another object: those that the reader of this wire keeps, no others. */
function insideOf(state: ProviderState): string {
  return once(state, () => {
    const data = (state.data ?? {}) as Record<string, unknown>
    const own = STATE_FIELDS.filter((field) => Object.hasOwn(data, field)).map((field) => [field, data[field]])
    return jsonText(Object.fromEntries(own)).slice(1, -1)
  })
}

const STATE_FIELDS = ["reasoning_details", "reasoning_opaque", "extra_content"]

/** A string that holds JSON. A malformed call is replayed as what could be read of it. */
function argumentsOf(call: ReceivedCall): string {
  return once(call, () => jsonText(jsonText(call.input)))
}

/** A tool message holds text only. */
function toolContent(result: ResultMessage | undefined): string {
  if (!result) return jsonText(NO_RESULT)
  const texts = spokenTexts(result.content)
  const images = result.content.filter((part) => part.type === "image").length
  if (images > 0) texts.push(images === 1 ? "[The image follows.]" : `[${images} images follow.]`)
  return `"${texts.join(NEXT_LINE) || NO_OUTPUT}"`
}

/** The images of a result follow as if a person had shown them. */
function imagesOf(call: ReceivedCall, result: ResultMessage | undefined): Content[] {
  const images = result?.content.filter((part) => part.type === "image") ?? []
  return images.length > 0 ? [{ type: "text", text: `From the result of ${call.name}:` }, ...images] : []
}

/** A plain string where that is enough, as not every server takes parts; undefined when there is nothing. */
function userContent(content: readonly Content[]): string | undefined {
  const parts: string[] = []
  let texts: string[] = []
  const flush = (): void => {
    if (texts.length > 0) parts.push(`{"type":"text","text":"${texts.join(NEXT_PARAGRAPH)}"}`)
    texts = []
  }
  for (const part of content) {
    if (part.type === "text") {
      if (part.text.trim() !== "") texts.push(escapedText(part))
    } else {
      flush()
      const address = once(part, () => jsonText(`data:${part.mediaType};base64,${part.data}`))
      parts.push(`{"type":"image_url","image_url":{"url":${address}}}`)
    }
  }
  if (parts.length === 0) return texts.length > 0 ? `"${texts.join(NEXT_PARAGRAPH)}"` : undefined
  flush()
  return `[${parts.join(",")}]`
}
