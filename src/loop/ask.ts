/** One reply from the model: request, stream, assemble, and bounded retries by the kind of fault. Never throws for a fault. */
import { type Reply, readReply } from "../stream/assistant-message.ts"
import type { Fault, FaultKind } from "../types/fault.ts"
import type { Model, ModelRequest } from "../types/model.ts"
import type { Toolbox } from "../types/stations.ts"
import { fitBefore, fitWindow } from "./condense.ts"
import { liveReply } from "./live-reply.ts"
import type { Loop } from "./loop.ts"

/** Attempts in all, by kind; kinds not listed are tried once. */
const ATTEMPTS: Partial<Record<FaultKind, number>> = {
  "rate-limit": 6,
  overloaded: 6,
  server: 4,
  network: 3,
  timeout: 3,
  "cut-off": 3,
}
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000
/** A server that asks for more patience than this gets the person's attention instead. */
const LONGEST_ASKED_WAIT_MS = 300_000
/** How often in a turn the past is condensed because the model says it does not fit. */
const MOST_OVERFLOWS = 2

export async function ask(loop: Loop, turn: number): Promise<Reply> {
  const { models } = loop.stations
  let model = models.for(loop.state.mode)
  if (model.id !== loop.state.model) {
    loop.record({ type: "model-changed", model: model.id, reason: `it answers in ${loop.state.mode} mode now`, by: "mode" })
  }
  let overflows = 0
  for (let attempt = 1; ; attempt++) {
    await model.ready?.(loop.signal)
    const request = await promptOf(loop)
    const fitted = await fitBefore(loop, model, request)
    if (fitted.kind === "stuck") return noReply(model, fitted.fault)
    const reply = await attemptReply(loop, turn, model, request)
    if (!reply.fault || loop.signal.aborted) return reply
    const { fault } = reply
    if (fault.kind === "context-overflow" && overflows < MOST_OVERFLOWS) {
      overflows++
      const after = await fitWindow(loop, model, request, "overflow")
      if (after.kind === "condensed") {
        loop.record({ type: "request-failed", turn, attempt, fault, retryInMs: 0 })
        continue
      }
      if (after.kind === "stuck") reply.fault = after.fault
    }
    const other = models.instead(model, fault, attempt)
    const retryInMs = other ? 0 : retryDelay(fault, attempt)
    loop.record({ type: "request-failed", turn, attempt, fault, ...(retryInMs !== undefined && { retryInMs }) })
    if (retryInMs === undefined) return reply
    if (other) {
      loop.record({ type: "model-changed", model: other.id, reason: fault.message, by: "fallback" })
      model = other
      attempt = 0
      continue
    }
    loop.emit({ type: "waiting", for: "retry", reason: reply.fault.message, untilMs: loop.stations.clock.now() + retryInMs })
    await loop.stations.clock.sleep(retryInMs, loop.signal)
    if (loop.signal.aborted) return reply
  }
}

/** How long to wait before the next attempt, or undefined when this was the last. */
export function retryDelay(fault: Fault, attempt: number): number | undefined {
  if (!fault.retryable || attempt >= (ATTEMPTS[fault.kind] ?? 1)) return undefined
  if (fault.retryAfterMs !== undefined) return fault.retryAfterMs <= LONGEST_ASKED_WAIT_MS ? fault.retryAfterMs : undefined
  return Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
}

/** The prompt first: what is offered follows from the files it was made of. */
async function promptOf({ stations, state: { mode } }: Loop): Promise<Omit<ModelRequest, "messages">> {
  const system = await stations.prompt.system(mode)
  return { system, tools: stations.tools.offered(mode) }
}

function noReply(model: Model, fault: Fault): Reply {
  return { message: { role: "assistant", parts: [], model: model.id }, calls: [], end: "none", fault }
}

async function attemptReply(loop: Loop, turn: number, model: Model, prompt: Omit<ModelRequest, "messages">): Promise<Reply> {
  const { tools } = loop.stations
  const live = liveReply(loop)
  const reader = readReply({
    model: model.id,
    keyPrefix: String(turn),
    isKnownTool: tools.isKnown,
    endsSilently: model.endsSilently,
    onText: live.text,
    onReasoning: live.reasoning,
    onDraft: live.draft,
    readTags: tools.readTags,
    onNotice(text) {
      if (!loop.state.notices.has(text)) loop.record({ type: "notice", text })
    },
  })
  const { frames } = loop.stations
  const request = { ...prompt, messages: loop.state.messages, ...(frames && { onBytes: frames.push }) }
  const load = loadingOnce(tools)
  loop.emit({ type: "waiting", for: "model", reason: model.id })
  try {
    const stream = model.stream(request, loop.signal, ({ for: stage, sinceMs, untilMs }) => {
      if (stage === "headers") load()
      loop.emit({ type: "waiting", for: "model", reason: model.id, stage, sinceMs, untilMs })
    })
    for await (const chunks of stream) {
      load()
      for (const chunk of chunks) reader.step(chunk)
    }
    await load()
    return reader.halt() // may still begin a call: before the live view closes
  } finally {
    live.close()
  }
}

/** The tools load while the model thinks: not before the request has left, which they would hold up. */
function loadingOnce(tools: Toolbox): () => Promise<void> {
  let loading: Promise<void> | undefined
  return () => {
    if (!loading) {
      loading = tools.load()
      loading.catch(() => {}) // thrown when the stream has ended
    }
    return loading
  }
}
