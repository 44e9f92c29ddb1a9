/**
 * Joins what came in one network read and says the same in one chunk as in many: pieces of text, pieces of one call's arguments. A
 * megabyte in pieces of a dozen characters then passes the rest of the way in hundreds of chunks instead of a hundred thousand.
 */
import type { Chunk, ToolCallPartial } from "../types/chunk.ts"

export function joinPieces(chunks: readonly Chunk[]): readonly Chunk[] {
  if (chunks.length < 2) return chunks
  const joined: Chunk[] = []
  /** What the last one ended with, as it came. */
  let before = ""
  for (const chunk of chunks) {
    const last = joined.at(-1)
    const piece = pieceOf(chunk)
    if (last && piece !== undefined && continues(last, chunk) && !isSnapshot(chunk, piece, before)) add(last, piece)
    else joined.push(piece === undefined ? chunk : { ...chunk })
    before = piece ?? ""
  }
  return joined
}

/** undefined for whatever is more than a piece. */
function pieceOf(chunk: Chunk): string | undefined {
  if (chunk.type === "text" || chunk.type === "tool_call_delta") return chunk.text
  return chunk.type === "tool_call_partial" && isBare(chunk) ? chunk.arguments : undefined
}

/** With an id or a name it may begin another call: that is not decided here. */
function isBare({ id, name, state }: ToolCallPartial): boolean {
  return !id && !name && !state
}

function continues(last: Chunk, next: Chunk): boolean {
  if (last.type !== next.type) return false
  if (last.type === "tool_call_delta" && next.type === "tool_call_delta") return last.key === next.key
  if (last.type !== "tool_call_partial" || next.type !== "tool_call_partial") return true
  return isBare(last) && last.index === next.index
}

/** A8: some servers send all arguments so far each time; whoever puts them together must see each. */
function isSnapshot({ type }: Chunk, piece: string, before: string): boolean {
  return type === "tool_call_partial" && piece.startsWith(before)
}

function add(last: Chunk, piece: string): void {
  if (last.type === "tool_call_partial") last.arguments = (last.arguments ?? "") + piece
  else if (last.type === "text" || last.type === "tool_call_delta") last.text += piece
}
