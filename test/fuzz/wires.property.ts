/** Replies as the scripted model writes them on each wire, sound or damaged, and read by ours. */
import type { Target, WireName } from "../../src/providers/target.ts"
import type { Piece } from "../../src/scripted-model/scenario.ts"
import type { Reply } from "../../src/stream/assistant-message.ts"
import type { AssistantPart } from "../../src/types/message.ts"
import type { Random } from "../random.ts"
import { scriptedWire, wireNames } from "./client-wires.ts"
import { damaged } from "./damage.ts"
import { callsOf, differenceFrom, type MeantReply, meantReply } from "./meant-reply.ts"
import type { Property } from "./property.ts"
import { chunkProblem, plainTarget, readChunks, readPieces, replyProblem, splitBytes } from "./reading.ts"

export const wires: Property = {
  name: "wires",
  holds: "on every wire a reply is read as it was meant, a damaged one without a crash, both the same however they are split",
  share: 0.1,
  check,
}

export function targetOn(wire: WireName): Target {
  return { ...plainTarget, wire, id: `${wire}/m` }
}

/** The frames of a reply on a wire, each as one write. */
export function framesOn(wire: WireName, meant: MeantReply, chance: Random): string[] {
  const pieces = meant.parts.map(
    (part): Piece => ("call" in part ? { call: part.call.name, id: part.call.id, raw: part.call.text } : part),
  )
  const usage = chance.chance(0.5) ? { prompt_tokens: 7, completion_tokens: 3 } : undefined
  const label = { id: "1", model: "m", created: 1, callPrefix: "call_", usage }
  const { finish, done } = meant
  const beats = scriptedWire(wire).stream({ pieces, finish, done, chunkSize: chance.pick([2, 12, 60, 300]) }, label)
  return [...beats].filter((beat) => typeof beat === "string")
}

function check(chance: Random): void {
  const wire = chance.pick(wireNames)
  const meant = meantReply(chance)
  const frames = framesOn(wire, meant, chance)
  const whole = chance.chance(0.4)
  const bytes = whole ? Buffer.from(frames.join("")) : damaged(chance, frames, framesOn(wire, meantReply(chance), chance))
  const target = targetOn(wire)
  const chunks = readPieces(target, [bytes])
  const reply = readChunks(chunks, { model: target.id })
  const split = JSON.stringify(readPieces(target, splitBytes(chance, bytes)))
  const problem =
    chunkProblem(chunks) ??
    replyProblem(chunks, reply) ??
    (split === JSON.stringify(chunks) ? undefined : `split it is read as ${split}`) ??
    (whole && leavesNoDoubt(wire, meant) ? differenceFrom(meant, plainly(reply), false) : undefined)
  if (problem) {
    const sent = Buffer.from(bytes).toString("latin1")
    throw new Error(`${wire}: ${problem}\n${JSON.stringify({ meant, sent, chunks, reply }, null, 1)}`)
  }
}

/** What a wire cannot say, or says in a way that means something else there. */
function leavesNoDoubt(wire: WireName, { parts, finish, done }: MeantReply): boolean {
  const calls = callsOf({ parts, finish, done })
  // A call that is said to be whole needs no arguments, wherever the reply ended.
  if (finish === null && !done && calls.some(({ text }) => text.trim() === "")) return false
  if (wire === "anthropic") {
    const cut = finish === "length" && calls.length > 0 // a sound call may have lost an argument (A12)
    return !cut && (finish !== "tool_calls" || calls.length > 0) // M7
  }
  if (wire === "openai-responses") return done === (finish !== null)
  return false // arguments are objects there, and not any text
}

/** State stands in reasoning without words; what it keeps apart was said in a row. */
function plainly(reply: Reply): Reply {
  const parts: AssistantPart[] = []
  for (const part of reply.message.parts) {
    const last = parts.at(-1)
    if (part.type === "reasoning" && part.text === "") continue
    if (last?.type === "text" && part.type === "text") last.text += part.text
    else if (last?.type === "reasoning" && part.type === "reasoning") last.text += part.text
    else parts.push({ ...part })
  }
  return { ...reply, message: { ...reply.message, parts } }
}
