import { describe, expect, it } from "vitest"
import { advertisedName, foreignNames, nameTable } from "./tool-name.ts"

/** The same numbers every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const underscored = (name: string) => name.replaceAll("-", "_")
const ADVERTISED = /^mcp--[A-Za-z0-9_-]{1,59}$/

describe("the name of a server's tool", () => {
  it("S7: is mcp--server--tool where both names can stand in it", () => {
    expect(advertisedName("github", "create_issue")).toBe("mcp--github--create_issue")
    expect(advertisedName("my-server", "get-user-profile")).toBe("mcp--my-server--get-user-profile")
    expect(foreignNames("my-server", "get_user")).toEqual(["mcp__my-server__get_user"])
    expect(foreignNames("Weather API", "get_it")).toContain("mcp__Weather_API__get_it")
  })

  it.each([
    ["Weather API", "forecast"],
    ["a--b", "c"],
    ["a", "b--c"],
    ["a__b", "c"],
    ["a", "b__c"],
    ["", ""],
    ["天気", "予報"],
    ["@#$%", "..."],
    ["-a", "-b"],
    ["a_", "_b"],
    ["s".repeat(80), "t".repeat(80)],
    ["awslabs.aws-documentation-mcp-server", "read_documentation_of_some_service_page"],
  ])("S7: takes any name, %j %j, within 64 characters", (server, tool) => {
    const name = advertisedName(server, tool)
    expect(name).toMatch(ADVERTISED)
    expect(name.length).toBeLessThanOrEqual(64)
    expect(advertisedName(server, tool)).toBe(name)
  })

  it("S7: leads back to exactly its tool, for any names together, in every spelling that is clear", () => {
    const random = numbers(7)
    const letters = ["a", "b", "-", "--", "_", "__", " ", ".", "ä", "天", "\n", "mcp", "x".repeat(30)]
    const word = () => Array.from({ length: random(5) }, () => letters[random(letters.length)]).join("")
    for (let round = 0; round < 300; round++) {
      const pairs = new Map<string, [string, string]>()
      for (let count = 0; count < 12; count++) {
        const pair: [string, string] = [word(), word()]
        pairs.set(JSON.stringify(pair), pair)
      }
      const named = [...pairs.values()].map(([server, tool]) => [advertisedName(server, tool), [server, tool]] as const)
      const table = nameTable(named)
      expect(new Set(named.map(([name]) => name)).size, JSON.stringify([...pairs.keys()])).toBe(named.length)
      for (const [name, pair] of named) {
        expect(name).toMatch(ADVERTISED)
        expect(table.find(name)).toEqual(pair)
        const found = table.find(underscored(name))
        if (found) expect(underscored(advertisedName(...found))).toBe(underscored(name))
      }
    }
  })

  it("S7: is understood with underscores, hyphens turned, and without its prefix", () => {
    const table = nameTable([[advertisedName("my-server", "get-user"), "found"] as const])
    for (const written of [
      "mcp__my-server__get-user",
      "mcp__my_server__get_user",
      "my_server__get_user",
      "my-server--get-user",
    ]) {
      expect(table.find(written), written).toBe("found")
    }
    expect(table.find("get_user")).toBeUndefined()
    expect(table.find("mcp_my_server_get_user")).toBeUndefined()
  })

  it("S7: two tools that differ in a hyphen only are told apart, and a spelling that fits both finds neither", () => {
    const table = nameTable(["get-user", "get_user"].map((tool) => [advertisedName("s", tool), tool] as const))
    expect([table.find("mcp--s--get-user"), table.find("mcp--s--get_user")]).toEqual(["get-user", "get_user"])
    expect(table.find("mcp__s__get_user")).toBeUndefined()
  })

  it("a tool cannot take a name that a rule for another server covers", () => {
    for (const [server, tool] of [
      ["git", "hub__x"],
      ["git", "_hub__x"],
      ["gi", "thub--x"],
    ] as const) {
      expect(foreignNames(server, tool).some((name) => /^mcp__(?:github|git__hub)__/.test(name))).toBe(false)
    }
  })
})
