/** The person's words on their way to the model: past the hooks, with what they bring along. */
import type { Ending } from "../types/event.ts"
import type { Content, UserMessage } from "../types/message.ts"
import type { Loop } from "./loop.ts"

/** Tells the hooks that a run begins; what they want the model to know joins its next turn. */
export async function greet(loop: Loop): Promise<void> {
  const { hooks } = loop.stations
  const notes = hooks ? (await hooks.task({ moment: loop.state.turn === 0 ? "started" : "resumed" })).notes : []
  if (notes.length > 0) loop.record({ type: "said", by: "joey", content: notes.map((text) => ({ type: "text", text })) })
}

/** What the words that were not heard yet bring along, or the ending when a hook keeps them from the model. */
export async function hear(loop: Loop): Promise<{ brought: Content[] } | Ending> {
  const { hooks, context } = loop.stations
  const { unheard } = loop.state
  const rules = (await context?.entered?.(loop.state)) ?? []
  if (unheard.length === 0) {
    if (rules.length > 0) loop.record({ type: "said", by: "joey", content: rules })
    return { brought: [] }
  }
  const words = textOf(unheard.filter(({ by }) => by === "person"))
  const hooked = words === "" ? undefined : await hooks?.userMessage(words, loop.signal)
  if (hooked?.block !== undefined) {
    loop.record({ type: "words-refused", reason: hooked.block })
    return { reason: "limit", limit: "hook", message: `A hook kept your words from the model: ${hooked.block}` }
  }
  const notes = hooked?.notes.map((text): Content => ({ type: "text", text })) ?? []
  return { brought: [...rules, ...((await context?.heard(unheard, loop.state)) ?? []), ...notes] }
}

function textOf(messages: readonly UserMessage[]): string {
  return messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : []))).join("\n\n")
}
