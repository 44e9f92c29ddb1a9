/** Rules, presets and the real judge of command lines together, on a real folder with a real repository. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join, posix } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ApprovalPreset, judge } from "./approval.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"
import { commandJudge } from "./policy.ts"
import { compileRules } from "./rules.ts"
import { callOf } from "./test-call.ts"

let workspace: string
beforeAll(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "joey-whole-")))
  execFileSync("git", ["init", "-q"], { cwd: workspace })
  mkdirSync(join(workspace, "notes"))
  for (const name of ["a.ts", "push", "notes/plan.txt"]) writeFileSync(join(workspace, name), "x")
  execFileSync("git", ["add", "-f", "."], { cwd: workspace })
  writeFileSync(join(workspace, ".env"), "TOKEN=1")
})
afterAll(() => rmSync(workspace, { recursive: true, force: true }))

async function judged(line: string, preset: ApprovalPreset, lists: { allow?: string[]; deny?: string[] } = {}) {
  const places = { workspace, home: homedir() }
  const permissions = { allow: [], ask: [], deny: [], ...lists }
  const { findings: _, ...rules } = compileRules(
    { settings: { permissions, allowedCommands: [], deniedCommands: [] }, origins: {} },
    places,
  )
  const locate = async (path: string, cwd = "") => {
    const real = posix.resolve(workspace, cwd, path)
    const relative = posix.relative(workspace, real)
    const outside = relative.startsWith("..")
    return { path, real, relative: outside ? "" : relative, outside }
  }
  const settings = { preset, grants: new Set<string>(), rules, ...DEFAULT_PATH_RULES }
  const call = callOf("execute", [], { commands: [{ line }] })
  return judge(call, { ...settings, judgeCommand: commandJudge({ ...places, locate }, DEFAULT_PATH_RULES) })
}

const PUSH = { allow: ["Bash(git *)"], deny: ["Bash(git push *)"] }

describe("with everything allowed (--yes)", () => {
  it.each(["git pus[h] origin", "gi? push", "git pu\\\nsh", "xargs -a f git push", "echo Z2l0 | base64 -d | sh", "npx git push"])(
    "a rule that denies git push holds against %s",
    async (line) => {
      const verdict = await judged(line, "yes", PUSH)
      expect(verdict.verdict === "deny" || (verdict.verdict === "ask" && verdict.grave)).toBe(true)
    },
  )

  it.each(["touch /opt/joey-y", "curl -o /opt/joey-y http://a", "git -C / commit", "git config core.hooksPath x", "echo x > $Y"])(
    "%s asks all the same",
    async (line) => expect(await judged(line, "yes")).toMatchObject({ verdict: "ask", grave: true }),
  )

  it.each(["touch b.ts", "npm install", "curl -o b http://a", "git commit -m x", "npm run build > out.log"])(
    "%s runs",
    async (line) => expect(await judged(line, "yes", PUSH)).toMatchObject({ verdict: "allow" }),
  )
})

describe("by default", () => {
  it("a file that is named like a command does not become one", async () => {
    expect(await judged("git pus[h]", "default", PUSH)).toMatchObject({ verdict: "ask", grave: true })
  })

  it("a search that would show secrets asks also where everything is allowed", async () => {
    for (const line of ["grep -r TOKEN .", "rg --hidden TOKEN"])
      expect(await judged(line, "yes")).toMatchObject({ verdict: "ask" })
    expect(await judged("grep -r x notes", "yes")).toMatchObject({ verdict: "allow" })
  })

  it("git tells nothing of what a rule keeps from being read, nor of tracked secrets", async () => {
    expect(await judged("git grep x", "default")).toMatchObject({ verdict: "allow" })
    expect(await judged("git grep x", "default", { deny: ["Read(./notes/**)"] })).toMatchObject({ verdict: "ask" })
    expect(await judged("git diff -- a.ts", "default", { deny: ["Read(./notes/**)"] })).toMatchObject({ verdict: "allow" })
    execFileSync("git", ["add", "-f", ".env"], { cwd: workspace })
    expect(await judged("git grep TOKEN", "default")).toMatchObject({ verdict: "ask" })
    expect(await judged("git diff --stat", "default")).toMatchObject({ verdict: "allow" })
  })
})
