/** What people see while a reply streams: in the order in which it came, joined and thinned out to about 30 events a second. */
import type { Draft } from "../stream/tool-call-parser.ts"
import type { LiveEvent } from "../types/event.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { Show } from "../types/show.ts"
import type { Tool } from "../types/tool.ts"
import type { Loop } from "./loop.ts"

const INTERVAL_MS = 34

export interface LiveReply {
  text(delta: string): void
  reasoning(delta: string): void
  draft(draft: Draft): void
  /** Emits what is still held back, and notes in the log which previews failed. */
  close(): void
}

type Pending = { type: "text" | "reasoning"; text: string } | { type: "draft"; draft: Draft }

export function liveReply(loop: Loop): LiveReply {
  let pending: Pending[] = []
  let timer: NodeJS.Timeout | undefined
  let lastFlush = 0
  const failures = new Map<string, string>()

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    lastFlush = performance.now()
    const due = pending
    pending = []
    for (const item of due) loop.emit(item.type === "draft" ? draftEvent(item.draft) : item)
  }
  function soon(): void {
    timer ??= setTimeout(flush, Math.max(0, INTERVAL_MS - (performance.now() - lastFlush)))
  }
  function grow(type: "text" | "reasoning", delta: string): void {
    const last = pending.at(-1)
    if (last?.type === type) last.text += delta
    else pending.push({ type, text: delta })
    soon()
  }
  function draftEvent({ key: callKey, name: tool, input, received, problem }: Draft): LiveEvent {
    const show = previewOf(loop.stations.tools.find(tool), input, (reason) => failures.set(tool, reason))
    return { type: "draft", callKey, tool, show: show ?? { kind: "title", text: tool }, received, ...(problem && { problem }) }
  }

  return {
    text: (delta) => grow("text", delta),
    reasoning: (delta) => grow("reasoning", delta),
    draft(draft) {
      if (pending.some((item) => item.type === "draft" && item.draft.key === draft.key)) return // one object per call, read when due
      pending.push({ type: "draft", draft })
      soon()
    },
    close() {
      flush()
      for (const [tool, reason] of failures) loop.record({ type: "notice", text: `The preview of ${tool} failed: ${reason}` })
    },
  }
}

/** S57: a preview that fails is no reason to stop; it is noted, and the row falls back to the tool's name. */
export function previewOf(
  tool: Tool | undefined,
  input: Json | undefined,
  onFailure?: (reason: string) => void,
): Show | undefined {
  try {
    return tool?.preview?.(isObject(input) ? input : {})
  } catch (error) {
    onFailure?.(error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
