/** Runs one admitted call. The one place that catches: whatever a tool does, there is a result. */
import { FaultError } from "../types/fault.ts"
import { HostError } from "../types/host.ts"
import type { Content, ResultKind } from "../types/message.ts"
import type { Show } from "../types/show.ts"
import { type ToolContext, ToolError, type ToolOutput } from "../types/tool.ts"
import type { Admitted } from "./admit.ts"
import { callContext } from "./call-context.ts"
import { isCancelled } from "./cancelled.ts"
import { hookedCall, hookedResult } from "./hooked.ts"
import type { Loop } from "./loop.ts"
import { partialWrites } from "./partial-writes.ts"

export interface CallResult {
  kind: ResultKind
  say: string | Content[]
  show?: Show
  accepted?: string
  /** Files as the model knows them from now on. */
  learned?: Readonly<Record<string, string>>
  spent?: ToolOutput["spent"]
  /** A hook pauses the task after this turn, and why. */
  stop?: string
  /** The stack of a defect, for the log. */
  defect?: string
}

export async function execute(loop: Loop, admitted: Admitted): Promise<CallResult> {
  const { call, tool, paths, hunks } = admitted
  loop.record({ type: "call-started", callKey: call.key, tool: tool.name, effect: tool.effect })
  if (tool.effect === "write" || tool.effect === "execute") await loop.sync()
  const context = callContext(loop, call.key, paths)
  const partial = hunks && partialWrites(context.host, context.files, hunks)
  const run = async () => {
    const attempted = await attempt(loop, admitted, { ...context, ...(partial && { host: partial.host, files: partial.files }) })
    return hookedResult(loop, admitted, partial ? partial.tell(attempted) : attempted) // a formatter's change belongs to the call's
  }
  const result = await alone(loop, admitted, () => undoable(loop, admitted, run))
  const { learned } = context.files
  if (tool.effect === "write" && result.kind === "done") {
    for (const [path, fingerprint] of Object.entries(learned)) loop.stations.siblings?.wrote(path, fingerprint)
  }
  return { ...result, learned }
}

/** Of agents that work in one folder, one at a time changes a file: from looking at it until it is written. */
async function alone(loop: Loop, { tool, paths }: Admitted, run: () => Promise<CallResult>): Promise<CallResult> {
  const { siblings } = loop.stations
  if (!siblings || tool.effect !== "write") return run()
  let letGo: () => void
  try {
    const held = paths.map(({ real }) => real)
    letGo = await siblings.hold(held, loop.signal)
  } catch (error) {
    return failureOf(error, tool.name, loop.signal, { started: false })
  }
  return run().finally(letGo)
}

/** What the call changes is kept first. That never stops it; what could not be kept is told, once. */
async function undoable(loop: Loop, { call, tool, paths }: Admitted, run: () => Promise<CallResult>): Promise<CallResult> {
  const { state, stations, record } = loop
  const { checkpoints } = stations
  if (!checkpoints || (tool.effect !== "write" && tool.effect !== "execute")) return run()
  const real = paths.map((touched) => touched.real)
  const { turn } = state
  const kept = await checkpoints.before({ callKey: call.key, turn, tool: tool.name, effect: tool.effect, paths: real })
  try {
    return await run()
  } finally {
    for (const text of await kept.after()) if (!state.notices.has(text)) record({ type: "notice", text })
  }
}

async function attempt(loop: Loop, admitted: Admitted, context: ToolContext): Promise<CallResult> {
  const { tool, input } = admitted
  const { hooks } = loop.stations
  const run = (): Promise<ToolOutput> => tool.run(input, context)
  try {
    const output: ToolOutput | undefined = await (hooks ? hooks.wrap(hookedCall(loop, admitted), run, loop.signal) : run())
    const { failed = false, ...rest } = output ?? {}
    return { kind: failed ? "failed" : "done", ...rest, say: sayable(output?.say) }
  } catch (error) {
    return failureOf(error, tool.name, loop.signal, { started: true })
  }
}

/** What the model is told when a tool, or a gate before it, did not come to an end. */
export function failureOf(error: unknown, tool: string, signal: AbortSignal, { started }: { started: boolean }): CallResult {
  if (error instanceof FaultError) throw error
  if (isCancelled(error, signal)) {
    return {
      kind: "cancelled",
      say: `Cancelled by the person${started ? ". It may have been done in part." : " before it ran."}`,
    }
  }
  if (error instanceof ToolError) return { kind: "failed", say: error.message, ...(error.show && { show: error.show }) }
  if (error instanceof HostError) return { kind: "failed", say: error.message }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return {
    kind: "crashed",
    say: `${tool} stopped because of a defect in it, not because of your input: ${message}`,
    defect: stack ?? message,
  }
}

/** S17: an empty answer gets a placeholder, and a value that is no text becomes JSON. */
function sayable(say: unknown): string | Content[] {
  if (isContent(say)) return say
  const text = typeof say === "string" ? say : isEmpty(say) ? "" : (JSON.stringify(say) ?? String(say))
  return text || "Done. There was nothing to report."
}

function isContent(say: unknown): say is Content[] {
  return Array.isArray(say) && say.length > 0 && say.every((part) => part?.type === "text" || part?.type === "image")
}

function isEmpty(say: unknown): boolean {
  return say === undefined || say === null || (Array.isArray(say) && say.length === 0)
}
