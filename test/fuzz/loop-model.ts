/** A model in this process that plays random replies through the real wire, and holds every request against the wire's rules. */
import { isDeepStrictEqual } from "node:util"
import { openaiChat } from "../../src/providers/wire/openai-chat.ts"
import { checkChatRequest } from "../../src/scripted-model/check-request.ts"
import type { Chunk } from "../../src/types/chunk.ts"
import type { FaultKind } from "../../src/types/fault.ts"
import type { Message } from "../../src/types/message.ts"
import type { Model, ModelRequest } from "../../src/types/model.ts"
import { historyProblems } from "../history-problems.ts"
import type { Random } from "../random.ts"
import { fault } from "../replies.ts"
import { anyTranscript } from "./corpus.ts"
import { damagedBytes } from "./damage.property.ts"
import { chooseDialect, framesOf } from "./dialect.ts"
import type { Moments } from "./loop-moments.ts"
import type { Life } from "./loop-process.ts"
import { ASKING, COMPLETING, TOOL_EFFECTS } from "./loop-tools.ts"
import { callsOf, type MeantPart, type MeantReply } from "./meant-reply.ts"
import { brokenText, objectText, oddText } from "./odd-text.ts"
import { plainTarget, splitInto } from "./reading.ts"

/** What the model needs of the world around it. */
export interface ModelWorld {
  chance: Random
  time: Moments
  life: Life
  /** Something that must not be. */
  report(problem: string): void
}

export interface Progress {
  requests: number
  /** So many random replies; then the model only says that it is done. */
  length: number
  /** After these nothing works any more. */
  outage: boolean
}

/** A run that asks so much more often does not end. */
const TOO_MANY = 100

export function randomModel({ chance, time, life, report }: ModelWorld, script: Progress): Model {
  return {
    id: plainTarget.id,
    facts: { known: false, window: 32_768, images: true, edits: "blocks" },
    endsSilently: false,
    async *stream(request, signal) {
      if (life.dead) return
      for (const problem of requestProblems(request, life.state.messages)) report(problem)
      if (++script.requests > script.length + TOO_MANY) {
        report(`the model was asked ${script.requests} times`)
        yield [failure("bad-request", false)]
        return
      }
      if (script.outage && script.requests > script.length) {
        yield [failure(chance.pick(["network", "overloaded", "server"]), true)]
        return
      }
      const pieces = splitInto(chance, script.requests > script.length ? DONE : replyBytes(chance), 500)
      const accident = chance.chance(0.1) ? chance.int(0, pieces.length - 1) : undefined
      const reader = openaiChat.open(plainTarget)
      for (const [place, piece] of pieces.entries()) {
        await time.tick()
        if (place === accident) {
          if (chance.chance(0.5))
            return yield [failure(chance.pick(["network", "timeout", "server", "auth"]), chance.chance(0.7))]
          await time.hold(signal).catch(() => {})
        }
        if (signal.aborted || life.dead) return
        const chunks = reader.step(piece)
        if (chunks.length > 0) yield chunks
        if (reader.phase === "failed") return
      }
      if (!signal.aborted) yield reader.halt()
    },
  }
}

function failure(kind: FaultKind, retryable: boolean): Chunk {
  return { type: "fail", fault: fault(kind, { retryable }) }
}

/** What the task sends is valid in our form and on the wire, and what the log folds into. */
function requestProblems(request: ModelRequest, folded: readonly Message[]): string[] {
  const body: unknown = JSON.parse(openaiChat.request(request, plainTarget).body)
  return [
    ...historyProblems(request.messages).map((problem) => `in the history: ${problem}`),
    ...checkChatRequest(body).map((problem) => `in the request: ${problem}`),
    ...(isDeepStrictEqual(request.messages, folded) ? [] : ["the history is not what the log folds into"]),
  ]
}

const DONE = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\n')

function replyBytes(chance: Random): Uint8Array {
  const kind = chance.int(0, 19)
  if (kind === 0) return damagedBytes(chance)
  if (kind === 1) return anyTranscript(chance).bytes
  const meant = likelyReply(chance)
  return Buffer.from(framesOf(meant, chooseDialect(chance, callsOf(meant)), chance).join(""))
}

/** Mostly calls that can run; few different ones, so that the same call comes again. */
function likelyReply(chance: Random): MeantReply {
  const parts: MeantPart[] = chance.chance(0.3) ? [{ text: oddText(chance) }] : []
  if (chance.chance(0.1)) parts.push({ reasoning: oddText(chance) })
  const calls = chance.pick([0, 1, 1, 1, 2, 3])
  for (let place = 0; place < calls; place++) {
    const name = chance.pick(NAMES)
    const text = chance.chance(0.1) ? brokenText(chance) : chance.chance(0.3) ? chance.pick(INPUTS) : objectText(chance, 1)
    parts.push({ call: { name, id: `call_${place}`, text } })
  }
  if (chance.chance(0.1)) return { parts, finish: "length", done: true }
  return chance.chance(0.05)
    ? { parts, finish: null, done: false }
    : { parts, finish: calls > 0 ? "tool_calls" : "stop", done: true }
}

const NAMES = [...Object.keys(TOOL_EFFECTS), ...Object.keys(TOOL_EFFECTS), ASKING, COMPLETING, "view", "scribble", "no_such_tool"]
const INPUTS = ["{}", '{"path":"a.txt"}', '{"path":"/etc/passwd"}', '{"path":".git/config"}', '{"path":""}', '{"path":7}']
