/** Every wire from our side, loaded, and its counterpart in the scripted model. */
import type { WireName } from "../../src/providers/target.ts"
import { anthropic } from "../../src/providers/wire/anthropic.ts"
import { gemini } from "../../src/providers/wire/gemini.ts"
import { ollama } from "../../src/providers/wire/ollama.ts"
import { openaiChat } from "../../src/providers/wire/openai-chat.ts"
import { openaiResponses } from "../../src/providers/wire/openai-responses.ts"
import type { Wire } from "../../src/providers/wire/wire.ts"
import { wires as scriptedWires } from "../../src/scripted-model/wires/index.ts"
import type { ScriptedWire } from "../../src/scripted-model/wires/wire.ts"

export const clientWires: Readonly<Record<WireName, Wire>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
  ollama,
}

export const wireNames = Object.keys(clientWires) as WireName[]

export function scriptedWire(name: WireName): ScriptedWire {
  const found = scriptedWires.find((wire) => wire.name === name)
  if (!found) throw new Error(`the scripted model does not speak ${name}`)
  return found
}
