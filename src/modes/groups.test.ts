/** Which tools a mode offers, and which files it lets them touch. */
import { describe, expect, it } from "vitest"
import type { Mode } from "../types/mode.ts"
import { builtInModes } from "./built-in.ts"
import { findMode, offersGroup, pathBarred, writesByCommand } from "./groups.ts"

const reader: Mode = { slug: "reader", name: "Reader", role: "You read.", groups: [{ group: "read" }] }

describe("groups", () => {
  it("S43, S44: a mode offers the groups it lists and no other", () => {
    expect(offersGroup(reader, "read")).toBe(true)
    for (const group of ["edit", "command", "mcp", "browser"] as const) expect(offersGroup(reader, group)).toBe(false)
  })

  it("commands may write in modes that may edit any file", () => {
    const mode = (...groups: Mode["groups"]): Mode => ({ ...reader, groups })
    expect(writesByCommand(mode({ group: "edit" }, { group: "command" }))).toBe(true)
    expect(writesByCommand(mode({ group: "edit", fileRegex: "\\.md$" }, { group: "command" }))).toBe(false)
    expect(writesByCommand(mode({ group: "read" }, { group: "command" }))).toBe(false)
  })

  it("S35, S36: what is always there, and switching modes, is offered even by a mode without groups", () => {
    const bare: Mode = { ...reader, groups: [] }
    expect(offersGroup(bare, "always")).toBe(true)
    expect(offersGroup(bare, "modes")).toBe(true)
    expect(offersGroup(bare, "read")).toBe(false)
  })

  it("a mode is found by its slug only", () => {
    expect(findMode([reader], "reader")).toBe(reader)
    expect(findMode([reader], "Reader")).toBeUndefined()
    expect(findMode([], "reader")).toBeUndefined()
  })
})

describe("file patterns", () => {
  const writer: Mode = {
    ...reader,
    name: "Writer",
    slug: "writer",
    groups: [{ group: "read" }, { group: "edit", fileRegex: "\\.md$", description: "Markdown files only" }],
  }

  it("S43: a group with a pattern lets only matching files be touched, and says mode, pattern, words and file", () => {
    expect(pathBarred(writer, "edit", "docs/plan.md")).toBeUndefined()
    expect(pathBarred(writer, "edit", "src/plan.md.ts")).toBe(
      "Writer mode (writer) limits edit to files matching \\.md$ (Markdown files only); src/plan.md.ts does not match.",
    )
  })

  it("S43: the pattern is tried anywhere in the path and holds for its own group only", () => {
    const anywhere: Mode = { ...writer, groups: [{ group: "read" }, { group: "edit", fileRegex: "docs" }] }
    expect(pathBarred(anywhere, "edit", "a/docs-old/b.ts")).toBeUndefined()
    expect(pathBarred(anywhere, "read", "src/a.ts")).toBeUndefined()
  })

  it("S44: a path is tried as it leads, with slashes and without detours", () => {
    const below: Mode = { ...writer, groups: [{ group: "edit", fileRegex: "^docs/" }] }
    expect(pathBarred(below, "edit", "docs\\a.md")).toBeUndefined()
    expect(pathBarred(below, "edit", "./docs/a.md")).toBeUndefined()
    expect(pathBarred(below, "edit", "docs/../src/a.ts")).toContain("src/a.ts does not match")
  })

  it("S44: a group that is not offered bars every path; what is always offered bars none", () => {
    expect(pathBarred(writer, "command", "a.md")).toBe("Writer mode does not offer command tools.")
    expect(pathBarred(writer, "always", "a.ts")).toBeUndefined()
    expect(pathBarred(writer, "modes", "a.ts")).toBeUndefined()
  })
})

describe("built-in modes", () => {
  it("S43: are the five, each with the groups it is known for", () => {
    const groups = Object.fromEntries(builtInModes.map((mode) => [mode.slug, mode.groups.map(({ group }) => group).join(" ")]))
    expect(groups).toEqual({
      code: "read edit browser command mcp",
      architect: "read edit browser mcp",
      ask: "read browser mcp",
      debug: "read edit browser command mcp",
      orchestrator: "",
    })
  })

  it("S43: architect edits Markdown only", () => {
    const architect = findMode(builtInModes, "architect")
    if (!architect) throw new Error("no architect")
    expect(pathBarred(architect, "edit", "plans/one.md")).toBeUndefined()
    expect(pathBarred(architect, "edit", "src/one.ts")).toContain("Markdown files only")
  })

  it("S43: code may read, edit, run commands, browse and use servers", () => {
    const code = findMode(builtInModes, "code")
    expect(code?.groups.map(({ group }) => group).toSorted()).toEqual(["browser", "command", "edit", "mcp", "read"])
    expect(code?.groups.every(({ fileRegex }) => fileRegex === undefined)).toBe(true)
  })

  it("have slugs of their own, a name and a role", () => {
    const slugs = builtInModes.map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    for (const { slug, name, role } of builtInModes) {
      expect(slug).toMatch(/^[a-z0-9-]+$/)
      expect(name).toMatch(/\S/)
      expect(role).toMatch(/^You are /)
    }
  })
})
