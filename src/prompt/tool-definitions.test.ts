/** The tools array of a request, and why a tool is not in it. */
import { describe, expect, it } from "vitest"
import type { ToolGroup, ToolSummary } from "../types/tool.ts"
import { missing, type OfferConditions, offeredDefinitions } from "./tool-definitions.ts"

const tool = (name: string, group: ToolGroup): ToolSummary => ({
  name,
  group,
  aliases: [`${name}_alias`],
  definition: { name, description: `does ${name}`, parameters: { type: "object", additionalProperties: false } },
})
const tools = [
  tool("look", "read"),
  tool("jot", "edit"),
  tool("switch_mode", "modes"),
  tool("update_todo_list", "always"),
  tool("skill", "always"),
  tool("run_slash_command", "always"),
  tool("fetch_instructions", "always"),
  tool("edit_file", "edit"),
]
const every = () => true
const names = (conditions?: OfferConditions, offers: (group: ToolGroup) => boolean = every, list = tools) =>
  offeredDefinitions(list, offers, conditions).map(({ name }) => name)

describe("the tools array", () => {
  it("S1, S40: has the definitions of the groups on offer, in the order of the tools, whatever was asked before", () => {
    const offered = (...groups: ToolGroup[]) => names({}, (group) => groups.includes(group))
    expect(offered("always", "read")).toEqual(["look", "update_todo_list", "fetch_instructions"])
    expect(offered("modes", "edit", "read", "always")).toEqual([
      "look",
      "jot",
      "switch_mode",
      "update_todo_list",
      "fetch_instructions",
    ])
    expect(offered()).toEqual([])
  })

  it("S37: makes images only where a model for them is set", () => {
    const list = [tool("generate_image", "edit")]
    expect(names({}, every, list)).toEqual([])
    expect(names({ hasImageModel: true }, every, list)).toEqual(["generate_image"])
    expect(missing({ name: "generate_image" }, {})).toContain("no imageModel is set")
  })

  it("S1: hands on name, description and schema, and nothing else", () => {
    const [first] = offeredDefinitions(tools, every)
    expect(first).toEqual({ name: "look", description: "does look", parameters: { type: "object", additionalProperties: false } })
  })

  it("S40: with nothing said offers what an empty folder has: no skills, no commands, nothing on request", () => {
    expect(names()).toEqual(["look", "jot", "switch_mode", "update_todo_list", "fetch_instructions"])
  })

  it("S36: offers the instructions for extending Joey in every mode, also in one without groups", () => {
    expect(names({}, (group) => group === "always")).toContain("fetch_instructions")
  })

  it("S36, S40: offers skill with skills, and run_slash_command with its experiment and commands", () => {
    const experiments = { runSlashCommand: true }
    expect(names({ hasSkills: true })).toContain("skill")
    expect(names({ experiments, hasCommands: true })).toContain("run_slash_command")
    expect(names({ experiments })).not.toContain("run_slash_command")
    expect(names({ hasCommands: true, experiments: { runSlashCommand: false } })).not.toContain("run_slash_command")
  })

  it("S40: leaves the todo list out when it is switched off", () => {
    expect(names({ todoListEnabled: false })).not.toContain("update_todo_list")
  })

  it("S31: offers what a model's data asks for and not what it refuses, only within the mode", () => {
    const conditions: OfferConditions = { included: ["edit_file_alias", "jot"], excluded: ["look_alias", "jot"] }
    expect(names(conditions)).toEqual(["jot", "switch_mode", "update_todo_list", "fetch_instructions", "edit_file"])
    expect(names(conditions, (group) => group === "read")).toEqual([])
  })

  it("S31: offers the other edit tools only to models whose data asks for them", () => {
    const edits = ["write_to_file", "apply_diff", "apply_patch", "search_and_replace", "search_replace", "edit_file"]
    const list = edits.map((name) => tool(name, "edit"))
    expect(names({}, every, list)).toEqual(["write_to_file", "apply_diff"])
    const conditions: OfferConditions = { included: ["apply_patch"], excluded: ["apply_diff", "write_to_file"] }
    expect(names(conditions, every, list)).toEqual(["apply_patch"])
    for (const name of edits) expect(missing({ name }, {})).toBeUndefined()
  })

  it("S44: disabledTools wins over everything, aliases resolved", () => {
    const disabledTools = ["look_alias", "switch_mode", "skill", "fetch_instructions"]
    expect(names({ disabledTools, hasSkills: true, included: ["look", "fetch_instructions"] })).toEqual([
      "jot",
      "update_todo_list",
    ])
  })

  it("S40: appends the tools of servers and custom ones, filtered alike, and no name twice", () => {
    const server = tool("mcp--files--find", "mcp")
    const list = [...tools, server, tool("look", "always"), tool("mine", "always")]
    expect(names({}, every, list).slice(-3)).toEqual(["fetch_instructions", "mcp--files--find", "mine"])
    expect(names({ disabledTools: ["mine"] }, (group) => group === "always", list)).toEqual([
      "update_todo_list",
      "fetch_instructions",
      "look",
    ])
  })
})

describe("a tool that cannot be used", () => {
  it("S44: is given a reason in words", () => {
    const why = (name: string, conditions: OfferConditions) => missing({ name, aliases: [`${name}_alias`] }, conditions)
    expect(why("look", { disabledTools: ["look_alias"] })).toMatch(/look is switched off in the settings/)
    expect(why("update_todo_list", { todoListEnabled: false })).toMatch(/todo list is switched off/)
    expect(why("skill", {})).toMatch(/no skills/)
    expect(why("run_slash_command", { hasCommands: true })).toMatch(/runSlashCommand/)
    expect(why("run_slash_command", { experiments: { runSlashCommand: true } })).toMatch(/no slash commands/)
  })

  it("S31: is not one that is merely not offered", () => {
    expect(missing({ name: "edit_file" }, { excluded: ["edit_file"] })).toBeUndefined()
    expect(missing({ name: "look" }, {})).toBeUndefined()
  })
})
