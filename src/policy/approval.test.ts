/** Effect, paths and settings → allow or ask, always with a reason a person can read. */
import { describe, expect, it } from "vitest"
import { DEFAULT_AUTO_APPROVE } from "../types/settings.ts"
import type { Judged, TouchedPath } from "../types/stations.ts"
import type { Effect } from "../types/tool.ts"
import { type ApprovalPreset, type ApprovalSettings, judge } from "./approval.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"
import { callOf, inside, outside, rulesOf } from "./test-call.ts"

const call = (effect: Effect, ...paths: TouchedPath[]): Judged => callOf(effect, paths)
const verdict = (call: Judged, preset: ApprovalPreset = "default", grants: string[] = [], rest: Partial<ApprovalSettings> = {}) =>
  judge(call, { preset, grants: new Set(grants), ...DEFAULT_PATH_RULES, ...rest })

describe("by effect and preset", () => {
  const table: Record<ApprovalPreset, Record<Effect, "allow" | "ask">> = {
    default: { none: "allow", read: "allow", write: "ask", execute: "ask", network: "ask" },
    ask: { none: "allow", read: "ask", write: "ask", execute: "ask", network: "ask" },
    yes: { none: "allow", read: "allow", write: "allow", execute: "allow", network: "allow" },
  }
  const cases = Object.entries(table).flatMap(([preset, row]) =>
    Object.entries(row).map(([effect, word]) => [preset, effect, word] as const),
  )

  it.each(cases)("S28: with %s, the effect %s: %s, and says why", async (preset, effect, word) => {
    const answer = await verdict(call(effect as Effect, inside("a.txt")), preset as ApprovalPreset)
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
  ])("S28: %s outside the workspace is asked even with %s, and the path is named", async (effect, preset) => {
    const answer = await verdict(call(effect, inside("a"), outside("/etc/passwd")), preset)
    expect(answer).toMatchObject({ verdict: "ask", reason: expect.stringMatching(/\/etc\/passwd is outside the workspace/) })
  })

  it("S28: a link is named with the place it leads to", async () => {
    const link: TouchedPath = { path: "notes", real: "/home/me/.ssh/id", relative: "", outside: true }
    expect((await verdict(call("read", link))).reason).toMatch(/notes \(\/home\/me\/\.ssh\/id\)/)
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
  ])("S28: writing %s is asked even with yes", async (path) => {
    expect(await verdict(call("write", inside(path)), "yes")).toMatchObject({
      verdict: "ask",
      reason: expect.stringContaining(path),
    })
    expect((await verdict(call("read", inside(path)), "yes")).verdict).toBe("allow")
  })

  it.each([".gitignore", "src/git/config", "docs/AGENTS.md.txt", "joey/a", ".github/workflows/a.yml"])(
    "writing %s is nothing special",
    async (path) => {
      expect((await verdict(call("write", inside(path)), "yes")).verdict).toBe("allow")
    },
  )
})

describe("always", () => {
  const grantOf = async (judged: Judged, preset: ApprovalPreset = "default") => {
    const answer = await verdict(judged, preset)
    if (answer.verdict !== "ask") throw new Error("not asked")
    return answer.always
  }

  it("S28: for a write covers the tool inside the workspace, and says so", async () => {
    const { grant, covers } = await grantOf(call("write", inside("a")))
    expect(covers).toMatch(/it inside the workspace/)
    expect(await verdict({ ...call("write", inside("b")), digest: "d2" }, "default", [grant])).toMatchObject({
      verdict: "allow",
      reason: expect.stringContaining("you allowed"),
    })
    expect((await verdict({ ...call("write", inside("b")), tool: "other" }, "default", [grant])).verdict).toBe("ask")
    expect((await verdict(call("write", outside("/b")), "default", [grant])).verdict).toBe("ask")
    expect((await verdict(call("write", inside("b"), outside("/b")), "default", [grant])).verdict).toBe("ask")
    expect((await verdict(call("write", inside(".git/config")), "default", [grant])).verdict).toBe("ask")
  })

  it.each<[string, Judged]>([
    ["a command", call("execute")],
    ["the network", call("network")],
    ["a path outside", call("write", outside("/etc/hosts"))],
    ["a protected path", call("write", inside(".git/config"))],
  ])("S28: for %s covers exactly this call", async (_, judged) => {
    const { grant, covers } = await grantOf(judged)
    expect(covers).toMatch(/exactly this call/)
    expect((await verdict(judged, "default", [grant])).verdict).toBe("allow")
    expect((await verdict({ ...judged, digest: "d2" }, "default", [grant])).verdict).toBe("ask")
  })
})

