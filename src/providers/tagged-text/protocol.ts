/** Which way of calling tools a task uses (S9): decided once, for its first event, and kept. */
import type { Message } from "../../types/message.ts"
import { readTaggedText } from "./reader.ts"
import { type KnownTools, knownTools } from "./syntax.ts"

export type ToolProtocol = "native" | "xml"

export interface ProtocolFacts {
  /** What the task's first event says. */
  locked?: ToolProtocol | undefined
  /** Of a task that came from elsewhere. */
  history?: readonly Message[]
  /** False: the model cannot call tools by itself. */
  model: { nativeTools?: boolean | undefined }
  isKnownTool?(name: string): boolean
}

/** The lock, then what the history shows, then what the model can do. */
export function resolveToolProtocol({ locked, history = [], model, isKnownTool = () => false }: ProtocolFacts): ToolProtocol {
  return locked ?? shownBy(history, knownTools([], isKnownTool)) ?? (model.nativeTools === false ? "xml" : "native")
}

/** The first reply that calls decides: with an id of its provider it is native, without one, or as a tag in its text, it is not. */
function shownBy(history: readonly Message[], tools: KnownTools): ToolProtocol | undefined {
  for (const message of history) {
    if (message.role !== "assistant") continue
    for (const part of message.parts) {
      if (part.type === "call") return part.call.id.trim() === "" ? "xml" : "native"
      if (
        part.type === "text" &&
        readTaggedText(tools)
          .push(part.text)
          .some(({ type }) => type === "tool_call_start")
      )
        return "xml"
    }
  }
  return undefined
}
