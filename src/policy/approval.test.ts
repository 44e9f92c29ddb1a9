/** Effect, paths and settings → allow or ask, always with a reason a person can read. */
import { describe, expect, it } from "vitest"
import type { Judged, TouchedPath } from "../types/stations.ts"
import type { Effect } from "../types/tool.ts"
import { type ApprovalPreset, judge } from "./approval.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"

const inside = (path: string): TouchedPath => ({ path, real: `/project/${path}`, relative: path, outside: false })
const outside = (path: string): TouchedPath => ({ path, real: path, relative: "", outside: true })
const call = (effect: Effect, ...paths: TouchedPath[]): Judged => ({ tool: "it", group: "edit", effect, paths, digest: "d1" })
const verdict = (call: Judged, preset: ApprovalPreset = "default", grants: string[] = []) =>
  judge(call, { preset, grants: new Set(grants), ...DEFAULT_PATH_RULES })

describe("by effect and preset", () => {
  const table: Record<ApprovalPreset, Record<Effect, "allow" | "ask">> = {
    default: { none: "allow", read: "allow", write: "ask", execute: "ask", network: "ask" },
    ask: { none: "allow", read: "ask", write: "ask", execute: "ask", network: "ask" },
    yes: { none: "allow", read: "allow", write: "allow", execute: "allow", network: "allow" },
  }
  const cases = Object.entries(table).flatMap(([preset, row]) =>
    Object.entries(row).map(([effect, word]) => [preset, effect, word] as const),
  )

  it.each(cases)("S28: with %s, the effect %s: %s, and says why", (preset, effect, word) => {
    const answer = verdict(call(effect as Effect, inside("a.txt")), preset as ApprovalPreset)
    expect(answer.verdict).toBe(word)
    expect(answer.reason).toMatch(/\w/)
  })
})

describe("outside and protected paths", () => {
  it.each<[Effect, ApprovalPreset]>([
    ["read", "default"],
    ["read", "yes"],
    ["write", "yes"],
    ["execute", "yes"],
  ])("S28: %s outside the workspace is asked even with %s, and the path is named", (effect, preset) => {
    const answer = verdict(call(effect, inside("a"), outside("/etc/passwd")), preset)
    expect(answer).toMatchObject({ verdict: "ask", reason: expect.stringMatching(/\/etc\/passwd is outside the workspace/) })
  })

  it("S28: a link is named with the place it leads to", () => {
    const link: TouchedPath = { path: "notes", real: "/home/me/.ssh/id", relative: "", outside: true }
    expect(verdict(call("read", link)).reason).toMatch(/notes \(\/home\/me\/\.ssh\/id\)/)
  })

  it.each([
    ".git/config",
    "src/.git/hooks/pre-commit",
    ".joey/settings.json",
    ".roo/rules/a.md",
    ".vscode/tasks.json",
    ".roomodes",
    ".rooignore",
    "AGENTS.md",
    ".GIT/config",
  ])("S28: writing %s is asked even with yes", (path) => {
    expect(verdict(call("write", inside(path)), "yes")).toMatchObject({ verdict: "ask", reason: expect.stringContaining(path) })
    expect(verdict(call("read", inside(path)), "yes").verdict).toBe("allow")
  })

  it.each([".gitignore", "src/git/config", "docs/AGENTS.md.txt", "joey/a", ".github/workflows/a.yml"])(
    "writing %s is nothing special",
    (path) => {
      expect(verdict(call("write", inside(path)), "yes").verdict).toBe("allow")
    },
  )
})

describe("always", () => {
  const grantOf = (judged: Judged, preset: ApprovalPreset = "default") => {
    const answer = verdict(judged, preset)
    if (answer.verdict !== "ask") throw new Error("not asked")
    return answer.always
  }

  it("S28: for a write covers the tool inside the workspace, and says so", () => {
    const { grant, covers } = grantOf(call("write", inside("a")))
    expect(covers).toMatch(/it inside the workspace/)
    expect(verdict({ ...call("write", inside("b")), digest: "d2" }, "default", [grant])).toMatchObject({
      verdict: "allow",
      reason: expect.stringContaining("you allowed"),
    })
    expect(verdict({ ...call("write", inside("b")), tool: "other" }, "default", [grant]).verdict).toBe("ask")
    expect(verdict(call("write", outside("/b")), "default", [grant]).verdict).toBe("ask")
    expect(verdict(call("write", inside("b"), outside("/b")), "default", [grant]).verdict).toBe("ask")
    expect(verdict(call("write", inside(".git/config")), "default", [grant]).verdict).toBe("ask")
  })

  it.each<[string, Judged]>([
    ["a command", call("execute")],
    ["the network", call("network")],
    ["a path outside", call("write", outside("/etc/hosts"))],
    ["a protected path", call("write", inside(".git/config"))],
  ])("S28: for %s covers exactly this call", (_, judged) => {
    const { grant, covers } = grantOf(judged)
    expect(covers).toMatch(/exactly this call/)
    expect(verdict(judged, "default", [grant]).verdict).toBe("allow")
    expect(verdict({ ...judged, digest: "d2" }, "default", [grant]).verdict).toBe("ask")
  })
})

describe("what the project says", () => {
  const secret = { ...DEFAULT_PATH_RULES, isIgnored: (path: string) => path.startsWith("secret/") }

  it("an ignored path is denied whatever the effect and the preset, and named", () => {
    for (const effect of ["read", "write", "execute", "none"] as const) {
      const answer = judge(call(effect, inside("a"), inside("secret/key")), { preset: "yes", grants: new Set(), ...secret })
      expect(answer).toMatchObject({ verdict: "deny", reason: expect.stringContaining("secret/key") })
    }
  })

  it("S35: another mode is asked, unless everything is allowed or the person said always", () => {
    const change: Judged = { tool: "change", group: "modes", effect: "none", paths: [], digest: "m1" }
    const asked = verdict(change)
    expect(asked.verdict).toBe("ask")
    expect(verdict(change, "ask").verdict).toBe("ask")
    expect(verdict(change, "yes").verdict).toBe("allow")
    expect(verdict(change, "default", asked.verdict === "ask" ? [asked.always.grant] : []).verdict).toBe("allow")
  })

  it("a workspace that lies in a folder with a steering name is not protected as a whole", () => {
    const path: TouchedPath = { path: "a.txt", real: "/home/me/.vscode/work/a.txt", relative: "a.txt", outside: false }
    expect(verdict(call("write", path), "yes").verdict).toBe("allow")
  })
})
