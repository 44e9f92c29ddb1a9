import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { callTool } from "./call-tool.ts"
import { findTools } from "./find-tools.ts"

const host = memoryHost({})

describe("find_tools", () => {
  const asked: string[] = []
  const tool = findTools({
    findTools(words) {
      asked.push(words)
      const found = words === "issue" ? [{ name: "mcp--hub--create_issue", server: "hub", description: "Opens one" }] : []
      return { found, total: 300 }
    },
  })

  it("S40: names what fits and can be called from now on", async () => {
    const { say } = await callTool(tool, { query: "issue" }, host)
    expect(say).toContain("(1 of 300; descriptions are the servers' words):\n- mcp--hub--create_issue: Opens one")
  })

  it("says so when nothing fits", async () => {
    const { say } = await callTool(tool, { query: "xylophone" }, host)
    expect(say).toBe("None of 300 tools has anything of these words. Try others.")
  })

  it("runs without asking: it only looks", () => {
    expect([tool.group, tool.effect]).toEqual(["always", "none"])
  })
})
