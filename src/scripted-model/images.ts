/**
 * The image side of a scripted model: requests for an image, in a chat or at the endpoint for images, and their answers. They use up
 * no step of the scenario, so that a task's own model and its image model can be one server.
 */
import type { IncomingHttpHeaders } from "node:http"
import { isObject } from "./check-value.ts"
import { type Reply, refuse } from "./scenario.ts"

export interface ImageRequest {
  api: "chat" | "images"
  model: string
  prompt: string
  /** Of the image to be changed, as it was sent: a data URL in a chat, the kind of the file elsewhere. */
  image?: string
  authorization?: string
}

/** An image as base64, or any answer: a refusal, a body, words. */
export type ImageReply = { image: string; mediaType?: string } | Reply

/** `turn` counts the requests for images, from 0. */
export type ImageScript = (request: ImageRequest, turn: number) => ImageReply

/** A red square of 16 pixels each way. */
export const RED_SQUARE =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg=="

export const redSquares: ImageScript = () => ({ image: RED_SQUARE })

export interface ReceivedImage {
  path: string
  headers: IncomingHttpHeaders
  bytes: Buffer
  body: unknown
}

/** Undefined for what is no request for an image; `problems` for one that breaks the rules. */
export function imageRequest(received: ReceivedImage): { request: ImageRequest; problems: string[] } | undefined {
  const { path, body, headers } = received
  const { authorization } = headers
  const more = authorization === undefined ? {} : { authorization }
  if (path.endsWith("/images/edits")) return editRequest(received, more)
  if (!isObject(body)) return undefined
  const isChat = path.endsWith("/chat/completions") && Array.isArray(body["modalities"]) && body["modalities"].includes("image")
  if (!isChat && !path.endsWith("/images/generations")) return undefined
  const [message] = Array.isArray(body["messages"]) ? body["messages"] : []
  const content = isObject(message) ? message["content"] : undefined
  const { prompt, image } = isChat ? promptIn(content) : { prompt: body["prompt"], image: undefined }
  const problems = [
    ...check(typeof body["model"] === "string" && body["model"] !== "", "model must be a name"),
    ...check(typeof prompt === "string" && prompt !== "", "there is no prompt"),
    ...check(!isChat || body["stream"] !== true, "images are not streamed"),
  ]
  const request: ImageRequest = {
    api: isChat ? "chat" : "images",
    model: String(body["model"]),
    prompt: String(prompt),
    ...(typeof image === "string" && { image }),
    ...more,
  }
  return { request, problems }
}

function promptIn(content: unknown): { prompt: unknown; image?: unknown } {
  if (!Array.isArray(content)) return { prompt: content }
  const parts = content.filter(isObject)
  const url = parts.find((part) => part["type"] === "image_url")?.["image_url"]
  return { prompt: parts.find((part) => part["type"] === "text")?.["text"], image: isObject(url) ? url["url"] : undefined }
}

/** A form: only what tells whether it is whole is looked at. */
function editRequest(
  { headers, bytes: received }: ReceivedImage,
  more: { authorization?: string },
): { request: ImageRequest; problems: string[] } {
  const bytes = received.toString("latin1") // one character per byte
  const [, boundary = ""] = /^multipart\/form-data; boundary=(\S+)$/.exec(headers["content-type"] ?? "") ?? []
  const parts = boundary === "" ? [] : bytes.split(`--${boundary}`).slice(1, -1)
  const field = (name: string) => {
    const part = parts.find((one) => one.includes(`name="${name}"`))
    return part && Buffer.from(part.slice(part.indexOf("\r\n\r\n") + 4, -2), "latin1").toString()
  }
  const [, kind] = /content-type: (\S+)/.exec(parts.find((part) => part.includes('name="image"')) ?? "") ?? []
  const model = field("model")
  const prompt = field("prompt")
  const problems = [
    ...check(model !== undefined && prompt !== undefined, "the form lacks its model or its prompt"),
    ...check(kind !== undefined, "the form lacks its image"),
    ...check(bytes.endsWith(`--${boundary}--\r\n`), "the form does not end"),
  ]
  return { request: { api: "images", model: model ?? "", prompt: prompt ?? "", ...(kind && { image: kind }), ...more }, problems }
}

/** As the endpoint answers that was asked. */
export function imageAnswer({ api }: ImageRequest, reply: ImageReply): Reply {
  if (!("image" in reply)) return reply
  const { image, mediaType = "image/png" } = reply
  const message = {
    role: "assistant",
    content: "",
    images: [{ type: "image_url", image_url: { url: `data:${mediaType};base64,${image}` } }],
  }
  const usage = { prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010, cost: 0.04 }
  const body =
    api === "chat"
      ? { choices: [{ index: 0, message, finish_reason: "stop" }], usage }
      : { created: 0, data: [{ b64_json: image }], usage }
  return { pieces: [], body: JSON.stringify(body) }
}

/** What is wrong with a request is told as a real server would. */
export function refuseImage(problems: readonly string[]): Reply {
  return refuse(400, `Invalid request: ${problems.join("; ")}`)
}

function check(holds: boolean, problem: string): string[] {
  return holds ? [] : [problem]
}
