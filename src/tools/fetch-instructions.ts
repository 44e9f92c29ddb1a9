/** Tells how to extend Joey itself: a mode, a server, a skill. Asked for by models that know the tool from elsewhere. */
import * as z from "zod"
import { defineTool } from "./define-tool.ts"
import { EXTENSIONS } from "./extension-instructions.ts"

export const fetchInstructions = defineTool({
  name: "fetch_instructions",
  group: "always",
  effect: "none",
  description: "Get instructions for extending Joey: adding a mode, an MCP server or a skill.",
  input: z.object({ task: z.enum(["create_mode", "create_mcp_server", "create_skill"]) }),
  preview: ({ task }) => ({ kind: "title", text: `Instructions: ${task ?? "…"}` }),
  async run({ task }) {
    return { say: EXTENSIONS[task], show: { kind: "title", text: `Instructions: ${task}` } }
  },
})
