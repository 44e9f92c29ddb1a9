import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import type { JsonObject } from "../types/json.ts"
import { ToolError } from "../types/tool.ts"
import { callTool } from "./call-tool.ts"
import { type ModeChange, switchMode } from "./switch-mode.ts"

async function change(args: JsonObject, outcome: ModeChange | ToolError = { change: "switched", from: "architect", to: "code" }) {
  const asked: object[] = []
  const tool = switchMode({
    async switchMode(wish) {
      asked.push(wish)
      if (outcome instanceof ToolError) throw outcome
      return outcome
    },
  })
  return { asked, output: await callTool(tool, args, memoryHost({})) }
}

describe("switch_mode", () => {
  it("S35: changes the mode and says from which to which, and why", async () => {
    const { asked, output } = await change({ mode_slug: "code", reason: "The plan is ready." })
    expect(asked).toEqual([{ callKey: "call-1", slug: "code", reason: "The plan is ready." }])
    expect(output.say).toMatch(/from architect to code mode/)
    expect(output.show).toEqual({ kind: "title", text: "Switched from architect to code mode: The plan is ready." })
  })

  it("S35: needs no reason, and takes the mode under the name other agents use", async () => {
    expect((await change({ mode: "code", reason: null })).asked).toEqual([{ callKey: "call-1", slug: "code", reason: "" }])
    await expect(change({ reason: "x" })).rejects.toThrow("`mode_slug`")
  })

  it("an unknown mode is an error that names those there are", async () => {
    const unknown = change({ mode_slug: "coder" }, { change: "unknown", modes: ["code", "ask"] })
    await expect(unknown).rejects.toThrow('There is no mode "coder". Modes: code, ask.')
  })

  it("the mode it is in already is no error and no change", async () => {
    const { output } = await change({ mode_slug: "code" }, { change: "none" })
    expect(output.say).toMatch(/code mode already/)
  })

  it("a person who declines is heard", async () => {
    await expect(change({ mode_slug: "code" }, new ToolError("Stay here."))).rejects.toThrow("Stay here.")
  })
})
