/** For tests of readers: the same bytes whole, cut in two at every place, and one by one must read the same. */
import type { Chunk } from "../../types/chunk.ts"
import type { Target } from "../target.ts"
import type { WireReader } from "./wire.ts"

export const testTarget: Target = {
  id: "custom/m",
  vendor: "The server",
  wire: "openai-chat",
  model: "m",
  baseUrl: "http://host/v1",
  headers: {},
  timers: { headersMs: 1, firstTokenMs: 1, betweenChunksMs: 1 },
  profile: { endsSilently: false, thinkTags: "none", callIds: /^\S{1,64}$/, omit: [] },
}

export function readPieces(reader: WireReader, pieces: readonly Uint8Array[]): Chunk[] {
  return [...pieces.flatMap((piece) => reader.step(piece)), ...reader.halt()]
}

/** What the whole says, and each way of cutting it that says something else. */
export function readEverySplit(open: () => WireReader, wire: string): { chunks: Chunk[]; others: Chunk[][] } {
  const bytes = new TextEncoder().encode(wire)
  const chunks = readPieces(open(), [bytes])
  const splits = Array.from(bytes.keys(), (cut) => [bytes.subarray(0, cut), bytes.subarray(cut)])
  splits.push(Array.from(bytes, (byte) => Uint8Array.of(byte)))
  const text = JSON.stringify(chunks)
  const others = splits.map((pieces) => readPieces(open(), pieces)).filter((other) => JSON.stringify(other) !== text)
  return { chunks, others }
}