describe("what the project says", () => {
  const secret = { ...DEFAULT_PATH_RULES, isIgnored: (path: string) => path.startsWith("secret/") }

  it("an ignored path is denied whatever the effect and the preset, and named", async () => {
    for (const effect of ["read", "write", "execute", "none"] as const) {
      const answer = await verdict(call(effect, inside("a"), inside("secret/key")), "yes", [], secret)
      expect(answer).toMatchObject({ verdict: "deny", reason: expect.stringContaining("secret/key") })
    }
  })

  it("S35: another mode is asked, unless everything is allowed or the person said always", async () => {
    const change: Judged = { ...call("none"), tool: "change", names: ["change"], group: "modes", digest: "m1" }
    const asked = await verdict(change)
    expect(asked.verdict).toBe("ask")
    expect((await verdict(change, "ask")).verdict).toBe("ask")
    expect((await verdict(change, "yes")).verdict).toBe("allow")
    expect((await verdict(change, "default", asked.verdict === "ask" ? [asked.always.grant] : [])).verdict).toBe("allow")
  })

  it("a workspace that lies in a folder with a steering name is not protected as a whole", async () => {
    const path: TouchedPath = { path: "a.txt", real: "/home/me/.vscode/work/a.txt", relative: "a.txt", outside: false }
    expect((await verdict(call("write", path), "yes")).verdict).toBe("allow")
  })
})

describe("toggles", () => {
  const on = (...names: string[]) => ({
    autoApprove: { ...DEFAULT_AUTO_APPROVE, ...Object.fromEntries(names.map((name) => [name, true])) },
  })
  const mcp: Judged = callOf("none", [], { group: "mcp", tool: "mcp__a__b", names: ["mcp__a__b"] })
  const mode: Judged = callOf("none", [], { group: "modes" })
  const subtask: Judged = callOf("none", [], { group: "modes", names: ["it", "Task"] })

  it.each<[string[], Judged]>([
    [["readOnlyOutside"], call("read", outside("/usr/share/a"))],
    [["write"], call("write", inside("a"))],
    [["write", "writeOutside"], call("write", outside("/usr/share/a"))],
    [["write", "writeProtected"], call("write", inside(".git/config"))],
    [["execute"], call("execute")],
    [["network"], callOf("network", [], { addresses: ["https://example.com/"] })],
    [["mcp"], mcp],
    [["modeSwitch"], mode],
    [["subtasks"], subtask],
  ])("S28: %j is asked by default and runs when turned on, but not with --ask", async (toggles, judged) => {
    expect((await verdict(judged)).verdict).toBe("ask")
    expect((await verdict(judged, "default", [], on(...toggles))).verdict).toBe("allow")
    expect((await verdict(judged, "ask", [], on(...toggles))).verdict).toBe("ask")
    const partly = toggles.length > 1 ? on(...toggles.slice(1)) : {}
    expect((await verdict(judged, "default", [], partly)).verdict).toBe("ask")
  })

  it("S28: reading asks when it is turned off", async () => {
    const off = { autoApprove: { ...DEFAULT_AUTO_APPROVE, readOnly: false, readOnlyOutside: true } }
    expect(await verdict(call("read", inside("a")), "default", [], off)).toMatchObject({
      verdict: "ask",
      reason: "it reads files",
    })
    expect((await verdict(call("read", outside("/a")), "default", [], off)).verdict).toBe("ask")
  })

  it("S28: outside the workspace, what steers git is asked even where writing there is allowed", async () => {
    const settings = on("write", "writeOutside")
    expect(await verdict(call("write", outside("/other/.git/hooks/x")), "default", [], settings)).toMatchObject({
      verdict: "ask",
    })
  })

  it("a mode change is no subtask, nor the other way round", async () => {
    expect((await verdict(mode, "default", [], on("subtasks"))).verdict).toBe("ask")
    expect((await verdict(subtask, "default", [], on("modeSwitch"))).verdict).toBe("ask")
  })

  it("S28: what an MCP server's tool says of its effect does not matter", async () => {
    for (const effect of ["none", "read", "write", "network"] as const) {
      expect((await verdict({ ...mcp, effect })).verdict).toBe("ask")
    }
  })
})

