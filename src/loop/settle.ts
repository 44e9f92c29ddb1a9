/**
 * Settles the calls of the latest reply: gates in call order, readers and subtasks side by side, everything else alone, and exactly one
 * result per call whatever happens. Calls that already have a result (before a restart) are left alone.
 */
import type { ReceivedCall } from "../types/message.ts"
import type { CallState } from "../types/state.ts"
import type { Tool } from "../types/tool.ts"
import { type Admission, admit } from "./admit.ts"
import { type CallResult, execute, failureOf } from "./execute.ts"
import { contentOf } from "./hooked.ts"
import type { Loop } from "./loop.ts"

export async function settle(loop: Loop): Promise<void> {
  await loop.stations.tools.load()
  const running: Promise<void>[] = []
  try {
    for (const { call } of inSettlingOrder(loop)) {
      const beside = runsBeside(loop.stations.tools.find(call.name))
      if (!beside) await Promise.all(running)
      const admission = reasonToSkip(loop, call) ?? (await passGates(loop, call))
      if ("result" in admission) {
        finish(loop, call, admission.result)
        continue
      }
      const run = execute(loop, admission).then((result) => finish(loop, call, result))
      run.catch(() => {}) // it is looked at when the others have come to an end too
      running.push(run)
      if (!beside) await run
    }
    await Promise.all(running)
  } finally {
    await Promise.allSettled(running)
  }
}

function runsBeside(tool: Tool | undefined): boolean {
  return tool?.effect === "read" || tool?.sideBySide === true
}

/** What settles last comes last; otherwise the order of the calls. */
function inSettlingOrder(loop: Loop): CallState[] {
  const open = loop.state.calls.filter((state) => !state.result)
  const isLast = ({ call }: CallState) => loop.stations.tools.find(call.name)?.settlesLast === true
  return [...open.filter((state) => !isLast(state)), ...open.filter(isLast)]
}

function passGates(loop: Loop, call: ReceivedCall): Promise<Admission> {
  return admit(loop, call).catch((error) => ({ result: failureOf(error, call.name, loop.signal, { started: false }) }))
}

/** After a cancel, or after the person refused a call or stopped at a limit, the rest of the turn is not run: also when a restart lies between. */
function reasonToSkip({ state, signal }: Loop, call: ReceivedCall): { result: CallResult } | undefined {
  if (signal.aborted) return { result: { kind: "cancelled", say: "Cancelled by the person before it ran." } }
  if (state.declined) return { result: { kind: "not-run", say: `Not run: the task was stopped. ${state.declined.message}` } }
  for (const { question, answer } of state.questions.values()) {
    if (question.kind === "approve" && question.callKey !== call.key && answer && answer.kind !== "yes") {
      return { result: { kind: "not-run", say: `Not run: the person refused an earlier call of this turn (${question.tool}).` } }
    }
  }
  return undefined
}

function finish(loop: Loop, call: ReceivedCall, result: CallResult): void {
  const { kind, say, show, accepted, learned, spent, stop, defect } = result
  loop.record({
    type: "call-finished",
    callKey: call.key,
    tool: loop.stations.tools.find(call.name)?.name ?? call.name,
    result: kind,
    content: contentOf(say),
    ...(show && { show }),
    ...(accepted !== undefined && { accepted }),
    ...(learned && Object.keys(learned).length > 0 && { learned }),
    ...(spent && { spent }),
    ...(stop !== undefined && { stop }),
    ...(defect && { defect }),
  })
}
