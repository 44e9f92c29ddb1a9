/**
 * What the client package would refuse, let through: it drops a result of the kind `task`, sends no method of the other revision, and gives up a
 * whole list or result for one bad item. Requests made here reach the server as they are, and their answers come back as they came.
 */
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client"

/** Before a method: the package takes it for an extension of ours. Nothing of it is on the wire. */
const RAW = "joey/"
/** In `_meta` of a result that stands for a task. */
const TASK = "joey/task"
/** In `_meta` of a result of a tool: all of it. */
const RESULT = "joey/result"

export interface RawOptions {
  signal: AbortSignal
  timeout?: number
}

/** Accepts whatever comes: who asked looks at it. */
const anything = {
  "~standard": { version: 1 as const, vendor: "joey", validate: (value: unknown) => ({ value }) },
}

/** Only over a transport that was given to `letThrough`. */
export async function rawRequest(
  client: Client,
  method: string,
  params: Record<string, unknown>,
  options: RawOptions,
): Promise<unknown> {
  const result = await client.request({ method: `${RAW}${method}`, params }, anything, options)
  return isRecord(result) ? resultIn(result) : result
}

/** The task that a result stands for, as the server sent it. */
export function taskIn(result: { _meta?: Record<string, unknown> | undefined }): unknown {
  return result._meta?.[TASK]
}

/** What a tool gave, as the server sent it. */
export function resultIn(result: { _meta?: Record<string, unknown> | undefined }): unknown {
  return result._meta?.[RESULT] ?? result
}

/** The same transport; the package sets and calls its members as before. */
export function letThrough(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(outward(message), options)
  let listener = transport.onmessage
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => listener,
    set(given: Transport["onmessage"]) {
      listener = given && ((message, extra) => given(inward(message), extra))
    },
  })
  return transport
}

function outward<Message extends JSONRPCMessage>(message: Message): Message {
  if (!("method" in message) || !message.method.startsWith(RAW)) return message
  return { ...message, method: message.method.slice(RAW.length) }
}

/**
 * Results of tools, and tasks in both forms: that of the extension, and the experimental one of 2025-11-25, where it stands in a member of its
 * own. The package gets a result that it finds no fault with.
 */
function inward<Message extends JSONRPCMessage>(message: Message): Message {
  if (!("result" in message) || !isRecord(message.result)) return message
  const { result } = message
  const { resultType, content, _meta } = result
  if (isRecord(_meta) && (TASK in _meta || RESULT in _meta)) return message // listeners are chained
  const outer = (meta: Record<string, unknown>) => ({ ...message, result: { resultType: "complete", content: [], _meta: meta } })
  if (Array.isArray(content) && (resultType === undefined || resultType === "complete")) return outer({ [RESULT]: result })
  const isExperimental = isRecord(result["task"]) && content === undefined
  if (resultType !== "task" && !isExperimental) return message
  return outer({ [TASK]: isExperimental ? result["task"] : result })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
