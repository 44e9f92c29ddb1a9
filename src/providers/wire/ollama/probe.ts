/** What an Ollama server says of its model, asked before a task begins (O3): a model without tools must be talked to otherwise. */
import { openLine, readBytes } from "../../http.ts"
import { parseJson } from "../../parse-json.ts"
import type { Target } from "../../target.ts"

export interface OllamaAbilities {
  tools: boolean
  thinking: boolean
  images: boolean
  /** What the model was made for; more than a machine may have memory for. */
  longest?: number
}

const PATIENCE_MS = 3000
const MOST_BYTES = 4 * 1024 * 1024

/** undefined when it does not say, soon, or in a form we know. Never throws. */
export async function probeOllama(target: Target, signal: AbortSignal): Promise<OllamaAbilities | undefined> {
  const url = new URL(target.baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, "")}/show`
  const headers: Record<string, string> = { ...target.headers, "content-type": "application/json" }
  if (target.key) headers["authorization"] = `Bearer ${target.key.value}`
  const body = JSON.stringify({ model: target.model })
  const posted = await openLine(target).post({ url: url.href, headers, body, headersMs: PATIENCE_MS, signal })
  if (!("response" in posted)) return undefined
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const bytes of readBytes(posted.response, signal, () => PATIENCE_MS)) {
    pieces.push(bytes)
    size += bytes.length
    if (size > MOST_BYTES) return undefined
  }
  return posted.response.statusCode === 200 ? abilitiesIn(parseJson(Buffer.concat(pieces).toString("utf8"))) : undefined
}

function abilitiesIn(value: unknown): OllamaAbilities | undefined {
  const { capabilities, model_info } = (value ?? {}) as { capabilities?: unknown; model_info?: unknown }
  if (!Array.isArray(capabilities)) return undefined // older servers do not say
  const known = Object.entries(typeof model_info === "object" && model_info !== null ? model_info : {})
  const [, longest] = known.find(([key]) => key.endsWith(".context_length")) ?? []
  return {
    tools: capabilities.includes("tools"),
    thinking: capabilities.includes("thinking"),
    images: capabilities.includes("vision"),
    ...(typeof longest === "number" && { longest }),
  }
}
