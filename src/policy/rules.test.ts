/** Rules as people write them: what each form means, where it came from, and what happens to one that cannot be read. */
import { describe, expect, it } from "vitest"
import type { Judged, TouchedPath } from "../types/stations.ts"
import { judge } from "./approval.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"
import { compileRules, type Decision, type RuleSet } from "./rules.ts"
import { deniedReads } from "./rules-match.ts"
import { callOf, inside, outside, PLACES, rulesOf } from "./test-call.ts"

const look = (path: TouchedPath) => callOf("read", [path], { tool: "look", names: ["look", "Read"] })
const jot = (path: TouchedPath) => callOf("write", [path], { tool: "jot", names: ["jot", "Write"] })
const fetchPage = (address: string) => callOf("network", [], { tool: "get", names: ["get", "WebFetch"], addresses: [address] })
/** A page that is kept as a picture. */
const picture = (path: string) => callOf("network", [inside(path)], { addresses: ["https://example.com/"] })
const remote = (name: string) => callOf("execute", [], { tool: name, names: [name], group: "mcp" })

const judged = (call: Judged, rules: RuleSet, preset: "ask" | "default" | "yes" = "default") =>
  judge(call, { preset, grants: new Set(), ...DEFAULT_PATH_RULES, rules })

async function says(rule: string, call: Judged): Promise<string> {
  const words: string[] = []
  for (const decision of ["deny", "ask", "allow"] as const) {
    const { rule: decided } = await judged(call, rulesOf({ [decision]: [rule] }))
    if (decided) words.push(decision)
  }
  return words.join(" ")
}

