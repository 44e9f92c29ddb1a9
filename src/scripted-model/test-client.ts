/** A plain client for tests of the scripted model: one request over a real socket, and the reply as it was on the wire. */
import { request } from "node:http"

export interface Received {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** false: the connection broke before the response was over. */
  whole: boolean
  /** How many network reads it took. */
  reads: number
}

export interface Assembled {
  text: string
  reasoning: string
  calls: { id: string; name: string; arguments: string }[]
  finish: string | null
  usage: unknown
  done: boolean
  deltas: number
}

export interface SendOptions {
  method?: string
  signal?: AbortSignal
  /** Called with what has arrived so far, on each read. */
  onText?(text: string): void
}

/** Rejects only if there is no response at all. */
export function send(url: string, body: unknown, options: SendOptions = {}): Promise<Received> {
  const { method = "POST", signal, onText } = options
  return new Promise((resolve, reject) => {
    let answered = false
    const outgoing = request(url, { method, agent: false, ...(signal && { signal }) }, (response) => {
      const received: Received = { status: response.statusCode ?? 0, headers: response.headers, text: "", whole: false, reads: 0 }
      answered = true
      response.setEncoding("utf8")
      response.on("data", (part: string) => {
        received.text += part
        received.reads++
        onText?.(received.text)
      })
      const over = () => resolve({ ...received, whole: response.complete })
      response.on("error", over).on("close", over)
    })
    outgoing.on("error", (error) => answered || reject(error))
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body))
  })
}

/** Puts a well-formed stream together. */
export function assemble(stream: string): Assembled {
  const whole: Assembled = { text: "", reasoning: "", calls: [], finish: null, usage: undefined, done: false, deltas: 0 }
  for (const event of stream.split("\n\n")) {
    if (event === "data: [DONE]") whole.done = true
    else if (event !== "") readChunk(JSON.parse(event.slice("data: ".length)), whole)
  }
  return whole
}

interface WireChunk {
  choices: { delta: WireDelta; finish_reason: string | null }[]
  usage?: unknown
}

interface WireDelta {
  content?: string
  reasoning_content?: string
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[]
}

function readChunk(chunk: WireChunk, whole: Assembled): void {
  whole.usage = chunk.usage ?? whole.usage
  for (const { delta, finish_reason } of chunk.choices) {
    whole.deltas++
    whole.finish = finish_reason ?? whole.finish
    whole.text += delta.content ?? ""
    whole.reasoning += delta.reasoning_content ?? ""
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      whole.calls[index] ??= { id: id ?? "", name: called.name ?? "", arguments: "" }
      whole.calls[index].arguments += called.arguments
    }
  }
}
