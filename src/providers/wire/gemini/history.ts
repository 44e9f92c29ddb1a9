/**
 * The neutral history as the `contents` of a Gemini request, in JSON. Whatever the history holds, the outcome obeys the wire's
 * rules: a person first and last, each turn with calls followed by a content of nothing but their results, in call order and as
 * many, no part empty unless it carries a signature.
 */
import {
  type AssistantMessage,
  type Content,
  isErrorResult,
  type Message,
  type ProviderState,
  type ReceivedCall,
} from "../../../types/message.ts"
import type { Target } from "../../target.ts"
import { escapedText, jsonText, rememberJson } from "../json-text.ts"
import { BROKE_OFF, type CallPart, GO_ON, type ImageRules, plainName, unfitImage } from "../replay.ts"
import { type AnsweredCall, resultText, shownImages, turnsOf } from "../turns.ts"
import { type CallState, callState, type SignedPart, signedParts } from "./state.ts"

const once = rememberJson()

const IMAGES: ImageRules = {
  kinds: ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"],
  largest: 20 * 1024 * 1024,
}

/** Documented for calls that another model made: Gemini 3 refuses a turn whose first call has no signature. */
const PLACEHOLDER = "skip_thought_signature_validator"

export function writeContents(messages: readonly Message[], target: Target): string {
  /** Only appended to: it is copied once, when it is sent. */
  let written = ""
  let last: "nobody" | "model" | "results" = "nobody"
  /** Images of results: they may not stand among the results. */
  let shown: Content[] = []

  function write(role: "user" | "model", parts: readonly string[]): void {
    written += `${written === "" ? "" : ","}{"role":"${role}","parts":[${parts.join(",")}]}`
  }
  for (const { said, reply, calls } of turnsOf(messages)) {
    const parts = [...shown, ...said].flatMap(userPart)
    shown = calls.flatMap(shownImages)
    if (parts.length === 0 && last !== "results") parts.push(`{"text":"${GO_ON}"}`)
    if (parts.length > 0) write("user", parts)
    if (!reply) break
    write("model", modelParts(reply, target))
    last = "model"
    if (calls.length === 0) continue
    write(
      "user",
      calls.map((call) => functionResponse(call, target)),
    )
    last = "results"
  }
  return `[${written}]`
}

function userPart(part: Content): string[] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [`{"text":"${escapedText(part)}"}`]
  const unfit = unfitImage(part, IMAGES)
  if (unfit) return [`{"text":${jsonText(unfit)}}`]
  return [once(part, () => `{"inlineData":${jsonText({ mimeType: part.mediaType, data: part.data })}}`)]
}

function modelParts(reply: AssistantMessage, target: Target): string[] {
  const own = reply.model === target.id && !reply.interrupted
  const parts: string[] = []
  let firstCall = true
  let text: { text: string } | undefined
  for (const part of reply.parts) {
    if (part.type === "reasoning") {
      if (own) writeSigned(parts, text, part.state, target)
      text = undefined
    } else if (part.type === "call") {
      parts.push(functionCall(part, firstCall, target))
      firstCall = false
      text = undefined
    } else if (part.text.trim() !== "") {
      parts.push(`{"text":"${escapedText(part)}"}`)
      text = part
    }
  }
  if (reply.interrupted) parts.push(`{"text":"${BROKE_OFF}"}`)
  return parts
}

/** R9: signed parts go back in their place. One that ends the text before it is parted from it again. */
function writeSigned(
  parts: string[],
  text: { text: string } | undefined,
  state: ProviderState | undefined,
  target: Target,
): void {
  for (const signed of signedParts(state, target)) {
    if (signed.tail > 0 && text && signed.tail <= text.text.length) {
      parts.pop()
      const at = text.text.length - signed.tail
      if (at > 0) parts.push(`{"text":${jsonText(text.text.slice(0, at))}}`)
      parts.push(signedPart(signed, text.text.slice(at)))
    } else parts.push(signedPart(signed, signed.text))
    text = undefined
  }
}

function signedPart({ thought, signature }: SignedPart, text: string): string {
  return jsonText({ text, ...(thought && { thought }), thoughtSignature: signature })
}

function functionCall({ call, state }: CallPart, first: boolean, target: Target): string {
  const own = callState(state, target)
  const signature = own?.signature ?? (first && wantsSignature(target) ? PLACEHOLDER : undefined)
  const signed = signature === undefined ? "" : `,"thoughtSignature":${jsonText(signature)}`
  return `{"functionCall":{${identity(call, own)},"args":${once(call, () => jsonText(call.input))}}${signed}}`
}

function functionResponse(answered: AnsweredCall, target: Target): string {
  const { part, result } = answered
  const field = result && !isErrorResult(result.kind) ? "output" : "error"
  const name = identity(part.call, callState(part.state, target))
  return `{"functionResponse":{${name},"response":{"${field}":"${resultText(answered)}"}}}`
}

/** An id stands on both sides or on none: only where the model itself gave one. Else calls and results pair by their order. */
function identity(call: ReceivedCall, state: CallState | undefined): string {
  const id = state?.id === undefined ? "" : `"id":${jsonText(state.id)},`
  return `${id}"name":${jsonText(geminiName(call.name))}`
}

function geminiName(name: string): string {
  const plain = plainName(name)
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`.slice(0, 64)
}

/** Gemini from its third generation on, and whoever refused what it was given. What does not say its generation is newer. */
function wantsSignature({ model, profile }: Target): boolean {
  return profile.omit.includes("reasoning") || (/gemini/i.test(model) && !/gemini-[12]\b/i.test(model))
}
