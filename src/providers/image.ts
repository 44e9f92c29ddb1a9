/**
 * Asks a model for an image: in a chat that may answer with one, or through an endpoint for images. One request, one image; every way
 * in which it can go wrong is a ToolError of one line that never holds the key.
 */
import { randomBytes } from "node:crypto"
import type { Fault } from "../types/fault.ts"
import type { JsonObject } from "../types/json.ts"
import type { ImageModelSettings } from "../types/settings.ts"
import { ToolError } from "../types/tool.ts"
import type { Usage } from "../types/usage.ts"
import { classifyBreak, classifyComplaint, classifyRefusal, classifySilence, complaintIn } from "./classify.ts"
import { chooseModel } from "./connect.ts"
import { type Line, openLine, readBytes } from "./http.ts"
import { imageIn, MOST_IMAGE_BYTES, usageIn } from "./image-answer.ts"
import { parseJson } from "./parse-json.ts"
import type { Target } from "./target.ts"

export interface ImageWish {
  prompt: string
  /** One to be changed. */
  image?: { mediaType: string; bytes: Uint8Array }
  /** What the file's name asks for. */
  format: "png" | "jpeg" | "webp"
}

export interface MadeImage {
  bytes: Uint8Array
  usage?: Usage
}

export interface ImageMaker {
  /** Rejects with a ToolError, or with the signal's reason when that aborts. */
  make(wish: ImageWish, signal: AbortSignal): Promise<MadeImage>
}

export interface ImageOptions {
  caFile?: string | undefined
  /** For the whole of it; images take long. */
  timeoutMs?: number
}

const TIMEOUT_MS = 300_000
/** Base64 and the words around it. */
const MOST_ANSWER = Math.ceil(MOST_IMAGE_BYTES * 1.5)
/** Models that only the endpoint for images knows. */
const IMAGES_ONLY = /^(?:gpt-image|chatgpt-image|dall-e|imagen|flux|bfl\/|stable-|sd3|recraft)/i

export function imageMaker(choice: ImageModelSettings, env: NodeJS.ProcessEnv, options: ImageOptions = {}): ImageMaker {
  const { timeoutMs = TIMEOUT_MS, caFile } = options
  let opened: { target: Target; line: Line } | undefined
  return {
    async make(wish, signal) {
      opened ??= open(choice, env, caFile)
      const { target, line } = opened
      const api = choice.api ?? (IMAGES_ONLY.test(target.model) ? "images" : "chat")
      const request = api === "chat" ? chatRequest(target, wish) : imagesRequest(target, wish)
      const answer = await exchange({ target, line, ...request }, signal, timeoutMs)
      const found = imageIn(answer)
      if ("problem" in found) throw new ToolError(`${target.vendor} (${target.model}) ${found.problem}.`)
      const usage = usageIn(answer)
      return { bytes: found.bytes, ...(usage && { usage }) }
    },
  }
}

function open(choice: ImageModelSettings, env: NodeJS.ProcessEnv, caFile: string | undefined): { target: Target; line: Line } {
  const { model, baseUrl, apiKeyEnv } = choice
  const wire = baseUrl === undefined ? undefined : "openai-chat"
  const chosen = chooseModel({ model, baseUrl, apiKeyEnv, wire, caFile }, env)
  if (!chosen.ok) throw new ToolError(`The image model cannot be used (imageModel in the settings): ${chosen.problem}`)
  const { target } = chosen
  if (!target.wire.startsWith("openai")) {
    throw new ToolError(
      `${target.vendor} cannot be asked for images here; set imageModel to a model of openrouter or openai, or to a baseUrl.`,
    )
  }
  return { target, line: openLine(target) }
}

interface ImageRequest {
  path: string
  body: string | Uint8Array
  type: string
}

function chatRequest({ model }: Target, { prompt, image }: ImageWish): ImageRequest {
  const content = image
    ? [
        { type: "text", text: prompt },
        { type: "image_url", image_url: { url: `data:${image.mediaType};base64,${base64(image.bytes)}` } },
      ]
    : prompt
  const body = { model, messages: [{ role: "user", content }], modalities: ["image", "text"], stream: false }
  return { path: "/chat/completions", body: JSON.stringify(body), type: "application/json" }
}