describe("a rule", () => {
  const all = "deny ask allow"
  const strict = "deny ask"

  it.each<[string, Judged, string]>([
    ["look", look(inside("a")), all],
    ["Read", look(inside("a")), all],
    ["Read(*)", look(inside("a")), all],
    ["read", look(inside("a")), strict],
    ["Reader", look(inside("a")), ""],
    ["*", look(inside("a")), all],
    ["l*k", look(inside("a")), all],
    ["Read(a)", look(inside("a")), all],
    ["Read(./a)", look(inside("a")), all],
    ["Read(/a)", look(inside("a")), all],
    ["Read(a)", look(inside("deep/down/a")), all],
    ["Read(./a)", look(inside("deep/a")), ""],
    ["Read(src/**)", look(inside("src/x/y")), all],
    ["Read(src)", look(inside("src/x/y")), all],
    ["Read(src/)", look(inside("src/x/y")), all],
    ["Read(src/**)", look(inside("lib/src/x")), ""],
    ["Read(*.md)", look(inside("docs/a.md")), all],
    ["Read(A)", look(inside("a")), strict],
    ["Read({a,b}/**)", look(inside("b/c")), all],
    ["Read(//data/**)", look(outside("/data/x")), all],
    ["Read(~/notes/**)", look(outside("/home/me/notes/x")), all],
    ["Read(../other/**)", look(outside("/other/x")), all],
    ["Read(/data/**)", look(outside("/data/x")), strict],
    ["Read(x)", look(outside("/data/x")), strict],
    ["Read(src/**)", look(outside("/elsewhere/src/x")), ""],
    ["Read(//project/a)", look(inside("a")), all],
    ["Read(a)", jot(inside("a")), strict],
    ["Read", jot(inside("a")), ""],
    ["Edit", jot(inside("a")), all],
    ["Edit(a)", jot(inside("a")), all],
    ["Edit(a)", look(inside("a")), ""],
    ["Write(a)", jot(inside("a")), all],
    ["MultiEdit(a)", jot(inside("a")), strict],
    ["jot(a)", jot(inside("a")), all],
    ["jot(b)", jot(inside("a")), ""],
    ["WebFetch", fetchPage("https://example.com/a"), all],
    ["WebFetch(domain:example.com)", fetchPage("https://EXAMPLE.com./a"), all],
    ["WebFetch(domain:example.com)", fetchPage("https://docs.example.com/a"), strict],
    ["WebFetch(domain:*.example.com)", fetchPage("https://docs.example.com/a"), all],
    ["WebFetch(domain:example.com)", fetchPage("https://notexample.com/a"), ""],
    ["WebFetch(domain:example.com)", fetchPage("https://example.com@evil.test/"), ""],
    ["WebFetch(domain:example.com)", fetchPage("not an address"), strict],
    ["Edit(a)", picture("a"), strict],
    ["Write(b)", picture("a"), ""],
    ["mcp__a__b", remote("mcp__a__b"), all],
    ["mcp--a--b", remote("mcp__a__b"), all],
    ["mcp__a__*", remote("mcp__a__b"), all],
    ["mcp__a", remote("mcp__a__b"), all],
    ["mcp__a", remote("mcp__ab__b"), ""],
    ["mcp__*", remote("mcp__a__b"), all],
    ["mcp__a__c", remote("mcp__a__b"), ""],
  ])("S28: %s says of this call: %#", async (rule, call, words) => {
    expect(await says(rule, call)).toBe(words)
  })

  it("S28: is named in the reason with the file and line it came from", async () => {
    const rules = rulesOf({ deny: ["Read(x)", "Read(./secrets/**)"], ask: ["Edit(b)"], allow: ["Edit(src/**)"] })
    expect((await judged(look(inside("secrets/a")), rules)).reason).toBe(
      "denied by the rule Read(./secrets/**) in .joey/settings.json:2",
    )
    expect((await judged(jot(inside("b")), rules, "yes")).reason).toBe("the rule Edit(b) in .joey/settings.json:1 says so")
    expect((await judged(jot(inside("src/b.ts")), rules)).reason).toBe(
      "allowed by the rule Edit(src/**) in .joey/settings.json:1",
    )
  })

  it("S28: that denies wins over one that asks, and that over one that allows, however exact they are", async () => {
    const both = { deny: ["Edit(src/**)"], ask: ["Edit(src/a)"], allow: ["Edit(src/a)"] }
    expect((await judged(jot(inside("src/a")), rulesOf(both), "yes")).verdict).toBe("deny")
    expect((await judged(jot(inside("src/a")), rulesOf({ ...both, deny: [] }), "yes")).verdict).toBe("ask")
  })

  it("S28: that allows must cover every path of the call, each by some rule", async () => {
    const move = callOf("write", [inside("a/x"), inside("b/x")])
    for (const one of ["a", "b"]) expect((await judged(move, rulesOf({ allow: [`Edit(${one}/**)`] }))).verdict).toBe("ask")
    expect((await judged(move, rulesOf({ allow: ["Edit(a/**)", "Edit(b/**)"] }))).verdict).toBe("allow")
    expect((await judged(move, rulesOf({ allow: ["Edit"], deny: ["Edit(b/**)"] }))).verdict).toBe("deny")
  })

  it("S28: that restricts holds for a link by its name as well as by where it leads", async () => {
    const rules = rulesOf({ deny: ["Read(secrets/**)"] })
    const into: TouchedPath = { path: "a", real: "/project/secrets/a", relative: "secrets/a", outside: false }
    const outOf: TouchedPath = { path: "x/../secrets/a", real: "/project/a", relative: "a", outside: false }
    for (const path of [into, outOf]) expect((await judged(look(path), rules)).verdict).toBe("deny")
    const allow = rulesOf({ allow: ["Edit(src/**)"] })
    expect((await judged(jot({ path: "src/a", real: "/project/lib/a", relative: "lib/a", outside: false }), allow)).verdict).toBe(
      "ask",
    )
  })

  it.each<[string, Judged, Decision]>([
    ["Edit", jot(inside(".git/config")), "ask"],
    ["Edit(**)", jot(inside(".git/config")), "ask"],
    ["Edit(.git/**)", jot(inside(".git/config")), "allow"],
    ["Read", look(inside(".env")), "ask"],
    ["Read(**)", look(inside(".env")), "ask"],
    ["Read(.env*)", look(inside(".env.local")), "allow"],
    ["Edit", jot(outside("/etc/hosts")), "ask"],
    ["Edit(//etc/hosts)", jot(outside("/etc/hosts")), "allow"],
    ["Read(//home/me/**)", look(outside("/home/me/.ssh/id_rsa")), "ask"],
    ["Read(~/.ssh/id_rsa)", look(outside("/home/me/.ssh/id_rsa")), "allow"],
    ["Edit(//other/**)", jot(outside("/other/.git/hooks/x")), "ask"],
    ["Edit(**)", jot({ ...inside("a"), linked: true }), "ask"],
    ["Edit(a*)", jot({ ...inside("a"), linked: true }), "ask"],
    ["Edit(a)", jot({ ...inside("a"), linked: true }), "allow"],
  ])("S28: %s allows what is outside, protected, secret or linked only if it names it: %#", async (allow, call, word) => {
    expect((await judged(call, rulesOf({ allow: [allow] }))).verdict).toBe(word)
  })
})

