/** Each wire alone: a reply of text and a call of a megabyte, from bytes to the message, and `JSON.parse` of the same frames. */
import { custom } from "../../src/providers/vendors.ts"
import type { Reply } from "../../src/scripted-model/scenario.ts"
import { readReply } from "../../src/stream/assistant-message.ts"
import { clientWires, scriptedWire, wireNames } from "../fuzz/client-wires.ts"
import { argumentText, SOURCE } from "./json-texts.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface WireCell {
  kind: "text" | "call"
  length: number
}

const TOOL = "write_file"
const READ_SIZE = 65_536

type Name = (typeof wireNames)[number]

function framesOf(wire: Name, { kind, length }: WireCell): string[] {
  const said: Reply["pieces"] =
    kind === "call"
      ? [{ call: TOOL, raw: argumentText("long string", length) }]
      : [{ text: SOURCE.repeat(Math.ceil(length / SOURCE.length)) }]
  const label = { id: "reply-1", model: "model", created: 1_750_000_000, callPrefix: "call_", usage: undefined }
  return [...scriptedWire(wire).stream({ pieces: said }, label)].filter((beat) => typeof beat === "string")
}

/** What is JSON in the frames of any wire. */
function documentsOf(frames: readonly string[]): string[] {
  const lines = frames.join("").split("\n")
  return lines.map((line) => line.replace(/^data: ?/, "")).filter((line) => line.startsWith("{"))
}

function readsOf(frames: readonly string[]): Buffer[] {
  const bytes = Buffer.from(frames.join(""))
  return Array.from({ length: Math.ceil(bytes.length / READ_SIZE) }, (_, n) => bytes.subarray(n * READ_SIZE, (n + 1) * READ_SIZE))
}

const readsWith =
  (wire: Name): Job<WireCell> =>
  (cell) => {
    const reads = readsOf(framesOf(wire, cell))
    const target = {
      id: "bench/model",
      vendor: "Bench",
      wire,
      model: "model",
      baseUrl: "http://127.0.0.1/v1",
      headers: {},
      profile: { ...custom.profile, thinkTags: "none" as const },
      timers: custom.timers,
    }
    return () => {
      const reader = clientWires[wire].open(target)
      const message = readReply({
        model: "model",
        keyPrefix: "1",
        isKnownTool: () => true,
        endsSilently: false,
        onDraft: () => {},
      })
      for (const bytes of reads) for (const chunk of reader.step(bytes)) message.step(chunk)
      for (const chunk of reader.halt()) message.step(chunk)
      const { calls, fault, message: reply } = message.halt()
      const isRight = fault === undefined && (cell.kind === "call" ? calls.length === 1 : reply.parts.length > 0)
      if (!isRight) throw new Error(`${wire}: the reply was not read`)
    }
  }

const parsesFrames =
  (wire: Name): Job<WireCell> =>
  (cell) => {
    const documents = documentsOf(framesOf(wire, cell))
    return () => {
      let found = 0
      for (const text of documents) if (JSON.parse(text)) found++
      if (found === 0) throw new Error(`${wire}: there are no frames`)
    }
  }

serveLane<WireCell>(
  Object.fromEntries(
    wireNames.flatMap((wire) => [[wire, readsWith(wire)] as const, [`${wire} frames`, parsesFrames(wire)] as const]),
  ),
)
