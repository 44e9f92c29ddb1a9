/** What must hold of every verdict, whatever the call, the rules and the settings. The same cases come back with the same SEED. */
import { describe, expect, it } from "vitest"
import { type Random, random } from "../../test/random.ts"
import { DEFAULT_AUTO_APPROVE } from "../types/settings.ts"
import type { Judged, TouchedPath } from "../types/stations.ts"
import type { Effect, ToolGroup } from "../types/tool.ts"
import { type ApprovalPreset, type ApprovalSettings, type Judgement, judge } from "./approval.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"
import type { Decision } from "./rules.ts"
import type { JudgeCommand } from "./rules-command.ts"
import { inside, outside, rulesOf } from "./test-call.ts"

const CASES = Number(process.env["CASES"] ?? 600)
const SEED = Number(process.env["SEED"] ?? 1)

const EFFECTS: Effect[] = ["none", "read", "write", "execute", "network"]
const GROUPS: ToolGroup[] = ["read", "edit", "command", "mcp", "browser", "modes", "always"]
const NAMES = ["it", "Read", "Edit", "Write", "Bash", "WebFetch", "Task", "mcp__a__b"]
const PATHS = ["a", "src/a.ts", ".env", ".git/config", "secrets/key", "docs/x.md", ""]
const OUTSIDE = ["/etc/hosts", "/home/me/.ssh/id_rsa", "/other/.git/config"]
const TOOLS = ["it", "Read", "Edit", "Write", "Bash", "WebFetch", "mcp__a", "mcp__*", "*", "other"]
const BRACKETS = [
  "",
  "(a)",
  "(**)",
  "(src/**)",
  "(.env)",
  "(//etc/**)",
  "(~/.ssh/*)",
  "(git *)",
  "(domain:a.test)",
  "(",
  "()",
  "([)",
]
const LINES = ["git status", "rm -rf /", "ls", "curl x | sh"]
const GRANTS = ["tool:it:write", "tool:it:read", "call:d1", "command:git status *", "host:it:a.test"]

/** As moody as can be: the verdict hangs on the line and the rules, never on anything else. */
const moody: JudgeCommand = async ({ line }, { rules }) => {
  const verdict: Decision = line === "ls" || rules.some(({ decision }) => decision === "allow") ? "allow" : "ask"
  const denied = rules.find(({ decision }) => decision === "deny")
  const part = denied ? ({ verdict: "deny", rule: denied } as const) : { verdict }
  return { reason: "so it is", grave: line.startsWith("rm"), parts: [{ command: line, reason: "so it is", ...part }], ...part }
}

const some = <T>(chance: Random, list: readonly T[], most: number): T[] =>
  Array.from({ length: chance.int(0, most) }, () => chance.pick(list))

function anyPath(chance: Random): TouchedPath {
  const path = chance.chance(0.7) ? inside(chance.pick(PATHS)) : outside(chance.pick(OUTSIDE))
  return chance.chance(0.1) ? { ...path, linked: true } : path
}

function anyCall(chance: Random): Judged {
  return {
    tool: "it",
    names: ["it", ...some(chance, NAMES, 2)],
    group: chance.pick(GROUPS),
    effect: chance.pick(EFFECTS),
    mode: "code",
    paths: Array.from({ length: chance.int(0, 2) }, () => anyPath(chance)),
    commands: chance.chance(0.3) ? [{ line: chance.pick(LINES) }] : [],
    addresses: chance.chance(0.2) ? [chance.pick(["https://a.test/x", "https://b.test", "nonsense"])] : [],
    digest: "d1",
  }
}

const anyRules = (chance: Random): string[] => some(chance, TOOLS, 2).map((tool) => tool + chance.pick(BRACKETS))

interface World {
  call: Judged
  settings: ApprovalSettings
  lists: { allow: string[]; ask: string[]; deny: string[] }
}

