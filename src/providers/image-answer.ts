/** Finds the image in what a server answered, in any of the forms that servers have for it, or the words that stand in its place. */
import type { Usage } from "../types/usage.ts"

export type FoundImage = { bytes: Uint8Array } | { problem: string }

/** More than this is no picture for a workspace. */
export const MOST_IMAGE_BYTES = 20 * 1024 * 1024
const LONGEST_QUOTE = 300

export function imageIn(answer: unknown): FoundImage {
  const [found] = candidates(answer)
  if (found === undefined) {
    const words = wordsIn(answer)
    return { problem: words === "" ? "answered without an image" : `made no image, but said: ${words}` }
  }
  return decode(found)
}

/** What the server says it took; costs where it says so. */
export function usageIn(answer: unknown): Usage | undefined {
  const usage = member(answer, "usage")
  if (usage === undefined) return undefined
  const number = (...names: string[]) =>
    names.map((name) => member(usage, name)).find((one) => typeof one === "number" && one >= 0)
  const inputTokens = number("prompt_tokens", "input_tokens")
  const outputTokens = number("completion_tokens", "output_tokens")
  const cost = number("cost")
  if (typeof inputTokens !== "number" && typeof outputTokens !== "number" && typeof cost !== "number") return undefined
  return {
    inputTokens: typeof inputTokens === "number" ? inputTokens : 0,
    outputTokens: typeof outputTokens === "number" ? outputTokens : 0,
    ...(typeof cost === "number" && { cost }),
  }
}

/** Base64 or addresses, the likeliest first. */
function candidates(answer: unknown): string[] {
  const message = messageIn(answer)
  const parts = [...list(member(message, "images")), ...list(member(message, "content"))]
  const inParts = parts.flatMap((part) => {
    const url = member(part, "image_url")
    return [url, member(url, "url"), member(part, "b64_json"), member(member(part, "inline_data"), "data")]
  })
  const data = list(member(answer, "data")).flatMap((one) => [member(one, "b64_json"), member(one, "url")])
  const words = member(message, "content")
  const written = typeof words === "string" ? /data:image\/[\w+.-]+;base64,[A-Za-z0-9+/=]+/.exec(words)?.[0] : undefined
  return [...data, ...inParts, written].filter((one) => typeof one === "string" && one !== "") as string[]
}

function decode(found: string): FoundImage {
  if (/^https?:/i.test(found))
    return { problem: "answered with an address instead of the image; set imageModel.api to the other kind" }
  const base64 = found.replace(/^data:[^,]{0,200},/, "").replace(/\s+/g, "")
  if (base64.length > (MOST_IMAGE_BYTES * 4) / 3 + 4)
    return { problem: `answered with more than ${MOST_IMAGE_BYTES / 1024 / 1024} MB` }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) return { problem: "answered with something that is no image" }
  return { bytes: Buffer.from(base64, "base64") }
}

function wordsIn(answer: unknown): string {
  const message = messageIn(answer)
  const content = member(message, "content")
  const texts = typeof content === "string" ? [content] : list(content).map((part) => member(part, "text"))
  const said = [...texts, member(message, "refusal"), member(list(member(answer, "data"))[0], "revised_prompt")]
  const words = said
    .filter((one) => typeof one === "string")
    .join(" ")
    .replace(/\s+/g, " ")
    .trim()
  return words.length > LONGEST_QUOTE ? `${words.slice(0, LONGEST_QUOTE)}…` : words
}

function messageIn(answer: unknown): unknown {
  return member(list(member(answer, "choices"))[0], "message")
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
