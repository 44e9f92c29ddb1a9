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

const input = z.object({
  result: z
    .string()
    .min(1)
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
      return { say: [{ type: "text", text: "The result was not accepted yet:" }, ...answer.feedback], show }
    },
  })
}
