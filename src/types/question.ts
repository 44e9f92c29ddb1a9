/** What a task asks a person, and what a person can answer. Both are durable: asked once, answered once, also across restarts. */
import type { JsonObject } from "./json.ts"
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
      /** An answer counts until then; what has not run by then is asked again. ISO time. */
      expiresAt?: string
      /** What "always" would cover, in words, and the key under which it is remembered. */
      always: { covers: string; grant: string }
    }
  /** `answersAt`: then the first suggestion is taken, unless somebody answers before. ISO time. */
  | { kind: "followup"; callKey: string; question: string; suggestions: Suggestion[]; answersAt?: string }
  | { kind: "completion"; callKey: string; result: string; usage: Usage; tools: ToolUsage }
  | { kind: "limit"; limit: string; reason: string }

export type Answer =
  | {
      kind: "yes"
      /** Not asked again for what the question's `always` covers: in this task, or in this folder from now on. */
      always?: "task" | "project"
      /** The call's input as the person changed it. It passes every gate again. */
      input?: JsonObject
      /** Of the diff that was shown: only these hunks, counted from 0. The model is told which were refused. */
      hunks?: number[]
    }
  | { kind: "no" }
  /** To an approval: no, and why. To a completion: feedback. To a limit: guidance, and go on. To a follow-up: the answer. */
  | { kind: "words"; content: Content[] }