function imagesRequest({ model }: Target, { prompt, image, format }: ImageWish): ImageRequest {
  const isOlder = /^dall-e/i.test(model)
  const fields: JsonObject = { model, prompt, n: 1, ...(isOlder ? { response_format: "b64_json" } : { output_format: format }) }
  if (!image) return { path: "/images/generations", body: JSON.stringify(fields), type: "application/json" }
  return { path: "/images/edits", ...form(fields, image) }
}

/** Nobody can foresee the boundary, so nothing in the prompt can end a part. */
function form(
  fields: JsonObject,
  { mediaType, bytes }: { mediaType: string; bytes: Uint8Array },
): Pick<ImageRequest, "body" | "type"> {
  const boundary = `joey-${randomBytes(16).toString("hex")}`
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`)
  const name = `image.${mediaType.replace("image/", "")}`
  const file = `${part(`name="image"; filename="${name}"`)}content-type: ${mediaType}\r\n\r\n`
  const body = Buffer.concat([Buffer.from(texts.join("") + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { body, type: `multipart/form-data; boundary=${boundary}` }
}

interface Exchange extends ImageRequest {
  target: Target
  line: Line
}

/** What the server answered, as JSON. */
async function exchange(asked: Exchange, signal: AbortSignal, timeoutMs: number): Promise<unknown> {
  const { target, line, path, body, type } = asked
  const until = performance.now() + timeoutMs
  const left = () => Math.max(0, until - performance.now())
  const headers = { "content-type": type, accept: "application/json", ...keyOf(target), ...target.headers }
  const posted = await line.post({ url: below(target.baseUrl, path), headers, body, headersMs: timeoutMs, signal })
  signal.throwIfAborted()
  if ("stop" in posted) {
    const { stop } = posted
    throw told(stop.why === "broken" ? classifyBreak(target, stop.error, false) : classifySilence(target, "headers", timeoutMs))
  }
  const { response } = posted
  const parts: Uint8Array[] = []
  let size = 0
  const reading = readBytes(response, signal, left)
  for (let read = await reading.next(); ; read = await reading.next()) {
    if (read.done) {
      signal.throwIfAborted()
      if (read.value.why === "broken") throw told(classifyBreak(target, read.value.error, true))
      if (read.value.why === "silent") throw told(classifySilence(target, "between-chunks", timeoutMs))
      break
    }
    parts.push(read.value)
    size += read.value.length
    if (size > MOST_ANSWER) {
      response.destroy()
      throw new ToolError(`${target.vendor} (${target.model}) answered with more than ${MOST_IMAGE_BYTES / 1024 / 1024} MB.`)
    }
  }
  const text = Buffer.concat(parts).toString("utf8")
  const { statusCode: status = 0 } = response
  if (status < 200 || status >= 300)
    throw told(classifyRefusal(target, { status, headers: response.headers, body: text.slice(0, 65_536) }))
  return answerIn(target, text)
}

function answerIn(target: Target, text: string): unknown {
  const answer = parseJson(text)
  if (typeof answer !== "object" || answer === null) {
    throw new ToolError(`${target.vendor} (${target.model}) answered with something else than JSON; check imageModel.baseUrl.`)
  }
  const complaint = complaintIn(answer)
  if (complaint) throw told(classifyComplaint(target, complaint))
  return answer
}

function keyOf({ key, keyHeader }: Target): Record<string, string> {
  if (!key) return {}
  return keyHeader ? { [keyHeader]: key.value } : { authorization: `Bearer ${key.value}` }
}

/** A query of the address stays behind the path. */
function below(baseUrl: string, path: string): string {
  const url = new URL(baseUrl)
  url.pathname = url.pathname.replace(/\/$/, "") + path
  return url.href
}

/** Its advice names flags of the task's own model; here the settings of the image model are meant. */
function told({ message }: Fault): ToolError {
  const here = message
    .replaceAll("--base-url", "imageModel.baseUrl")
    .replaceAll("--api-key-env", "imageModel.apiKeyEnv")
    .replaceAll("--model", "imageModel.model")
  return new ToolError(`No image was made. ${here}`)
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
}
