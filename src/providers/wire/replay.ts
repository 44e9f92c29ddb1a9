/**
 * What every wire needs to send the neutral history: which result belongs to which call, ids and names that servers take, and
 * the words that stand where something is missing.
 */
import type { AssistantPart, Content, Message, ResultMessage } from "../../types/message.ts"
import { escapedText } from "./json-text.ts"

export type CallPart = Extract<AssistantPart, { type: "call" }>
export type ImagePart = Extract<Content, { type: "image" }>

export const BROKE_OFF = "[This reply broke off here.]"
export const GO_ON = "Go on."
export const NO_RESULT =
  "Interrupted: this call has no result, and whether it took effect is not known. Look before repeating it."
export const NO_OUTPUT = "(no output)"

/** Line ends as they stand between the quotes of a JSON string. */
export const NEXT_LINE = "\\n"
export const NEXT_PARAGRAPH = "\\n\\n"

/**
 * Keeps an id as its provider made it (Kimi wants it back verbatim) unless it was used before (I15) or does not fit the target
 * (I18; OpenAI takes 40 characters). The replacement depends on the call's place alone and has nine alphanumerics, which every
 * server takes.
 */
export function callIds(fits: RegExp): (id: string, own: boolean) => string {
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
export function plainName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed"
}

/** The results that belong to one assistant message: those before the next one. The first for a call counts. */
export function resultsAfter(messages: readonly Message[], assistantAt: number): Map<string, ResultMessage> {
  const results = new Map<string, ResultMessage>()
  for (let at = assistantAt + 1; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined || message.role === "assistant") break
    if (message.role === "result" && !results.has(message.callKey)) results.set(message.callKey, message)
  }
  return results
}

/** The texts of a content that are not blank, as they stand inside JSON strings. */
export function spokenTexts(content: readonly (Content | AssistantPart)[]): string[] {
  return content.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [escapedText(part)] : []))
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export interface ImageRules {
  /** Media types the wire takes. */
  kinds: readonly string[]
  /** In characters of base64. */
  largest: number
}

/**
 * Why an image cannot be sent, if so. A server of tools may have sent anything, and a request that is refused once for what its
 * history holds is refused for ever.
 */
export function unfitImage({ mediaType, data }: ImagePart, { kinds, largest }: ImageRules): string | undefined {
  if (!kinds.includes(mediaType))
    return `[An image of type ${mediaType.replace(/[^\w./+-]/g, "").slice(0, 60)}, which cannot be shown here.]`
  if (data.length > largest) return "[An image that is too large to be shown here.]"
  return data !== "" && BASE64.test(data) ? undefined : "[A damaged image.]"
}
