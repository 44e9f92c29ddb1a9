/** Hands in the task's result. The person accepts it, which ends the task, or says what is missing, which goes on with it. */
import * as z from "zod"
import type { Content } from "../types/message.ts"
import type { Show } from "../types/show.ts"
import type { Tool } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

export interface CompletionPort {
  /** Rejects when overtaken by a cancel, or with a ToolError when the task cannot be completed yet. */
  complete(proposal: { callKey: string; result: string }): Promise<{ accepted: true } | { accepted: false; feedback: Content[] }>
}

/** A person is to read this. */
const LONGEST_RESULT = 100_000

const input = z.object({
  result: z
    .string()
    .min(1)
    .refine((text) => text.length <= LONGEST_RESULT, `expected at most ${LONGEST_RESULT} characters; put the rest into a file`)
    .refine((text) => text === "" || text.trim() !== "", "expected words, got only white space")
    .describe("What was done, as a final statement"),
})

export function attemptCompletion(port: CompletionPort): Tool<z.output<typeof input>> {
  return defineTool({
    name: "attempt_completion",
    group: "always",
    effect: "none",
    settlesLast: true,
    description: "Hand in the result once the task is done and checked. Do not end it with a question.",
    input,
    preview: ({ result }) => ({ kind: "result", text: result ?? "" }),
    async run({ result }, { callKey }) {
      const answer = await port.complete({ callKey, result })
      const show: Show = { kind: "result", text: result }
      if (answer.accepted) return { say: "The result was accepted.", show, accepted: result }
      if (answer.feedback.length === 0) return { say: "The result was not accepted. Ask what is missing.", show }
      return { say: [{ type: "text", text: "The result was not accepted yet:" }, ...answer.feedback], show }
    },
  })
}
