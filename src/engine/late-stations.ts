/** Stations that few turns need, loaded with the first that does: start-up is part of the product. */

import type { SeeingCondenser } from "../context/condense.ts"
import type { Recorded } from "../types/event.ts"
import type { Checkpoints, CondenseRequest, Condenser } from "../types/stations.ts"
import type { Tool, ToolSource } from "../types/tool.ts"

export function lateCheckpoints(open: () => Promise<Checkpoints>): Checkpoints {
  const opened = once(open)
  return { before: async (call) => (await opened()).before(call) }
}

/** Characters below which no window can be full. */
const SURELY_FITS = 20_000

export interface LateCondenser extends Condenser {
  see(event: Recorded): void
}

/** As long as little was said there is nothing to measure; what was seen until then is told when it is loaded. */
export function lateCondenser(open: () => Promise<SeeingCondenser>): LateCondenser {
  let seen: Recorded[] = []
  let opened: SeeingCondenser | undefined
  return {
    see(event) {
      if (opened) opened.see(event)
      else seen.push(event)
    },
    async condense(request, signal) {
      if (!opened && request.by === "threshold" && isSmall(request)) return { kind: "fits" }
      if (!opened) {
        opened = await open()
        for (const event of seen) opened.see(event)
        seen = []
      }
      return opened.condense(request, signal)
    },
  }
}

function isSmall({ state: { messages } }: CondenseRequest): boolean {
  let characters = 0
  for (const message of messages) {
    if (message.role === "assistant") return false // the provider has counted by now
    for (const part of message.content) characters += part.type === "text" ? part.text.length : SURELY_FITS
  }
  return characters < SURELY_FITS
}

/** Empty as long as `open` gives nothing. */
export function lateSource(open: () => Promise<ToolSource | undefined>): ToolSource {
  let opened: ToolSource | undefined
  const none: readonly Tool[] = []
  return {
    async refresh() {
      opened ??= await open()
      await opened?.refresh()
    },
    tools: () => opened?.tools() ?? none,
    offered: () => opened?.offered() ?? none,
    find: (name) => opened?.find(name),
  }
}

export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
