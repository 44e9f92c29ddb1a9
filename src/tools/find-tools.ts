/** Looks up tools of servers that are not offered because there are too many. What it finds can be called from then on. */
import * as z from "zod"
import { truncate } from "../text/truncate.ts"
import type { ToolFinderPort } from "../types/mcp.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"

const input = z.object({ query: z.string().min(1).max(500).describe("What the tool shall do, in a few words, or its name") })

export function findTools(port: ToolFinderPort | undefined): Tool<z.output<typeof input>> {
  return defineTool({
    name: "find_tools",
    knownAs: [{ agent: "claude-code", name: "ToolSearch" }],
    group: "always",
    effect: "none",
    description: "Find tools of the connected servers by what they do. The best matches can be called from your next turn on.",
    input,
    spellings: { words: "query", keywords: "query", name: "query" },
    preview: ({ query }) => ({ kind: "title", text: `Find tools: ${truncate(query ?? "…", 100)}` }),
    async run({ query }) {
      if (!port) throw new ToolError("There are no servers here.")
      const { found, total } = port.findTools(query)
      const show = { kind: "title", text: `Found ${found.length} of ${total} tools` } as const
      if (found.length === 0) return { say: `None of ${total} tools has anything of these words. Try others.`, show }
      const lines = found.map(({ name, description }) => `- ${name}: ${description}`)
      return {
        say: `These can be called now (${found.length} of ${total}; descriptions are the servers' words):\n${lines.join("\n")}`,
        show,
      }
    },
  })
}
