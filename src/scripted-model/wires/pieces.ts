/** The pieces of a scenario's reply, cut up as every wire sends them. */
import type { Beat } from "../completion.ts"
import type { Piece, Reply } from "../scenario.ts"

const CHUNK_SIZE = 12

export function chunkSize(reply: Reply): number {
  return Math.max(1, reply.chunkSize ?? CHUNK_SIZE)
}

/** A surrogate pair stays together. */
export function* slices(text: string, size: number): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    let end = start + size
    const code = text.charCodeAt(end - 1)
    if (code >= 0xd800 && code <= 0xdbff) end++
    yield text.slice(start, end)
    start = end
  }
}

/** What a call piece says, verbatim. */
export function argumentText(piece: { input?: object; raw?: string }): string {
  return piece.raw ?? JSON.stringify(piece.input ?? {})
}

/** The arguments as an object, for wires that have no text of them; what is no object becomes an empty one. */
export function argumentObject(piece: { input?: object; raw?: string }): object {
  try {
    const value: unknown = JSON.parse(argumentText(piece))
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The beat of a piece that says nothing: a wait, raw bytes, or an end. */
export function silentBeat(piece: Exclude<Piece, { text: string } | { reasoning: string } | { call: string }>): Beat {
  if ("pause" in piece) return { pause: piece.pause }
  if ("frame" in piece) return piece.frame
  if ("hang" in piece) return { end: "hang" }
  return { end: "cut" in piece ? "cut" : "eof" }
}

/** The reason a reply gives for its end, in the words of chat completions; null: it gives none. */
export function finishOf(reply: Reply): string | null {
  if (reply.finish !== undefined) return reply.finish
  return reply.pieces.some((piece) => "call" in piece) ? "tool_calls" : "stop"
}
