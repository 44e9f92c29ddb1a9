/** What a task asks a person, and what a person can answer. Both are durable: asked once, answered once, also across restarts. */
import type { Content } from "./message.ts"
import type { Show, Suggestion } from "./show.ts"
import type { ToolUsage, Usage } from "./usage.ts"

export type Question =
  | {
      kind: "approve"
      callKey: string
      tool: string
      /** SHA-256 of the call's name, its input and where its paths really lead: an answer holds for exactly this call. */
      digest: string
      /** Why this is asked. */
      reason: string
      show: Show
      /** What "always" would cover, in words, and the key under which it is remembered. */
      always: { covers: string; grant: string }
    }
  | { kind: "followup"; callKey: string; question: string; suggestions: Suggestion[] }
  | { kind: "completion"; callKey: string; result: string; usage: Usage; tools: ToolUsage }
  | { kind: "limit"; limit: string; reason: string }

export type Answer =
  | { kind: "yes"; always?: "task" }
  | { kind: "no" }
  /** To an approval: no, and why. To a completion: feedback. To a limit: guidance, and go on. To a follow-up: the answer. */
  | { kind: "words"; content: Content[] }
