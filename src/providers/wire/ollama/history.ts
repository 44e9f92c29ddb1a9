/**
 * The neutral history as the `messages` of an Ollama request, in JSON. Each call is answered directly behind its message, in call
 * order; arguments are objects; images stand beside the words of a person; there is always somebody the model answers.
 */
import type { AssistantMessage, Content, Message } from "../../../types/message.ts"
import type { Target } from "../../target.ts"
import { escapedText, jsonText, rememberJson } from "../json-text.ts"
import {
  BROKE_OFF,
  callIds,
  GO_ON,
  type ImagePart,
  type ImageRules,
  NEXT_PARAGRAPH,
  plainName,
  spokenTexts,
  unfitImage,
} from "../replay.ts"
import { type AnsweredCall, resultText, shownImages, turnsOf } from "../turns.ts"

const once = rememberJson()

const IMAGES: ImageRules = { kinds: ["image/png", "image/jpeg", "image/webp"], largest: 50 * 1024 * 1024 }

export interface Written {
  messages: string
  /** How much of them is text: what the server must have read, if it read all. */
  characters: number
}

export function writeMessages(system: string, messages: readonly Message[], target: Target): Written {
  /** Only appended to: it is copied once, when it is sent. */
  let written = ""
  let pictured = 0
  let last: "nobody" | "assistant" | "tool" = "nobody"
  let shown: Content[] = []
  const ids = callIds(target.profile.callIds)

  function write(role: string, fields: string): void {
    written += `${written === "" ? "" : ","}{"role":"${role}",${fields}}`
  }
  if (system.trim() !== "") write("system", `"content":${jsonText(system)}`)
  for (const { said, reply, calls } of turnsOf(messages)) {
    const { texts, images } = partsOf([...shown, ...said])
    shown = calls.flatMap(shownImages)
    if (texts.length === 0 && images === "" && last !== "tool") texts.push(GO_ON)
    pictured += images.length
    if (texts.length > 0 || images !== "") {
      write("user", `"content":"${texts.join(NEXT_PARAGRAPH)}"${images && `,"images":[${images}]`}`)
    }
    if (!reply) break
    const identified = calls.map((call) => ({ call, id: jsonText(ids(call.part.call.id, reply.model === target.id)) }))
    write("assistant", assistantFields(reply, identified, target))
    last = calls.length > 0 ? "tool" : "assistant"
    for (const { call, id } of identified) {
      const name = jsonText(plainName(call.part.call.name))
      write("tool", `"tool_name":${name},"tool_call_id":${id},"content":"${resultText(call)}"`)
    }
  }
  return { messages: `[${written}]`, characters: written.length - pictured }
}

function partsOf(content: readonly Content[]): { texts: string[]; images: string } {
  const texts: string[] = []
  const images: string[] = []
  for (const part of content) {
    if (part.type === "text") texts.push(...spokenTexts([part]))
    else if (unfitImage(part, IMAGES)) texts.push(jsonText(unfitImage(part, IMAGES)).slice(1, -1))
    else images.push(imageText(part))
  }
  return { texts, images: images.join(",") }
}

function imageText(part: ImagePart): string {
  return once(part, () => jsonText(part.data))
}

function assistantFields(reply: AssistantMessage, calls: readonly { call: AnsweredCall; id: string }[], target: Target): string {
  const texts = spokenTexts(reply.parts)
  if (reply.interrupted) texts.push(BROKE_OFF)
  const fields = [`"content":"${texts.join(NEXT_PARAGRAPH)}"`]
  const thoughts = reply.parts.filter((part) => part.type === "reasoning" && part.text !== "") as { text: string }[]
  if (reply.model === target.id && !reply.interrupted && thoughts.length > 0) {
    fields.push(`"thinking":"${thoughts.map(escapedText).join("")}"`)
  }
  if (calls.length > 0) {
    const written = calls.map(({ call: { part }, id }) => {
      const input = once(part.call, () => jsonText(part.call.input))
      return `{"id":${id},"function":{"name":${jsonText(plainName(part.call.name))},"arguments":${input}}}`
    })
    fields.push(`"tool_calls":[${written.join(",")}]`)
  }
  return fields.join(",")
}
