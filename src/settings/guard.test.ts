import { describe, expect, it } from "vitest"
import type { Json } from "../types/json.ts"
import { guardProject } from "./guard.ts"
import { dotted, type Entry } from "./layer.ts"

/** What of a project's values is left out until it is trusted, for a person who has set `yours`. */
function heldBack(theirs: Record<string, Json>, yours: Record<string, Json>): string[] {
  const entries = Object.entries(theirs).map(([name, value]): Entry => {
    return { path: name.split("."), value, origin: { from: "file", scope: "project", file: "/p/.joey/settings.json", line: 1 } }
  })
  const { harmless } = guardProject(entries, new Map(Object.entries(yours)))
  const used = new Set(harmless.map(({ path }) => dotted(path)))
  return Object.keys(theirs).filter((name) => !used.has(name))
}

describe("what a project may set without trust", () => {
  it("raises the walls around commands, and does not lower them", () => {
    const low = { "sandbox.enabled": false, "sandbox.network": true, "sandbox.writable": [], "sandbox.readable": [] }
    const high = {
      "sandbox.enabled": true,
      "sandbox.network": false,
      "sandbox.writable": ["~/.cargo"],
      "sandbox.readable": ["~/.npmrc"],
    }
    expect(heldBack({ "sandbox.enabled": true, "sandbox.network": false, "sandbox.writable": [] }, low)).toEqual([])
    expect(heldBack({ "sandbox.writable": [], "sandbox.readable": ["~/.npmrc"] }, high)).toEqual([])
    expect(heldBack(low, high)).toEqual(["sandbox.enabled", "sandbox.network"])
    const more = { "sandbox.writable": ["~/.cargo", "~"], "sandbox.readable": ["~/.ssh"] }
    expect(heldBack(more, high)).toEqual(["sandbox.writable", "sandbox.readable"])
  })
})