describe("a rule that cannot be read", () => {
  const compile = (permissions: Partial<Record<Decision, string[]>>) =>
    compileRules(
      {
        settings: { permissions: { allow: [], ask: [], deny: [], ...permissions }, allowedCommands: [], deniedCommands: [] },
        origins: { "permissions.deny.0": { from: "file", file: "/project/.joey/settings.json", line: 7 } },
      },
      PLACES,
    )

  it.each(["Read(./secrets", "Read()", "Read([a)", "Read(!a)", "Read(a) x", "(a)", "", "WebFetch(example.com)", "Edit({a,b)"])(
    "S28: %s is told with its place, and what it may have denied is asked",
    async (text) => {
      const rules = compile({ deny: [text] })
      expect(rules.findings).toEqual([
        { file: "/project/.joey/settings.json", line: 7, reason: expect.stringContaining("permissions.deny") },
      ])
      const call = text.startsWith("Web")
        ? fetchPage("https://a.test")
        : text.startsWith("Edit")
          ? jot(inside("a"))
          : look(inside("a"))
      const verdict = await judged(call, rules, "yes")
      expect(verdict).toMatchObject({ verdict: "ask", grave: true, reason: expect.stringContaining("cannot be read") })
    },
  )

  it("S28: is left out when it would allow", async () => {
    const rules = compile({ allow: ["Edit(src"] })
    expect(rules.findings).toHaveLength(1)
    expect((await judged(jot(inside("src/a")), rules)).reason).toBe("it changes files")
  })

  it("S28: hides in settings that cannot be read: then whatever has an effect is asked, and the place is named", async () => {
    const rules = { rules: [], unread: [{ file: "/home/me/.joey/settings.json", line: 3, reason: "broken" }] }
    for (const call of [look(inside("a")), jot(inside("a"))]) {
      expect(await judged(call, rules, "yes")).toMatchObject({
        verdict: "ask",
        reason: expect.stringContaining("settings.json:3"),
      })
    }
    expect((await judged(callOf("none"), rules)).verdict).toBe("allow")
  })

  it("asks where brackets say what nobody knows of this tool", async () => {
    expect((await judged(remote("mcp__a__b"), rulesOf({ deny: ["mcp__a__b(x)"] }), "yes")).verdict).toBe("ask")
    expect((await judged(remote("mcp__a__b"), rulesOf({ allow: ["mcp__a__b(x)"] }))).verdict).toBe("ask")
  })
})

describe("files that may not be read", () => {
  it("S28: belong into no listing and no search", () => {
    const isDenied = deniedReads(rulesOf({ deny: ["Read(secrets/**)", "Read(*.key)", "Edit(docs/**)"] }).rules, "/project")
    const shown = ["secrets/", "secrets/a", "a.key", "x/y.KEY", "docs/a", "a", ""].map((path) => isDenied(path))
    expect(shown).toEqual([true, true, true, true, false, false, false])
    expect(deniedReads(rulesOf({ deny: ["Read"] }).rules, "/project")("a")).toBe(true)
  })
})
