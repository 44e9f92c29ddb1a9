/**
 * What Gemini wants back in its place: signatures on parts, and ids of calls. Kept under a key of its own, because the same model
 * may have been spoken to over another wire before; what does not have this shape is not sent.
 */
import type { ProviderState } from "../../../types/message.ts"
import type { Target } from "../../target.ts"

/** A part that carried a signature and was no call. */
export interface SignedPart {
  signature: string
  thought: boolean
  /** Of a thought. */
  text: string
  /** The part was the last characters of the text before it. */
  tail: number
}

export interface CallState {
  signature?: string
  id?: string
}

export function stateOfParts(target: Target, parts: readonly SignedPart[]): ProviderState {
  return { model: target.id, data: { gemini: { parts } } }
}

export function stateOfCall(target: Target, call: CallState): ProviderState {
  return { model: target.id, data: { gemini: call } }
}

export function signedParts(state: ProviderState | undefined, target: Target): SignedPart[] {
  const parts = ours(state, target)?.["parts"]
  return Array.isArray(parts) ? parts.flatMap(readPart) : []
}

export function callState(state: ProviderState | undefined, target: Target): CallState | undefined {
  const data = ours(state, target)
  if (!data) return undefined
  const { signature, id } = data
  return { ...(isSignature(signature) && { signature }), ...(typeof id === "string" && id !== "" && { id }) }
}

function readPart(value: unknown): SignedPart[] {
  const part = record(value)
  if (!part || !isSignature(part["signature"])) return []
  const { signature, thought, text, tail } = part
  return [
    {
      signature,
      thought: thought === true,
      text: typeof text === "string" ? text : "",
      tail: typeof tail === "number" && tail > 0 ? tail : 0,
    },
  ]
}

/** Base64 of either alphabet: anything else would have the whole request refused. */
export function isSignature(value: unknown): value is string {
  return typeof value === "string" && /^[\w+/-]+={0,2}$/.test(value)
}

function ours(state: ProviderState | undefined, target: Target): Record<string, unknown> | undefined {
  const wanted = state?.model === target.id && !target.profile.omit.includes("reasoning")
  return wanted ? record(record(state.data)?.["gemini"]) : undefined
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
}
