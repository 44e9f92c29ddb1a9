/** The groups of a mode, in every shape people write them. */
import { describe, expect, it } from "vitest"
import { readGroups } from "./group-list.ts"

const limited = { group: "edit", fileRegex: "\\.md$", description: "Markdown" }
const options = { fileRegex: "\\.md$", description: "Markdown" }

describe("groups", () => {
  it.each([
    ["names", ["read", ["edit", options]]],
    ["tuples of one", [["read"], ["edit", options]]],
    ["mappings by name", ["read", { edit: options }]],
    ["mappings with a group field", [{ group: "read" }, { group: "edit", ...options }]],
    ["one mapping in a list", [{ read: null, edit: options }]],
    ["one mapping of all", { read: true, edit: options, command: false }],
    ["capitals and blanks", [" Read", ["EDIT ", options]]],
  ])("S43: %s", (_, value) => {
    expect(readGroups(value)).toEqual({ groups: [{ group: "read" }, limited], problems: [] })
  })

  it("S43: names with commas, none at all, and every name there is", () => {
    expect(readGroups("read, mcp,").groups).toEqual([{ group: "read" }, { group: "mcp" }])
    expect(readGroups([])).toEqual({ groups: [], problems: [] })
    expect(readGroups(["read", "edit", "command", "browser", "mcp", "modes"])).toMatchObject({ problems: [] })
  })

  it("S43: browser is honoured and modes accepted", () => {
    expect(readGroups(["browser", "modes"]).groups).toEqual([{ group: "browser" }, { group: "modes" }])
  })

  it("an unknown group is left out and named, with the one that was meant", () => {
    expect(readGroups(["read", "edits", "quantum", 7])).toEqual({
      groups: [{ group: "read" }],
      problems: [
        'there is no group "edits", perhaps "edit"',
        'there is no group "quantum"; the groups are read, edit, command, browser, mcp, modes',
        'there is no group "7"; the groups are read, edit, command, browser, mcp, modes',
      ],
    })
  })

  it("of two the first counts", () => {
    expect(readGroups([["edit", options], "edit"])).toEqual({
      groups: [limited],
      problems: ['group "edit" is listed twice; the first counts'],
    })
  })

  it.each([
    [[["edit", { fileregex: "x" }]], "unknown option"],
    [[["edit", "\\.md$"]], "no mapping"],
    [[["edit", { fileRegex: 3 }]], "no text"],
    [[["edit", ["x"]]], "no mapping"],
    [[["edit", options, options]], "there is no group"],
  ])("a limit that cannot be read is never dropped; the group is: %j", (value, reason) => {
    const { groups, problems } = readGroups(value)
    expect(groups).toEqual([])
    expect(problems).toEqual([expect.stringContaining(reason)])
  })

  it("a pattern that does not compile makes the mode unusable", () => {
    expect(readGroups([["edit", { fileRegex: "(" }]]).fatal).toContain('fileRegex of group "edit" is no regular expression: /(/')
  })

  it.each([undefined, null, 3, true])("%j is no list", (value) => expect(readGroups(value).fatal).toContain("groups is missing"))
})
