/** One reply from the model: request, stream, assemble, and bounded retries by the kind of fault. Never throws for a fault. */
import { type Reply, readReply } from "../stream/assistant-message.ts"
import type { Fault, FaultKind } from "../types/fault.ts"
import type { Model } from "../types/model.ts"
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

export async function ask(loop: Loop, turn: number): Promise<Reply> {
  const { models } = loop.stations
  let model = models.for(loop.state.mode)
  if (model.id !== loop.state.model) {
    loop.record({ type: "model-changed", model: model.id, reason: `it answers in ${loop.state.mode} mode now`, by: "mode" })
  }
  for (let attempt = 1; ; attempt++) {
    const reply = await attemptReply(loop, turn, model)
    if (!reply.fault || loop.signal.aborted) return reply
    const { fault } = reply
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

async function attemptReply(loop: Loop, turn: number, model: Model): Promise<Reply> {
  const { tools, prompt } = loop.stations
  const { mode, messages } = loop.state
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
  const request = { system: await prompt.system(mode), messages, tools: tools.offered(mode) }
  loop.emit({ type: "waiting", for: "model", reason: model.id })
  try {
    const stream = model.stream(request, loop.signal, ({ for: stage, sinceMs, untilMs }) =>
      loop.emit({ type: "waiting", for: "model", reason: model.id, stage, sinceMs, untilMs }),
    )
    const loaded = tools.load() // while the model thinks
    loaded.catch(() => {}) // thrown below, when the stream has ended
    for await (const chunks of stream) for (const chunk of chunks) reader.step(chunk)
    await loaded
    return reader.halt() // may still begin a call: before the live view closes
  } finally {
    live.close()
  }
}
