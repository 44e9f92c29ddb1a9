/** The history as blocks that are kept or left out whole, so that every call keeps its results; and how a block is made shorter. Pure. */
import { truncate } from "../text/truncate.ts"
import type { Content, Message, ResultMessage } from "../types/message.ts"
import { estimateMessages } from "./estimate-tokens.ts"

/** Words by themselves, or a reply with the results of its calls. */
export interface Block {
  messages: readonly Message[]
}

export function blocksOf(messages: readonly Message[]): Block[] {
  const blocks: Message[][] = []
  for (const message of messages) {
    if (message.role === "result") blocks.at(-1)?.push(message)
    else blocks.push([message])
  }
  return blocks.map((block) => ({ messages: block }))
}

export function isReply({ messages }: Block): boolean {
  return messages[0]?.role === "assistant"
}

export function itemsOf({ messages }: Block): string[] {
  return messages.flatMap((message) => itemOf(message) ?? [])
}

/** The name under which a part of the history is pinned or dropped. */
export function itemOf(message: Message): string | undefined {
  return message.role === "result" ? message.callKey : message.item
}

export function tokensOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { messages }) => sum + estimateMessages(messages), 0)
}

/** The same block with every result of more than `most` characters made short, except those of `pins`. */
export function shortenResults(block: Block, most: number, pins: ReadonlySet<string> = new Set()): Block {
  const names = namesIn(block)
  let changed = false
  const messages = block.messages.map((message) => {
    if (message.role !== "result" || pins.has(message.callKey)) return message
    const shorter = shortenResult(message, most, names.get(message.callKey) ?? "the call")
    changed ||= shorter !== message
    return shorter
  })
  return changed ? { messages } : block
}

function namesIn({ messages }: Block): Map<string, string> {
  const [first] = messages
  if (first?.role !== "assistant") return new Map()
  return new Map(first.parts.flatMap((part) => (part.type === "call" ? [[part.call.key, part.call.name] as const] : [])))
}

const SHORTENED = "[Joey shortened this old result:"

function shortenResult(message: ResultMessage, most: number, name: string): ResultMessage {
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
  const images = message.content.filter((part) => part.type === "image").length
  if ((text.length <= most && images === 0) || text.includes(SHORTENED)) return message
  const seen = images > 0 ? ` and ${images === 1 ? "an image" : `${images} images`}` : ""
  const left = Math.max(0, text.length - most)
  const gap = `${SHORTENED} ${left} of ${text.length} characters${seen} left out. If you need them, make the same call of ${name} again, unless that would change something.]`
  return { ...message, content: [{ type: "text", text: headAndTail(text, most, gap) }] }
}

/** Much of the beginning, some of the end, and a line between that says what is missing. */
export function headAndTail(text: string, most: number, gap: string): string {
  if (text.length <= most) return text === "" ? gap : `${text}\n${gap}`
  const tail = Math.floor(most * 0.3)
  const head = truncate(text, Math.max(1, most - tail)).slice(0, -1)
  const start = text.length - tail
  const splitsPair = /[\uDC00-\uDFFF]/.test(text.charAt(start))
  return `${head}\n${gap}\n${tail === 0 ? "" : text.slice(splitsPair ? start + 1 : start)}`
}

/** Where the whole of a text that was cut can be read; undefined when it could not be kept. */
export type KeepText = (text: string) => Promise<string | undefined>

/** Words of a person, or what they brought along, with no piece longer than `most` characters; the whole of a piece goes to a file. */
export async function boundContent(content: readonly Content[], most: number, keep: KeepText): Promise<Content[]> {
  return Promise.all(
    content.map(async (part): Promise<Content> => {
      if (part.type !== "text" || part.text.length <= most) return part
      const path = await keep(part.text)
      const where = path === undefined ? "the task's log has all of it" : `all of it is in the file ${path}`
      const gap = `[Joey left out ${part.text.length - most} of ${part.text.length} characters here; ${where}.]`
      return { type: "text", text: headAndTail(part.text, most, gap) }
    }),
  )
}
