/**
 * The neutral history as the `input` of a Responses request, in JSON: items in the order in which the model made them, each call with
 * its output behind it, reasoning only where the item that it led to follows.
 */
import type { AssistantMessage, Content, Message, ResultMessage } from "../../../types/message.ts"
import type { Target } from "../../target.ts"
import { escapedText, jsonText, rememberJson } from "../json-text.ts"
import {
  BROKE_OFF,
  type CallPart,
  callIds,
  GO_ON,
  type ImagePart,
  type ImageRules,
  NEXT_LINE,
  NO_OUTPUT,
  NO_RESULT,
  plainName,
  resultsAfter,
  spokenTexts,
  unfitImage,
} from "../replay.ts"
import { itemsIn, type ReasoningItem } from "./items.ts"

const FITTING_ID = /^[\w.:-]{1,64}$/
const IMAGES: ImageRules = { kinds: ["image/jpeg", "image/png", "image/gif", "image/webp"], largest: 20 * 1024 * 1024 }

const once = rememberJson()

export function writeHistory(messages: readonly Message[], target: Target): string {
  /** Only appended to: it is copied once, when it is sent. */
  let written = ""
  let last: "nobody" | "user" | "model" | "tool" = "nobody"
  let said: string[] = []
  const ids = callIds(FITTING_ID)

  function write(by: typeof last, item: string): void {
    written += written === "" ? item : `,${item}`
    last = by
  }
  /** The model answers a person or a tool; where neither spoke, it is asked to go on. */
  function writeSaid(): void {
    if (said.length === 0 && last !== "tool") said.push(textPart(GO_ON))
    if (said.length > 0) write("user", `{"type":"message","role":"user","content":[${said.join(",")}]}`)
    said = []
  }

  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === "user") said.push(...contentParts(message.content))
    if (message?.role !== "assistant") continue // a result is taken by its call, below
    const own = message.model === target.id
    const calls = new Map<CallPart, string>()
    for (const part of message.parts) if (part.type === "call") calls.set(part, ids(part.call.id, own))
    const items = assistantItems(message, calls, target)
    if (items.length === 0) continue
    writeSaid()
    for (const item of items) write("model", item)
    const results = resultsAfter(messages, at)
    for (const [part, id] of calls) {
      const result = results.get(part.call.key)
      write("tool", `{"type":"function_call_output","call_id":${jsonText(id)},"output":${output(result, target)}}`)
      if (target.profile.omit.includes("result_images")) said.push(...imagesOf(part, result))
    }
  }
  writeSaid()
  return `[${written}]`
}

function assistantItems(message: AssistantMessage, calls: ReadonlyMap<CallPart, string>, target: Target): string[] {
  const replays = message.model === target.id && !message.interrupted && !target.profile.omit.includes("reasoning")
  const items: string[] = []
  /** R12: reasoning that nothing follows is refused, so it waits for what it led to. */
  let thoughts: string[] = []
  let phase: string | undefined
  for (const part of message.parts) {
    if (part.type === "reasoning") {
      const state = replays && part.state?.model === target.id ? itemsIn(part.state) : undefined
      if (!state) continue
      thoughts.push(...state.items.map((item) => verbatim(item)).filter(Boolean))
      phase = state.phase ?? phase
    } else if (part.type === "call") {
      items.push(...thoughts, callItem(part, calls.get(part) ?? ""))
      thoughts = []
    } else if (part.text.trim() !== "") {
      items.push(...thoughts, messageItem(escapedText(part), phase))
      thoughts = []
      phase = undefined
    }
  }
  if (message.interrupted && items.length > 0) items.push(messageItem(BROKE_OFF))
  return items
}

/** Empty for a text that no server can decode: made readable, it would not be what was sealed. */
function verbatim(item: ReasoningItem): string {
  return once(item, () => {
    const json = JSON.stringify(item)
    return jsonText(item) === json ? json : ""
  })
}

function messageItem(escaped: string, phase?: string): string {
  const echoed = phase === undefined ? "" : `,"phase":${jsonText(phase)}`
  return `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"${escaped}"}]${echoed}}`
}

/** Arguments are a string that holds JSON. A malformed call is replayed as what could be read of it. */
function callItem({ call }: CallPart, id: string): string {
  const written = once(call, () => jsonText(jsonText(call.input)))
  return `{"type":"function_call","call_id":${jsonText(id)},"name":${jsonText(plainName(call.name))},"arguments":${written}}`
}

function output(result: ResultMessage | undefined, target: Target): string {
  if (!result) return jsonText(NO_RESULT)
  const images = result.content.filter((part) => part.type === "image").length
  if (images > 0 && !target.profile.omit.includes("result_images")) return `[${contentParts(result.content).join(",")}]`
  const texts = spokenTexts(result.content)
  if (images > 0) texts.push(images === 1 ? "[The image follows.]" : `[${images} images follow.]`)
  return `"${texts.join(NEXT_LINE) || NO_OUTPUT}"`
}

/** The images of a result follow as if a person had shown them, where a result holds text only. */
function imagesOf({ call }: CallPart, result: ResultMessage | undefined): string[] {
  const images = result?.content.filter((part) => part.type === "image") ?? []
  return images.length > 0 ? [textPart(`From the result of ${call.name}:`), ...images.map(imagePart)] : []
}

function contentParts(content: readonly Content[]): string[] {
  return content.flatMap((part) => {
    if (part.type === "image") return [imagePart(part)]
    return part.text.trim() === "" ? [] : [`{"type":"input_text","text":"${escapedText(part)}"}`]
  })
}

function imagePart(part: ImagePart): string {
  return once(part, () => {
    const unfit = unfitImage(part, IMAGES)
    if (unfit) return textPart(unfit)
    return `{"type":"input_image","detail":"auto","image_url":"data:${part.mediaType};base64,${part.data}"}`
  })
}

function textPart(text: string): string {
  return `{"type":"input_text","text":${jsonText(text)}}`
}
