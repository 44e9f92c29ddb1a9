/** The tools array of a request. */
import { expect, it } from "vitest"
import type { ToolGroup, ToolSummary } from "../types/tool.ts"
import { offeredDefinitions } from "./tool-definitions.ts"

const tool = (name: string, group: ToolGroup): ToolSummary => ({
  name,
  group,
  aliases: [`${name}_alias`],
  definition: { name, description: `does ${name}`, parameters: { type: "object", additionalProperties: false } },
})
const tools = [tool("look", "read"), tool("jot", "edit"), tool("hand_in", "always")]

it("S1, S40: has the definitions of the groups on offer, in the order of the tools, whatever was asked before", () => {
  const offered = (...groups: ToolGroup[]) => offeredDefinitions(tools, (group) => groups.includes(group)).map(({ name }) => name)
  expect(offered("always", "read")).toEqual(["look", "hand_in"])
  expect(offered("read", "edit", "always")).toEqual(["look", "jot", "hand_in"])
  expect(offered()).toEqual([])
})

it("S1: hands on name, description and schema, and nothing else", () => {
  const [first] = offeredDefinitions(tools, () => true)
  expect(first).toEqual({ name: "look", description: "does look", parameters: { type: "object", additionalProperties: false } })
})
