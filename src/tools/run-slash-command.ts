/** Runs one of the commands a person keeps as files: hands its text, arguments filled in, to the model as what to do next. */
import * as z from "zod"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { isMissing, type NoSuch, noSuch } from "./no-such.ts"

export interface ExpandedCommand {
  name: string
  /** Arguments are filled in. */
  text: string
  description?: string
  /** The mode it is meant for, when the task is in another. */
  mode?: string
}

export interface SlashCommandPort {
  expandCommand(name: string, args: string): Promise<ExpandedCommand | NoSuch>
}

const input = z.object({
  command: z.string().min(1).describe("Its name, such as init"),
  args: z.string().nullish().describe("What would stand behind it"),
})

export function runSlashCommand(port: SlashCommandPort): Tool<z.output<typeof input>> {
  return defineTool({
    name: "run_slash_command",
    knownAs: [{ agent: "claude-code", name: "SlashCommand" }],
    group: "always",
    effect: "none",
    description: "Get the instructions of one of the person's slash commands and follow them.",
    input,
    preview: ({ command }) => ({ kind: "title", text: `Command /${bare(command ?? "…")}` }),
    async run({ command, args }) {
      const name = bare(command)
      const found = await port.expandCommand(name, args?.trim() ?? "")
      if (isMissing(found)) throw new ToolError(noSuch("slash command", name, found))
      const about = found.description ? `: ${found.description}` : ""
      const mode = found.mode ? `\nIt is meant for ${found.mode} mode: use switch_mode first; the person decides.` : ""
      return {
        say: `/${found.name}${about}${mode}\n\n<command name="${found.name}">\n${found.text.trim()}\n</command>`,
        show: { kind: "title", text: `Command /${found.name}${args?.trim() ? ` ${args.trim()}` : ""}` },
      }
    },
  })
}

function bare(command: string): string {
  return command.trim().replace(/^\/+/, "")
}
