/** Changes the task's mode: another role, other tools, from the next turn on. */
import * as z from "zod"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

export type ModeChange =
  | { change: "switched"; from: string; to: string }
  /** It is this mode already. */
  | { change: "none" }
  | { change: "unknown"; modes: readonly string[] }

export interface ModePort {
  /** Holds from the next turn on. Rejects when overtaken by a cancel, or with a ToolError when the person declines. */
  switchMode(change: { callKey: string; slug: string; reason: string }): Promise<ModeChange>
}

const input = z.object({
  mode_slug: z.string().min(1).describe("The mode to change to"),
  reason: z.string().nullish().describe("Why, for the person"),
})

export function switchMode(port: ModePort): Tool<z.output<typeof input>> {
  return defineTool({
    name: "switch_mode",
    group: "modes",
    effect: "none",
    description: "Change to another mode when the task needs its role or its tools.",
    input,
    spellings: { mode: "mode_slug" },
    preview: ({ mode_slug }) => ({ kind: "title", text: `Switch to ${mode_slug ?? "…"} mode` }),
    async run({ mode_slug: slug, reason }, { callKey }) {
      const outcome = await port.switchMode({ callKey, slug, reason: reason ?? "" })
      if (outcome.change === "unknown") {
        throw new ToolError(`There is no mode "${slug}". Modes: ${outcome.modes.join(", ")}.`)
      }
      if (outcome.change === "none") return { say: `This is ${slug} mode already; nothing changed.` }
      const because = reason?.trim() ? `: ${reason.trim()}` : ""
      return {
        say: `Switched from ${outcome.from} to ${outcome.to} mode. Its tools and instructions hold from your next reply on.`,
        show: { kind: "title", text: `Switched from ${outcome.from} to ${outcome.to} mode${because}` },
      }
    },
  })
}
