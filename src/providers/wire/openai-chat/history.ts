/**
 * The neutral history as the `messages` of a chat completions request, in JSON. Whatever the history holds, the outcome obeys
 * the wire's rules: one system message first, each call answered exactly once and directly behind its message, ids unique,
 * nothing empty.
 */
import type {
  AssistantMessage,
  AssistantPart,
  Content,
  Message,
  ProviderState,
  ReceivedCall,
  ResultMessage,
} from "../../../types/message.ts"
import type { Target } from "../../target.ts"
import { escapedText, jsonText, once } from "./json-text.ts"

type CallPart = Extract<AssistantPart, { type: "call" }>

const BROKE_OFF = "[This reply broke off here.]"
const GO_ON = "Go on."
const NO_RESULT = "Interrupted: this call has no result, and whether it took effect is not known. Look before repeating it."
const NEXT_LINE = "\\n"
const NEXT_PARAGRAPH = "\\n\\n"

export function writeHistory(system: string, messages: readonly Message[], target: Target): string {
  /** Only appended to: it is copied once, when it is sent. */
  let written = system.trim() === "" ? "" : `{"role":"system","content":${jsonText(system)}}`
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
      write("tool", `"tool_call_id":${jsonText(id)},"content":${toolContent(result)}`)
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
  const texts = message.parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [escapedText(part)] : []))
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
  if (state?.model === id) return `,${insideOf(state)}`
  if (!first || profile.placeholderSignature === undefined) return ""
  return `,"extra_content":${jsonText({ google: { thought_signature: profile.placeholderSignature } })}`
}

/** The fields of an opaque state, which the reader stored as an object, to be set into another object. */
function insideOf(state: ProviderState): string {
  return once(state, () => jsonText(state.data).slice(1, -1))
}

/** A string that holds JSON. A malformed call is replayed as what could be read of it. */
function argumentsOf(call: ReceivedCall): string {
  return once(call, () => jsonText(jsonText(call.input)))
}

/**
 * Keeps an id as its provider made it (Kimi wants it back verbatim) unless it was used before (I15) or does not fit the target
 * (I18; OpenAI takes 40 characters). The replacement depends on the call's place alone and has nine alphanumerics, which every
 * server takes.
 */
function callIds(fits: RegExp): (id: string, own: boolean) => string {
  const used = new Set<string>()
  let count = 0
  return (id, own) => {
    count++
    let unique = fits.test(id) && (own || id.length <= 40) ? id : ""
    for (let next = count; unique === "" || used.has(unique); next++) unique = `call${String(next).padStart(5, "0")}`
    used.add(unique)
    return unique
  }
}

/** A name that no tool has is replayed too, but servers refuse more than these characters. */
function plainName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed"
}

/** The results that belong to one assistant message: those before the next one. The first for a call counts. */
function resultsAfter(messages: readonly Message[], assistantAt: number): Map<string, ResultMessage> {
  const results = new Map<string, ResultMessage>()
  for (let at = assistantAt + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined || message.role === "assistant") break
    if (message.role === "result" && !results.has(message.callKey)) results.set(message.callKey, message)
  }
  return results
}

/** A tool message holds text only. */
function toolContent(result: ResultMessage | undefined): string {
  if (!result) return jsonText(NO_RESULT)
  const texts = result.content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [escapedText(part)] : []))
  const images = result.content.filter((part) => part.type === "image").length
  if (images > 0) texts.push(images === 1 ? "[The image follows.]" : `[${images} images follow.]`)
  return `"${texts.join(NEXT_LINE) || "(no output)"}"`
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
