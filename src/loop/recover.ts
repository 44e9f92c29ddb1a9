/**
 * After a restart: what had been started with an effect and not finished is reported as interrupted, once; everything else that
 * was not settled goes through the gates again. An effect-free call simply runs again and finds the answers it already got.
 */
import type { Effect } from "../types/tool.ts"
import type { Loop } from "./loop.ts"

const SAFE_TO_REPEAT: ReadonlySet<Effect> = new Set(["none", "read"])

/** Whether the latest reply still has calls to settle. */
export async function recover(loop: Loop): Promise<boolean> {
  const putBack = await loop.stations.host.rollBack()
  const open = loop.state.calls.filter((state) => !state.result)
  for (const { call, started } of open) {
    if (!started || SAFE_TO_REPEAT.has(started.effect)) continue
    loop.record({
      type: "call-finished",
      callKey: call.key,
      tool: started.tool,
      result: "interrupted",
      content: [{ type: "text", text: interruptedBy(started.effect, putBack) }],
    })
  }
  return open.length > 0
}

function interruptedBy(effect: Effect, putBack: readonly string[]): string {
  if (effect === "write" && putBack.length > 0) {
    return `Interrupted: the program ended while this ran. What it had changed by then was put back: ${putBack.join(", ")}. Nothing of it is done.`
  }
  return "Interrupted: the program ended while this ran. Its outcome is unknown; look before repeating it."
}
