/** Where hooks stand around a call: before it, around its run, and behind its result. Without hooks none of this costs anything. */
import { clipText } from "../json/clip.ts"
import type { BeforeToolDecision, HookedCall } from "../types/hooks.ts"
import type { JsonObject } from "../types/json.ts"
import type { Content } from "../types/message.ts"
import { type Admission, type Admitted, passGates } from "./admit.ts"
import type { CallResult } from "./execute.ts"
import type { Loop } from "./loop.ts"

const LONGEST_QUOTE = 2_000

/** A hook sees the arguments as the tool gets them: under their right names, whatever the model called them. */
export function hookedCall(loop: Loop, { call, tool, input, paths }: Admitted): HookedCall {
  return {
    key: call.key,
    tool: tool.name,
    knownAs: tool.knownAs ?? [],
    input: isObject(input) ? input : call.input,
    mode: loop.state.mode,
    effect: tool.effect,
    paths: paths.map((path) => (path.outside ? path.real : path.relative)),
  }
}

/** Rewritten arguments pass the gates again; a block or an answer of a hook is the call's result. */
export async function askHooks(
  loop: Loop,
  admitted: Admitted,
): Promise<{ admission: Admission; decision?: BeforeToolDecision | undefined }> {
  const before = await loop.stations.hooks?.beforeTool(hookedCall(loop, admitted), loop.signal)
  if (!before) return { admission: admitted }
  const { decision, input, notes, stop } = before
  const rest = stop === undefined ? {} : { stop }
  if (decision?.kind === "block") {
    return { admission: { result: { kind: "denied", say: withNotes(`Blocked by a hook: ${decision.reason}`, notes), ...rest } } }
  }
  if (decision?.kind === "answer") {
    return { admission: { result: { kind: "done", say: withNotes(decision.content, notes), ...rest } } }
  }
  if (!input) return { admission: { ...admitted, notes, ...rest }, decision }
  const rewritten = await passGates(loop, admitted.tool, { ...admitted.call, input })
  if ("result" in rewritten) return { admission: rewritten }
  const note = `A hook changed this call before it ran. Its arguments were: ${clipText(JSON.stringify(input), LONGEST_QUOTE)}`
  return { admission: { ...rewritten, notes: [note, ...notes], ...rest }, decision }
}

/** What comes of a call in the end: as the hooks left it, with what else the model should know. */
export async function hookedResult(loop: Loop, admitted: Admitted, result: CallResult): Promise<CallResult> {
  const { kind, say } = result
  const after = await loop.stations.hooks?.afterTool(hookedCall(loop, admitted), { kind, content: contentOf(say) }, loop.signal)
  const stop = admitted.stop ?? after?.stop
  const notes = [...admitted.notes, ...(after?.notes ?? [])]
  return { ...result, say: withNotes(after?.content ?? say, notes), ...(stop !== undefined && { stop }) }
}

function withNotes(say: string | Content[], notes: readonly string[]): string | Content[] {
  return notes.length === 0 ? say : [...contentOf(say), ...notes.map((text) => ({ type: "text", text }) as const)]
}

export function contentOf(say: string | Content[]): Content[] {
  return typeof say === "string" ? [{ type: "text", text: say }] : say
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
