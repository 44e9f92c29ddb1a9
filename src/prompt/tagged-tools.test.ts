/** The tools as tagged text: what a model without native calls is told. */
import { describe, expect, it } from "vitest"
import definitions from "../tools/definitions.json" with { type: "json" }
import type { ToolDefinition } from "../types/model.ts"
import { taggedTool, taggedTools } from "./tagged-tools.ts"

const search: ToolDefinition = {
  name: "search",
  description: "Search files.",
  parameters: {
    type: "object",
    properties: {
      path: { type: "string", description: "Where" },
      limit: { type: ["integer", "null"], default: 10 },
      order: { type: "string", enum: ["name", "size"], description: "How" },
      filters: {
        type: "array",
        items: {
          type: "object",
          properties: { field: { type: "string" }, value: { type: ["string", "null"] } },
          required: ["field"],
        },
      },
    },
    required: ["path", "filters"],
    additionalProperties: false,
  },
}

describe("tools as tagged text", () => {
  it("S10: have a description, parameters with (required), and a usage example", () => {
    expect(taggedTool(search)).toBe(`## search
Search files.
Parameters:
- path: (required) Where [string]
- limit: (optional) [integer, default 10]
- order: (optional) How [name | size]
- filters: (required) [JSON list of { field: string, value?: string }]
Usage:
<search>
<path>path here</path>
<filters>[…]</filters>
</search>`)
  })

  it("S10: a tool without parameters is an empty tag", () => {
    const bare = taggedTool({ name: "rest", description: "Do nothing.", parameters: { type: "object" } })
    expect(bare).toBe("## rest\nDo nothing.\nUsage:\n<rest>\n</rest>")
  })

  it("S10, S59: every built-in tool is written, in order, and none at all when there is none", () => {
    const tools = definitions.map(({ definition }) => definition as unknown as ToolDefinition)
    const text = taggedTools(tools)
    const places = tools.map(({ name }) => text.indexOf(`\n## ${name}\n`))
    expect(places.every((place) => place > 0)).toBe(true)
    expect(places.toSorted((one, other) => one - other)).toEqual(places)
    expect(text).not.toMatch(/undefined|\[object/)
    expect(taggedTools([])).toBe("")
  })
})
