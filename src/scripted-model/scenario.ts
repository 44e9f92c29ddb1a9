/**
 * The format of a scenario: what a scripted model answers, request by request. Plain data that can be kept as JSON; a
 * function stands in only where the answer depends on the request.
 */
import type { JsonObject } from "../types/json.ts"
import type { ChatRequest } from "./chat-request.ts"

/** One thing in a reply. Pieces are sent in order. */
export type Piece =
  | { text: string }
  | { reasoning: string }
  /** `raw` is the argument text verbatim, whatever it holds; it wins over `input`. Without either the arguments are `{}`. */
  | { call: string; id?: string; input?: JsonObject; raw?: string }
  | { pause: number }
  /** Sent as it is: `data: …` and line ends included. */
  | { frame: string }
  /** From here on the socket stays open and silent. */
  | { hang: true }
  /** The socket is destroyed here. */
  | { cut: true }
  /** The response ends politely here: no finish reason, no usage, no `[DONE]`. */
  | { eof: true }

export interface ChatUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens?: number
  prompt_tokens_details?: { cached_tokens?: number }
  completion_tokens_details?: { reasoning_tokens?: number }
  /** In US dollars; some gateways send it. */
  cost?: number
}

export interface Reply {
  pieces: Piece[]
  /** Default: `tool_calls` when there are calls, else `stop`. null: none is sent. */
  finish?: string | null
  /** Whether `[DONE]` is sent. Default: yes. */
  done?: boolean
  /** Given: always sent. Default: an estimate, when the request asks for usage. null: never. */
  usage?: ChatUsage | null
  /** Characters per delta, 12 by default. A surrogate pair stays together. */
  chunkSize?: number
  /** Milliseconds between two frames. Default: 0, frames leave in batches. */
  pace?: number
  status?: number
  headers?: Record<string, string>
  /** The whole HTTP answer, instead of a stream. */
  body?: string
  /** An error with these words, in the form of the wire that is spoken; `status` says which. */
  refusal?: string
  /** Nothing is ever answered, not even headers. */
  stall?: "headers"
}

/** A step may look at the request. `turn` counts the requests of this server in order of arrival, from 0. */
export type Step = Reply | ((request: ChatRequest, turn: number) => Reply)

/** The n-th request gets the n-th step; or a function answers them all. */
export type Scenario = readonly Step[] | ((request: ChatRequest, turn: number) => Reply)

export function say(text: string): Piece {
  return { text }
}

export function think(text: string): Piece {
  return { reasoning: text }
}

export function call(name: string, input: JsonObject = {}, id?: string): Piece {
  return id === undefined ? { call: name, input } : { call: name, input, id }
}

/** A call whose argument text is sent exactly as given. */
export function rawCall(name: string, raw: string, id?: string): Piece {
  return id === undefined ? { call: name, raw } : { call: name, raw, id }
}

export function pause(milliseconds: number): Piece {
  return { pause: milliseconds }
}

/** An event that carries this value as JSON, for shapes the other pieces do not make. */
export function frame(value: unknown): Piece {
  return { frame: `data: ${JSON.stringify(value)}\n\n` }
}

export function reply(...pieces: Piece[]): Reply {
  return { pieces }
}

/** Only what the pieces say: nothing is added at the end. */
export function bareReply(...pieces: Piece[]): Reply {
  return { pieces, finish: null, done: false, usage: null }
}

/** An HTTP error in the form the wire uses. */
export function refuse(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { pieces: [], status, headers, refusal: message }
}

/** What a model says once its script has no more steps. */
export function scriptIsOver(): Reply {
  return reply(say("The script of this model is over: it has no further step."))
}

export function nextReply(scenario: Scenario, request: ChatRequest, turn: number): Reply {
  if (typeof scenario === "function") return scenario(request, turn)
  const step = scenario[turn]
  if (step === undefined) return scriptIsOver()
  return typeof step === "function" ? step(request, turn) : step
}

/** The machine word that several wires have for a status. */
export function errorType(status: number): string {
  if (status === 401 || status === 403) return "authentication_error"
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}
