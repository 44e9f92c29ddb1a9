/** A task whose model changes from wire to wire, and the request its history becomes on each of them. */
import type { WireName } from "../../src/providers/target.ts"
import { emptyState, fold } from "../../src/task/fold.ts"
import type { DurableEvent } from "../../src/types/event.ts"
import type { Message } from "../../src/types/message.ts"
import type { Random } from "../random.ts"
import { clientWires, scriptedWire, wireNames } from "./client-wires.ts"
import { contents, settle, TOOLS } from "./history.property.ts"
import { meantReply } from "./meant-reply.ts"
import type { Property } from "./property.ts"
import { readChunks, readPieces } from "./reading.ts"
import { framesOn, targetOn } from "./wires.property.ts"

export const switches: Property = {
  name: "switches",
  holds: "a history of replies from any wires becomes a request that no server of any wire refuses, the same after a restart",
  share: 0.05,
  check,
}

function check(chance: Random): void {
  const state = emptyState()
  let seq = 0
  const record = (event: DurableEvent): void => fold(state, { seq: ++seq, at: "2026-01-01T00:00:00.000Z", ...event })
  for (let turn = 1; turn <= 5; turn++) {
    if (turn === 1 || chance.chance(0.4)) record({ type: "said", by: "person", content: contents(chance) })
    record({ type: "turn-started", turn })
    const wire = chance.pick(wireNames)
    checkRequest(wire, state.messages, chance.chance(0.2))
    const frames = framesOn(wire, meantReply(chance), chance)
    const whole = Buffer.from(frames.join(""))
    const bytes = chance.chance(0.8) ? whole : whole.subarray(0, chance.int(0, whole.length))
    const target = targetOn(wire)
    const { message, end } = readChunks(readPieces(target, [bytes]), { keyPrefix: String(turn), model: target.id })
    if (message.parts.length > 0) record({ type: "replied", turn, message, end })
    settle(chance, state, record)
  }
  for (const wire of wireNames) checkRequest(wire, state.messages, false)
}

function checkRequest(wire: WireName, messages: readonly Message[], restarted: boolean): void {
  const write = (history: readonly Message[]) =>
    clientWires[wire].request({ system: "rules", messages: history, tools: TOOLS }, targetOn(wire))
  const { body, path, headers } = write(messages)
  const url = new URL(path, "http://127.0.0.1")
  const received = { path: url.pathname, query: url.searchParams, headers, body: JSON.parse(body) }
  const problems = scriptedWire(wire).check(received)
  if (problems.length > 0) throw new Error(`${wire}: ${problems.join("\n")}\n${JSON.stringify({ messages, body }, null, 1)}`)
  if (!scriptedWire(wire).neutral(received)) throw new Error(`${wire}: the scripted model cannot read it: ${body}`)
  if (restarted && write(JSON.parse(JSON.stringify(messages))).body !== body) {
    throw new Error(`${wire}: after a restart the request is another one:\n${body}`)
  }
}
