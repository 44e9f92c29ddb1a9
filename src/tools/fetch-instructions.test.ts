import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { memoryHost } from "../host/memory.ts"
import { callTool } from "./call-tool.ts"
import { fetchInstructions } from "./fetch-instructions.ts"

const fetchText = async (task: string) => String((await callTool(fetchInstructions, { task }, memoryHost({}))).say)
const fenced = (text: string) => /```\w+\n([\s\S]*?)```/.exec(text)?.[1] ?? ""

describe("fetch_instructions", () => {
  it("S36: tells how to add a mode, with an example that is a mode file", async () => {
    const example = parse(fenced(await fetchText("create_mode")))
    expect(example.customModes[0]).toMatchObject({ slug: "docs-writer", groups: ["read", ["edit", { fileRegex: "\\.mdx?$" }]] })
  })

  it("S36: tells how to add a server, with an example that is a server file and holds no key", async () => {
    const example = JSON.parse(fenced(await fetchText("create_mcp_server")))
    expect(example.mcpServers.weather.env.WEATHER_KEY).toMatch(/^\$\{env:WEATHER_KEY\}$/)
  })

  it("S36: tells how to add a skill, with an example whose front matter holds what is needed", async () => {
    const [, matter = ""] = fenced(await fetchText("create_skill")).split("---\n")
    expect(parse(matter)).toEqual({ name: "release-notes", description: expect.stringMatching(/Use when/) })
  })

  it("refuses another subject and says which there are", async () => {
    await expect(fetchText("create_planet")).rejects.toThrow(/create_mode/)
  })
})
