/** The tools that agent files name, as groups. */
import { expect, it } from "vitest"
import { groupsOfTools } from "./agent-tools.ts"

it.each([
  ["Read, Grep, Glob", ["read"]],
  ["Read, Edit, Write, Bash, WebFetch, mcp__github__list_issues", ["read", "edit", "command", "browser", "mcp"]],
  [
    ["Bash", "Read"],
    ["read", "command"],
  ],
  ["*", ["read", "edit", "command", "browser", "mcp"]],
  [undefined, ["read", "edit", "command", "browser", "mcp"]],
  [[], []],
  ["TodoWrite, Task", []],
  ["Bash(*)", ["command"]],
])("S43: %j gives %j", (tools, groups) => expect(groupsOfTools(tools, undefined)).toEqual({ groups, problems: [] }))

it("what is disallowed takes its whole group away", () => {
  expect(groupsOfTools(undefined, "Write, Bash(rm:*)").groups).toEqual(["read", "browser", "mcp"])
})

it("a tool limited by a pattern is left out rather than widened", () => {
  const { groups, problems } = groupsOfTools("Read, Bash(git diff:*, git log:*)", undefined)
  expect(groups).toEqual(["read"])
  expect(problems).toEqual([expect.stringContaining("command tools are not offered by it")])
})

it("a name nobody knows is said", () => {
  expect(groupsOfTools("Read, Teleport", undefined)).toEqual({ groups: ["read"], problems: ['there is no tool "Teleport"'] })
})
