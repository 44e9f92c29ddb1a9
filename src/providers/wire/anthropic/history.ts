/**
 * The neutral history as the `messages` of an Anthropic request, in JSON. Whatever the history holds, the outcome obeys the wire's
 * rules: a user message first, roles in turn, each call answered exactly once at the head of the next message, nothing blank.
 */
import { type AssistantMessage, type Content, isErrorResult, type Message, type ResultMessage } from "../../../types/message.ts"
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
import { type ThoughtBlock, thoughtsIn } from "./thoughts.ts"

const FITTING_ID = /^[a-zA-Z0-9_-]{1,64}$/
const IMAGES: ImageRules = { kinds: ["image/jpeg", "image/png", "image/gif", "image/webp"], largest: 5 * 1024 * 1024 }
/** Of four marks a request may have, two are on the tools and on the system prompt. */
const MARKED_MESSAGES = 2

const once = rememberJson()

interface Written {
  role: "user" | "assistant"
  blocks: string[]
}

export function writeHistory(messages: readonly Message[], target: Target): string {
  const written: Written[] = []
  /** What goes into the next message of the user: results first. */
  let said: string[] = []
  const ids = callIds(FITTING_ID)

  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message?.role === "user") said.push(...contentBlocks(message.content))
    if (message?.role !== "assistant") continue // a result is taken by its call, below
    const own = message.model === target.id
    const calls = new Map<CallPart, string>()
    for (const part of message.parts) if (part.type === "call") calls.set(part, ids(part.call.id, own))
    const blocks = assistantBlocks(message, calls, target)
    if (blocks.length === 0) continue
    written.push({ role: "user", blocks: said.length > 0 ? said : [textBlock(GO_ON)] }, { role: "assistant", blocks })
    const results = resultsAfter(messages, at)
    said = [...calls].map(([{ call }, id]) => resultBlock(id, results.get(call.key)))
  }
  written.push({ role: "user", blocks: said.length > 0 ? said : [textBlock(GO_ON)] })
  if (!target.profile.omit.includes("cache_control")) markLast(written)
  return `[${written.map(({ role, blocks }) => `{"role":"${role}","content":[${blocks.join(",")}]}`).join(",")}]`
}

/** Set behind all else in a block, so that what stands before stays the same when the mark moves on. */
export function marked(block: string): string {
  return `${block.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`
}

/**
 * The end of the last message is written to the cache for the next turn, and the end of the user's message before was written there
 * by the last turn: marking it too finds that entry also behind a turn of many calls.
 */
function markLast(written: readonly Written[]): void {
  let left = MARKED_MESSAGES
  for (let at = written.length - 1; at >= 0 && left > 0; at--) {
    const message = written[at]
    const last = message?.blocks.at(-1)
    if (message?.role !== "user" || last === undefined) continue
    message.blocks = [...message.blocks.slice(0, -1), marked(last)]
    left--
  }
}

/** Empty when nothing would be left to send. Thinking alone is no message, and none may end with it: it waits for what it led to. */
function assistantBlocks(message: AssistantMessage, calls: ReadonlyMap<CallPart, string>, target: Target): string[] {
  const replays = message.model === target.id && !message.interrupted && !target.profile.omit.includes("reasoning")
  const blocks: string[] = []
  let thoughts: string[] = []
  for (const part of message.parts) {
    if (part.type === "reasoning") {
      const own = replays && part.state?.model === target.id ? thoughtsIn(part.state) : undefined
      thoughts.push(...(own ?? []).map((thought) => verbatim(thought)).filter(Boolean))
    } else if (part.type === "call" || part.text.trim() !== "") {
      const block =
        part.type === "call" ? callBlock(part, calls.get(part) ?? "") : `{"type":"text","text":"${escapedText(part)}"}`
      blocks.push(...thoughts, block)
      thoughts = []
    }
  }
  if (message.interrupted && blocks.length > 0) blocks.push(textBlock(BROKE_OFF))
  return blocks
}

/** Empty for a text that no server can decode: made readable, it would not be what was signed. */
function verbatim(thought: ThoughtBlock): string {
  return once(thought, () => {
    const json = JSON.stringify(thought)
    return jsonText(thought) === json ? json : ""
  })
}

/** A malformed call is replayed as what could be read of it. */
function callBlock({ call }: CallPart, id: string): string {
  const input = once(call, () => jsonText(call.input))
  return `{"type":"tool_use","id":${jsonText(id)},"name":${jsonText(plainName(call.name))},"input":${input}}`
}

function resultBlock(id: string, result: ResultMessage | undefined): string {
  const head = `{"type":"tool_result","tool_use_id":${jsonText(id)}`
  if (!result) return `${head},"content":${jsonText(NO_RESULT)},"is_error":true}`
  const images = result.content.some((part) => part.type === "image")
  const content = images
    ? `[${contentBlocks(result.content).join(",")}]`
    : `"${spokenTexts(result.content).join(NEXT_LINE) || NO_OUTPUT}"`
  return `${head},"content":${content}${isErrorResult(result.kind) ? ',"is_error":true' : ""}}`
}

function contentBlocks(content: readonly Content[]): string[] {
  return content.flatMap((part) => {
    if (part.type === "image") return [imageBlock(part)]
    return part.text.trim() === "" ? [] : [`{"type":"text","text":"${escapedText(part)}"}`]
  })
}

function imageBlock(part: ImagePart): string {
  return once(part, () => {
    const { mediaType, data } = part
    const unfit = unfitImage(part, IMAGES)
    if (unfit) return textBlock(unfit)
    return `{"type":"image","source":{"type":"base64","media_type":${jsonText(mediaType)},"data":"${data}"}}`
  })
}

function textBlock(text: string): string {
  return `{"type":"text","text":${jsonText(text)}}`
}
