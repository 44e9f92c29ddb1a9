import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import { callTool } from "./call-tool.ts"
import { runSlashCommand } from "./run-slash-command.ts"

async function run(args: JsonObject) {
  const asked: string[][] = []
  const tool = runSlashCommand({
    async expandCommand(name, given) {
      asked.push([name, given])
      if (name !== "deploy") return { available: ["deploy", "init"] }
      return { name, text: `Deploy to ${given || "nowhere"}.\n`, description: "Deploys", ...(given && { mode: "debug" }) }
    },
  })
  return { asked, output: await callTool(tool, args, memoryHost({})) }
}

describe("run_slash_command", () => {
  it("S36: hands over the command's text with its arguments filled in, and says which mode it is meant for", async () => {
    const { asked, output } = await run({ command: "/deploy", args: " staging " })
    expect(asked).toEqual([["deploy", "staging"]])
    expect(output.say).toBe(`/deploy: Deploys
It is meant for debug mode: use switch_mode first; the person decides.

<command name="deploy">
Deploy to staging.
</command>`)
    expect(output.show).toEqual({ kind: "title", text: "Command /deploy staging" })
  })

  it("needs no arguments", async () => {
    const { asked, output } = await run({ command: "deploy", args: null })
    expect(asked).toEqual([["deploy", ""]])
    expect(output.say).toMatch(/^\/deploy: Deploys\n\n/)
  })

  it("an unknown command is an error that lists those there are", async () => {
    await expect(run({ command: "inti" })).rejects.toThrow(
      'There is no slash command "inti". Did you mean init? There are: deploy, init.',
    )
    await expect(run({})).rejects.toThrow("`command`")
  })
})