it("S28: a tool that says it does nothing is not believed when it runs a command or reaches out", async () => {
  const unread = [{ file: "settings.json", reason: "broken" }]
  for (const rest of [{ commands: [{ line: "ls" }] }, { addresses: ["https://a.test"] }]) {
    const judged = callOf("none", [], rest)
    expect((await verdict(judged)).verdict).toBe("ask")
    expect((await verdict({ ...judged, paths: [outside("/etc/hosts")] }, "yes")).reason).toContain("outside the workspace")
    expect((await verdict({ ...judged, paths: [inside(".env")] }, "yes")).reason).toContain("may hold secrets")
    expect((await verdict(judged, "yes", [], { rules: { rules: [], unread } })).reason).toContain("rules may be missing")
  }
  const reading = callOf("read", [], { addresses: ["https://a.test"] })
  expect(await verdict(reading)).toMatchObject({
    verdict: "ask",
    reason: "it reaches out to the network",
    always: { grant: "host:it:a.test" },
  })
})

describe("secrets and links", () => {
  const everything = {
    autoApprove: { ...DEFAULT_AUTO_APPROVE, readOnlyOutside: true, write: true, writeOutside: true, writeProtected: true },
  }

  it.each([inside(".env"), inside("deploy/server.pem"), outside("/home/me/.ssh/id_rsa"), outside("/home/me/.aws/credentials")])(
    "S28: reading $path asks whatever is allowed, and says why",
    async (path) => {
      for (const preset of ["default", "yes"] as const) {
        expect(await verdict(call("read", path), preset, [], everything)).toMatchObject({
          verdict: "ask",
          reason: expect.stringContaining(`${path.path} may hold secrets`),
          grave: true,
          always: { covers: "exactly this call" },
        })
      }
    },
  )

  it("S28: a link with a plain name is judged by where it leads, one with a secret's name by its name", async () => {
    const plain: TouchedPath = { path: "notes.txt", real: "/project/.env", relative: ".env", outside: false }
    const named: TouchedPath = { path: ".env", real: "/project/notes.txt", relative: "notes.txt", outside: false }
    for (const path of [plain, named]) expect((await verdict(call("read", path), "yes")).verdict).toBe("ask")
  })

  it("S28: writing a hard link asks even with yes and names it; reading one does not", async () => {
    const linked = { ...inside("a.txt"), linked: true }
    expect(await verdict(call("write", linked), "yes")).toMatchObject({
      verdict: "ask",
      reason: expect.stringMatching(/^a\.txt is a hard link/),
    })
    expect((await verdict(call("read", linked))).verdict).toBe("allow")
  })

  it("a workspace that lies in a folder of secrets is not secret as a whole", async () => {
    const real = "/home/me/.config/gcloud/work"
    const file: TouchedPath = { path: `${real}/a.txt`, real: `${real}/a.txt`, relative: "a.txt", outside: false }
    const root: TouchedPath = { path: ".", real, relative: "", outside: false }
    for (const path of [file, root]) expect((await verdict(call("read", path))).verdict).toBe("allow")
  })
})

describe("what was granted in this folder", () => {
  const remembered = new Set(["tool:it:write", "call:d9"])

  it("S28: counts like what was granted in this task, except while everything is asked", async () => {
    const write = call("write", inside("a"))
    expect((await verdict(write, "default", [], { remembered })).verdict).toBe("allow")
    expect((await verdict(write, "ask", [], { remembered })).verdict).toBe("ask")
    const secret = { ...call("read", inside(".env")), digest: "d9" }
    expect((await verdict(secret, "default", [], { remembered })).verdict).toBe("allow")
    expect((await verdict(secret, "ask", [], { remembered })).verdict).toBe("ask")
  })

  it("S28: never beats a rule that denies or asks", async () => {
    const write = call("write", inside("a"))
    for (const word of ["deny", "ask"] as const) {
      expect((await verdict(write, "yes", ["tool:it:write"], { rules: rulesOf({ [word]: ["Edit(a)"] }) })).verdict).toBe(word)
    }
  })
})
