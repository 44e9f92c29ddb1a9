/** Histories folded from events that never met in one task, and the request each of them becomes. */
import { isDeepStrictEqual } from "node:util"
import type { Profile, Target } from "../../src/providers/target.ts"
import { openaiChat } from "../../src/providers/wire/openai-chat.ts"
import { checkChatRequest } from "../../src/scripted-model/check-request.ts"
import { emptyState, fold } from "../../src/task/fold.ts"
import type { DurableEvent } from "../../src/types/event.ts"
import type { Content, Message, ReceivedCall, ResultKind } from "../../src/types/message.ts"
import type { ToolDefinition } from "../../src/types/model.ts"
import type { TaskState } from "../../src/types/state.ts"
import type { Random } from "../random.ts"
import { anyTranscript } from "./corpus.ts"
import { damagedBytes } from "./damage.property.ts"
import { oddText } from "./odd-text.ts"
import type { Property } from "./property.ts"
import { plainTarget, readChunks, readPieces } from "./reading.ts"

export const history: Property = {
  name: "history",
  holds: "every history that replies and results can fold into becomes a request that no server refuses",
  share: 0.08,
  check,
}

function check(chance: Random): void {
  const target = randomTarget(chance)
  const state = emptyState()
  let seq = 0
  const record = (event: DurableEvent): void => fold(state, { seq: ++seq, at: "2026-01-01T00:00:00.000Z", ...event })
  for (let turn = 1; turn <= 4; turn++) {
    if (turn === 1 || chance.chance(0.4)) record({ type: "said", by: chance.pick(["person", "joey"]), content: contents(chance) })
    record({ type: "turn-started", turn })
    checkRequest(state, target, { restarted: chance.chance(0.2) })
    recordReply(chance, turn, record)
    if (settle(chance, state, record)) checkPairs(state)
    if (chance.chance(0.25)) return
  }
}

function recordReply(chance: Random, turn: number, record: (event: DurableEvent) => void): void {
  const chunks = chance.chance(0.7) ? anyTranscript(chance).chunks : readPieces(plainTarget, [damagedBytes(chance)])
  const { message, end, usage } = readChunks(chunks, { keyPrefix: String(turn) })
  if (message.parts.length > 0) record({ type: "replied", turn, message, end, ...(usage && { usage }) })
}

const KINDS: readonly ResultKind[] = ["done", "failed", "invalid", "denied", "not-run", "cancelled", "interrupted", "crashed"]

/**
 * Results in any order; now and then a process that died left some of them out, or one that lived gave two. Whether there
 * were calls and every one of them has a result.
 */
export function settle(chance: Random, state: TaskState, record: (event: DurableEvent) => void): boolean {
  const calls = state.calls.map(({ call }) => call)
  const settled = [...calls].sort(() => chance.float() - 0.5)
  if (chance.chance(0.1)) settled.length = chance.int(0, settled.length)
  if (chance.chance(0.05)) settled.push(...settled)
  for (const call of settled) record(resultOf(call, chance))
  if (chance.chance(0.1)) record({ type: "task-resumed", mode: "code", model: "m" })
  return calls.length > 0 && new Set(settled).size === calls.length
}

/** The turn's calls stand with exactly one result each, in call order, at the end of the history. */
function checkPairs({ calls, messages }: TaskState): void {
  const results = messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1)
  const keys = results.map((message) => (message.role === "result" ? message.callKey : message.role))
  const wanted = calls.map(({ call }) => call.key)
  if (!isDeepStrictEqual(keys, wanted)) throw new Error(`results for ${keys.join(", ")} instead of ${wanted.join(", ")}`)
}

function resultOf(call: ReceivedCall, chance: Random): DurableEvent {
  return { type: "call-finished", callKey: call.key, tool: call.name, result: chance.pick(KINDS), content: contents(chance) }
}

/** None at all, too: a tool of somebody else may return that. */
export function contents(chance: Random): Content[] {
  return Array.from({ length: chance.int(0, 3) }, (): Content => {
    if (chance.chance(0.2)) return { type: "image", mediaType: chance.pick(["image/png", "image/svg+xml"]), data: "AAAA" }
    return { type: "text", text: chance.chance(0.1) ? " \n" : oddText(chance) }
  })
}

const PROFILES: readonly Partial<Profile>[] = [
  {},
  {},
  { callIds: /^[A-Za-z0-9]{9}$/ },
  { reasoningField: "reasoning_content" },
  { reasoningField: "reasoning", placeholderSignature: "skip_thought_signature_validator" },
  { omit: ["stream_options", "tool_choice"] },
]

function randomTarget(chance: Random): Target {
  const profile = { ...plainTarget.profile, ...chance.pick(PROFILES) }
  return { ...plainTarget, id: chance.chance(0.8) ? plainTarget.id : "other/m", profile }
}

export const TOOLS: readonly ToolDefinition[] = [
  { name: "look", description: "Looks.", parameters: { type: "object", properties: {}, additionalProperties: false } },
]

/** Valid by the rules of the wire; and after a restart the same, though only what JSON can hold was in the log. */
function checkRequest({ messages }: TaskState, target: Target, { restarted }: { restarted: boolean }): void {
  const { body } = openaiChat.request({ system: "rules", messages, tools: TOOLS }, target)
  const problems = checkChatRequest(JSON.parse(body))
  if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${JSON.stringify({ messages, body }, null, 1)}`)
  if (!restarted) return
  const reread: Message[] = JSON.parse(JSON.stringify(messages))
  const again = openaiChat.request({ system: "rules", messages: reread, tools: TOOLS }, target).body
  if (again !== body) throw new Error(`after a restart the request is another one:\n${body}\n${again}`)
}
