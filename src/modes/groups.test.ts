/** Which tools a mode offers. */
import { describe, expect, it } from "vitest"
import type { Mode } from "../types/mode.ts"
import { builtInModes } from "./built-in.ts"
import { findMode, offersGroup } from "./groups.ts"

const reader: Mode = { slug: "reader", name: "Reader", role: "You read.", groups: [{ group: "read" }] }

describe("groups", () => {
  it("S43, S44: a mode offers the groups it lists and no other", () => {
    expect(offersGroup(reader, "read")).toBe(true)
    for (const group of ["edit", "command", "mcp", "browser"] as const) expect(offersGroup(reader, group)).toBe(false)
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

describe("built-in modes", () => {
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
