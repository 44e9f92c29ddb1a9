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
  const result = await attempt(loop, admitted, { ...context, ...(partial && { host: partial.host, files: partial.files }) })
  const hooked = await hookedResult(loop, admitted, partial ? partial.tell(result) : result)
  return { ...hooked, learned: context.files.learned }
}

async function attempt(loop: Loop, admitted: Admitted, context: ToolContext): Promise<CallResult> {
  const { tool, input } = admitted
  const { hooks } = loop.stations
  const run = (): Promise<ToolOutput> => tool.run(input, context)
  try {
    const output: ToolOutput | undefined = await (hooks ? hooks.wrap(hookedCall(loop, admitted), run, loop.signal) : run())
    return { kind: "done", ...output, say: sayable(output?.say) }
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
