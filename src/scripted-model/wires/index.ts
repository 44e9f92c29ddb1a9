/** The wires the scripted model speaks, told apart by the path of a request. */
import { anthropic } from "./anthropic.ts"
import { gemini } from "./gemini.ts"
import { ollama } from "./ollama.ts"
import { openaiChat } from "./openai-chat.ts"
import { openaiResponses } from "./openai-responses.ts"
import type { ScriptedWire } from "./wire.ts"

export const wires: readonly ScriptedWire[] = [openaiChat, openaiResponses, anthropic, gemini, ollama]