function anyWorld(seed: number): World {
  const chance = random(seed)
  const lists = { allow: anyRules(chance), ask: anyRules(chance), deny: chance.chance(0.5) ? [] : anyRules(chance) }
  const toggles = Object.entries(DEFAULT_AUTO_APPROVE).map(([name, value]) => [
    name,
    typeof value === "boolean" ? chance.chance(0.5) : value,
  ])
  const settings: ApprovalSettings = {
    ...DEFAULT_PATH_RULES,
    isIgnored: (path) => path.startsWith("secrets/"),
    preset: chance.pick<ApprovalPreset>(["ask", "default", "yes"]),
    grants: new Set(chance.chance(0.3) ? some(chance, GRANTS, 2) : []),
    remembered: new Set(chance.chance(0.3) ? some(chance, GRANTS, 2) : []),
    autoApprove: { ...DEFAULT_AUTO_APPROVE, ...Object.fromEntries(toggles) },
    rules: rulesOf(lists),
    ...(chance.chance(0.8) && { judgeCommand: moody }),
  }
  return { call: anyCall(chance), settings, lists }
}

/** Every case that breaks the property, by its seed. */
async function broken(
  holds: (world: World, verdict: Judgement, chance: Random) => boolean | Promise<boolean>,
): Promise<number[]> {
  const failed: number[] = []
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const world = anyWorld(seed)
    if (!(await holds(world, await judge(world.call, world.settings), random(-seed)))) failed.push(seed)
  }
  return failed
}

const STRICTNESS: Record<Decision, number> = { allow: 0, ask: 1, deny: 2 }

describe("whatever is asked for", () => {
  it("S28: no verdict is without a reason on one line, and none that asks without words for always", async () => {
    const failed = await broken((_, verdict) => {
      const told = /\w/.test(verdict.reason) && !verdict.reason.includes("\n")
      return told && (verdict.verdict !== "ask" || (verdict.always.covers !== "" && verdict.always.grant !== ""))
    })
    expect(failed).toEqual([])
  })

  it("S28: one more rule that denies or asks never makes a verdict milder", async () => {
    const failed = await broken(async ({ call, settings, lists }, { verdict }, chance) => {
      const list = chance.pick(["deny", "ask"] as const)
      const more = { ...lists, [list]: [...lists[list], chance.pick(TOOLS) + chance.pick(BRACKETS)] }
      const after = await judge(call, { ...settings, rules: rulesOf(more) })
      return STRICTNESS[after.verdict] >= STRICTNESS[verdict]
    })
    expect(failed).toEqual([])
  })

  it("S28: a rule that denies the tool wins over every grant, toggle, preset and rule", async () => {
    const failed = await broken(async ({ call, settings, lists }) => {
      return (await judge(call, { ...settings, rules: rulesOf({ ...lists, deny: [...lists.deny, "it"] }) })).verdict === "deny"
    })
    expect(failed).toEqual([])
  })

  it("S28: with --ask nothing that has an effect runs, except what the person allowed in this very task", async () => {
    const failed = await broken(async ({ call, settings }) => {
      const { verdict } = await judge(call, { ...settings, preset: "ask", grants: new Set() })
      return (
        verdict !== "allow" ||
        (call.effect === "none" && call.group !== "mcp" && call.group !== "modes" && call.commands.length === 0)
      )
    })
    expect(failed).toEqual([])
  })

  it("S28: a grant never turns a denial into anything else, nor does --yes", async () => {
    const failed = await broken(async ({ call, settings }, { verdict }) => {
      const after = await judge(call, { ...settings, preset: "yes", grants: new Set(GRANTS) })
      return verdict !== "deny" || after.verdict === "deny"
    })
    expect(failed).toEqual([])
  })

  it("S28: without a rule that names them, secrets are never read and nothing outside is written", async () => {
    const failed = await broken(async ({ call, settings, lists }) => {
      const secret = call.paths.some(({ path }) => /\.env|\.ssh/.test(path))
      const outsideWrite = call.effect === "write" && call.paths.some((path) => path.outside)
      if (call.effect === "none" || !(secret || outsideWrite)) return true
      const allow = lists.allow.filter((rule) => !/env|ssh|etc/.test(rule))
      const autoApprove = { ...DEFAULT_AUTO_APPROVE, ...settings.autoApprove, writeOutside: false }
      const none = new Set<string>()
      const after = await judge(call, {
        ...settings,
        autoApprove,
        rules: rulesOf({ ...lists, allow }),
        grants: none,
        remembered: none,
      })
      return after.verdict !== "allow"
    })
    expect(failed).toEqual([])
  })
})
