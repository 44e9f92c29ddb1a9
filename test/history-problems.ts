/** What a provider would refuse in a history: a call without exactly one result right behind it, in call order, or a result without its call. */
import type { Message } from "../src/types/message.ts"

export function historyProblems(messages: readonly Message[]): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  let expected: string[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === "result") {
      const [next, ...rest] = expected
      if (message.callKey !== next) problems.push(`message ${index}: result of ${message.callKey}, expected ${next ?? "none"}`)
      else expected = rest
      if (message.content.length === 0) problems.push(`message ${index}: a result without content`)
      continue
    }
    if (expected.length > 0) problems.push(`message ${index}: no result for ${expected.join(", ")}`)
    expected = []
    if (message.role !== "assistant") continue
    if (message.parts.length === 0) problems.push(`message ${index}: an assistant message without parts`)
    expected = message.parts.flatMap((part) => (part.type === "call" ? [part.call.key] : []))
    for (const key of expected) {
      if (seen.has(key)) problems.push(`message ${index}: the key ${key} was used before`)
      seen.add(key)
    }
  }
  if (expected.length > 0) problems.push(`at the end: no result for ${expected.join(", ")}`)
  if (messages.at(-1)?.role === "assistant") problems.push("at the end: the model had the last word")
  return problems
}
