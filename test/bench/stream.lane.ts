/** From bytes to calls: the stations of a streamed reply alone and together, and what they are held against. */

import type { Target } from "../../src/providers/target.ts"
import { custom } from "../../src/providers/vendors.ts"
import { openaiChat } from "../../src/providers/wire/openai-chat.ts"
import { streamBeats } from "../../src/scripted-model/completion.ts"
import { readReply } from "../../src/stream/assistant-message.ts"
import { assembleToolCalls } from "../../src/stream/tool-call-assembler.ts"
import { parseToolCalls } from "../../src/stream/tool-call-parser.ts"
import type { Chunk } from "../../src/types/chunk.ts"
import { argumentText, cut } from "./json-texts.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface StreamCell {
  length: number
  /** Every frame is padded with other text, as some servers do: no frame is like the one before. */
  padded: boolean
}

const TOOL = "write_file"
const READ_SIZE = 65_536
const isKnownTool = (name: string) => name === TOOL

const target: Target = {
  id: "bench/model",
  vendor: "Bench",
  wire: "openai-chat",
  model: "model",
  baseUrl: "http://127.0.0.1/v1",
  headers: {},
  profile: custom.profile,
  timers: custom.timers,
}

function framesOf({ length, padded }: StreamCell): string[] {
  const label = { id: "chatcmpl-1", model: "model", created: 1_750_000_000, callPrefix: "call_", usage: undefined }
  const beats = [...streamBeats({ pieces: [{ call: TOOL, raw: argumentText("long string", length) }] }, label)]
  const frames = beats.filter((beat) => typeof beat === "string")
  return padded ? frames.map(pad) : frames
}

function pad(frame: string, index: number): string {
  return frame.startsWith("data: {")
    ? frame.replace("data: {", `data: {"obfuscation":"${index.toString(36).padStart(9, "x")}",`)
    : frame
}

function readsOf(cell: StreamCell): Buffer[] {
  const bytes = Buffer.from(framesOf(cell).join(""))
  return Array.from({ length: Math.ceil(bytes.length / READ_SIZE) }, (_, n) => bytes.subarray(n * READ_SIZE, (n + 1) * READ_SIZE))
}

function chunksOf(cell: StreamCell): Chunk[] {
  const reader = openaiChat.open(target)
  return [...readsOf(cell).flatMap((bytes) => reader.step(bytes)), ...reader.halt()]
}

function replyReader() {
  return readReply({ model: "model", keyPrefix: "1", isKnownTool, endsSilently: false, onDraft: () => {} })
}

function must(right: boolean): void {
  if (!right) throw new Error("the call was not read")
}

const jobs: Record<string, Job<StreamCell>> = {
  /** Concatenate the argument text, parse once. */
  limit({ length }) {
    const pieces = cut(argumentText("long string", length), 12)
    return () => {
      let text = ""
      for (const piece of pieces) text += piece
      return JSON.parse(text)
    }
  },
  /** `JSON.parse` of each frame, already cut out of the bytes. */
  frames(cell) {
    const texts = framesOf(cell)
      .map((frame) => frame.slice(6, -2))
      .filter((text) => text.startsWith("{"))
    return () => {
      let found = 0
      for (const text of texts) if (JSON.parse(text).choices.length > 0) found++
      must(found > 0)
    }
  },
  wire(cell) {
    const reads = readsOf(cell)
    return () => {
      const reader = openaiChat.open(target)
      let chunks = 0
      for (const bytes of reads) chunks += reader.step(bytes).length
      must(chunks > 0 && reader.halt().at(-1)?.type === "end")
    }
  },
  assembler(cell) {
    const partials = chunksOf(cell).filter((chunk) => chunk.type === "tool_call_partial")
    return () => {
      const assembler = assembleToolCalls({ keyPrefix: "1", isKnownTool })
      let out = 0
      for (const partial of partials) out += assembler.step(partial).length
      must(out > 0 && assembler.halt().length === 1)
    }
  },
  parser({ length }) {
    const pieces = cut(argumentText("long string", length), 12)
    return () => {
      const parser = parseToolCalls()
      parser.start("1.1", "call_0", TOOL)
      for (const piece of pieces) parser.delta("1.1", piece)
      must(!("malformed" in parser.seal("1.1", { cut: false })))
    }
  },
  reply(cell) {
    const chunks = chunksOf(cell)
    return () => {
      const reader = replyReader()
      for (const chunk of chunks) reader.step(chunk)
      must(reader.halt().calls.length === 1)
    }
  },
  whole(cell) {
    const reads = readsOf(cell)
    return () => {
      const wire = openaiChat.open(target)
      const reader = replyReader()
      for (const bytes of reads) for (const chunk of wire.step(bytes)) reader.step(chunk)
      for (const chunk of wire.halt()) reader.step(chunk)
      must(reader.halt().calls.length === 1)
    }
  },
}

serveLane(jobs)
