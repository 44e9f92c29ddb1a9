/**
 * The loop: ask the model, settle its calls, decide whether that was the end. It ends with a value, never with an
 * exception, unless the log itself cannot be written.
 */
import type { Ending } from "../types/event.ts"
import { ask } from "./ask.ts"
import { isCancelled } from "./cancelled.ts"
import { acceptedBefore, decide } from "./completion.ts"
import { greet, hear } from "./hear.ts"
import { withinLimits } from "./limits.ts"
import type { Loop } from "./loop.ts"
import { recover } from "./recover.ts"
import { settle } from "./settle.ts"

export async function run(loop: Loop): Promise<Ending> {
  try {
    return await turns(loop)
  } catch (error) {
    if (isCancelled(error, loop.signal)) return { reason: "cancelled" }
    throw error
  }
}

async function turns(loop: Loop): Promise<Ending> {
  await greet(loop)
  let ending = (await recover(loop)) ? await settleTurn(loop) : acceptedBefore(loop) // calls that were not settled before a restart
  while (!ending) {
    ending = (await withinLimits(loop)) ? ((await askTurn(loop)) ?? (await settleTurn(loop))) : await decide(loop)
  }
  return ending
}

/** Request, stream, assemble; retries inside. After a fault the history keeps the text only, never half a call. */
async function askTurn(loop: Loop): Promise<Ending | undefined> {
  const turn = loop.state.turn + 1
  const heard = await hear(loop)
  if ("reason" in heard) return heard
  loop.record({ type: "turn-started", turn, ...(heard.brought.length > 0 && { brought: heard.brought }) })
  const { message, end, usage, fault } = await ask(loop, turn)
  if (message.parts.length > 0) loop.record({ type: "replied", turn, message, end, ...(usage && { usage }) })
  if (loop.signal.aborted) return undefined // calls that had arrived whole still get their results
  return fault && { reason: "fault", fault }
}

/** Admit each call in order, run it, exactly one result per call; then: was that the end? */
async function settleTurn(loop: Loop): Promise<Ending | undefined> {
  await settle(loop)
  await loop.sync()
  return decide(loop)
}
