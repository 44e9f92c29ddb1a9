/** How what is known of each command becomes one verdict on the call. The judge of command lines is a small fake here. */
import { describe, expect, it } from "vitest"
import type { AutoApproveSettings } from "../types/settings.ts"
import { DEFAULT_AUTO_APPROVE } from "../types/settings.ts"
import { type ApprovalSettings, judge } from "./approval.ts"
import type { CommandPart, CommandVerdict } from "./command-judge.ts"
import { DEFAULT_PATH_RULES } from "./path-rules.ts"
import type { CommandOptions, JudgeCommand } from "./rules-command.ts"
import { callOf, inside, outside, rulesOf } from "./test-call.ts"

/** Knows `ls` to read, `rm` to be grave, `> file` to write; goes by the first words of rules. */
const fakeJudge: JudgeCommand = async ({ line }, options) => {
  const parts: (CommandPart & { grave?: boolean })[] = await Promise.all(
    line.split(" && ").map((text) => judgePart(text, options)),
  )
  const worst =
    ["deny", "ask", "allow"].map((word) => parts.find(({ verdict }) => verdict === word)).find((part) => part !== undefined) ??
    parts[0]
  const { verdict = "ask", reason = "", rule } = worst ?? {}
  return { verdict, reason, grave: parts.some(({ grave }) => grave), parts, ...(rule && { rule }) } satisfies CommandVerdict
}

async function judgePart(
  command: string,
  { rules, readOnlyCommands, judgeRead, judgeWrite }: CommandOptions,
): Promise<CommandPart & { grave?: boolean }> {
  const [, written] = /> (\S+)$/.exec(command) ?? []
  if (written) return { command, ...(await judgeWrite(written.startsWith("/") ? outside(written) : inside(written))) }
  const [, read] = /^cat (\S+)$/.exec(command) ?? []
  const path = read && (await judgeRead(inside(read)))
  if (path && path.verdict !== "allow") return { command, ...path }
  const matching = rules.filter(({ pattern }) => pattern === "*" || `${command} `.startsWith(pattern.replace(/\*$/, "")))
  const rule = ["deny", "ask", "allow"].map((word) => matching.find(({ decision }) => decision === word)).find((one) => one)
  if (rule) return { command, verdict: rule.decision, reason: `rule ${rule.pattern}`, rule }
  const [possible] = command.startsWith("maybe-") ? rules : []
  if (possible) return { command, verdict: "ask", reason: "it may be push", rule: possible }
  if (command.startsWith("rm ")) return { command, verdict: "ask", reason: "it deletes /", grave: true }
  if (/^(?:ls|cat)\b/.test(command) && readOnlyCommands) return { command, verdict: "allow", reason: `${command} only reads` }
  return { command, verdict: "ask", reason: "it runs a command" }
}

interface Given extends Partial<Omit<ApprovalSettings, "rules" | "autoApprove">> {
  lists?: Parameters<typeof rulesOf>[0]
  auto?: Partial<AutoApproveSettings>
}

function run(line: string, { lists = {}, auto = {}, ...rest }: Given = {}) {
  const call = callOf("execute", [], { names: ["it", "Bash"], commands: line.split("\n").map((one) => ({ line: one })) })
  const autoApprove = { ...DEFAULT_AUTO_APPROVE, ...auto }
  const settings = { preset: "default", grants: new Set<string>(), ...DEFAULT_PATH_RULES, judgeCommand: fakeJudge } as const
  return judge(call, { ...settings, autoApprove, rules: rulesOf(lists), ...rest })
}

describe("a command", () => {
  it.each<[string, Given, string, string]>([
    ["ls", {}, "allow", "ls only reads"],
    ["ls", { auto: { readOnlyCommands: false } }, "ask", "it runs a command"],
    ["ls", { preset: "ask" }, "ask", "everything is asked (--ask)"],
    ["build", {}, "ask", "it runs a command"],
    ["build", { preset: "yes" }, "allow", "everything inside the workspace is allowed (--yes)"],
    ["build", { auto: { execute: true } }, "allow", "commands are allowed (autoApprove.execute)"],
    ["rm x", { preset: "yes" }, "ask", "it deletes /"],
    ["rm x", { auto: { execute: true } }, "ask", "it deletes /"],
    ["build", { lists: { allow: ["Bash(build *)"] } }, "allow", "allowed by the rule Bash(build *) in .joey/settings.json:1"],
    ["build", { lists: { allow: ["Bash(build *)"] }, preset: "ask" }, "ask", "everything is asked (--ask)"],
    ["build", { lists: { allow: ["Bash"] } }, "allow", "allowed by the rule Bash in .joey/settings.json:1"],
    ["build", { lists: { allow: ["it(build *)"] } }, "allow", "allowed by the rule it(build *) in .joey/settings.json:1"],
    ["build", { lists: { allowedCommands: ["build"] } }, "allow", "allowed by the rule build in .joey/settings.json:1"],
    ["build", { lists: { allowedCommands: ["*"] } }, "allow", "allowed by the rule * in .joey/settings.json:1"],
    [
      "build",
      { lists: { allowedCommands: ["*"], deniedCommands: ["build"] } },
      "deny",
      "denied by the rule build in .joey/settings.json:1",
    ],
    [
      "build && push",
      { lists: { deny: ["Bash(push *)"] }, preset: "yes" },
      "deny",
      "denied by the rule Bash(push *) in .joey/settings.json:1",
    ],
    [
      "build\npush",
      { lists: { deny: ["Bash(push *)"] }, preset: "yes" },
      "deny",
      "denied by the rule Bash(push *) in .joey/settings.json:1",
    ],
    [
      "build && push",
      { lists: { ask: ["Bash(push *)"] }, preset: "yes" },
      "ask",
      "the rule Bash(push *) in .joey/settings.json:1 says so",
    ],
    ["ls", { lists: { ask: ["Bash"] }, preset: "yes" }, "ask", "the rule Bash in .joey/settings.json:1 says so"],
    ["ls", { lists: { deny: ["Bash"] }, preset: "yes" }, "deny", "denied by the rule Bash in .joey/settings.json:1"],
    ["ls", { lists: { deny: ["Bash(ls"] }, preset: "yes" }, "ask", "the rule Bash(ls in .joey/settings.json:1 cannot be read"],
    ["echo > a", {}, "ask", "it changes files"],
    ["echo > a", { auto: { write: true } }, "allow", "changing files is allowed (autoApprove.write)"],
    ["echo > a", { lists: { deny: ["Edit(a)"] }, preset: "yes" }, "deny", "denied by the rule Edit(a) in .joey/settings.json:1"],
    ["echo > /etc/a", { preset: "yes" }, "ask", "/etc/a is outside the workspace"],
    ["echo > .git/config", { preset: "yes" }, "ask", ".git/config steers git or Joey itself"],
    ["tool .env", { preset: "yes" }, "ask", "it names .env, which may hold secrets"],
    ["tool -d @~/.ssh/id_rsa", { auto: { execute: true } }, "ask", "it names ~/.ssh/id_rsa, which may hold secrets"],
    ["tool process.env", { preset: "yes" }, "allow", "everything inside the workspace is allowed (--yes)"],
    [
      "tool s/a",
      { lists: { deny: ["Read(s/**)"] }, preset: "yes" },
      "ask",
      "it names s/a, which the rule Read(s/**) in .joey/settings.json:1 keeps from being read",
    ],
    [
      "tool hidden/a",
      { isIgnored: (path) => path.startsWith("hidden"), preset: "yes" },
      "ask",
      "it names hidden/a, which is kept from the agent by the project's ignore file",
    ],
    ["maybe-push", { lists: { deny: ["Bash(push *)"] }, preset: "yes" }, "ask", "it may be push"],
    ["cat .env", { preset: "yes" }, "ask", ".env may hold secrets"],
    [
      "cat s/a",
      { lists: { deny: ["Read(s/**)"], allow: ["Bash(cat *)"] } },
      "deny",
      "denied by the rule Read(s/**) in .joey/settings.json:1",
    ],
  ])("S28: %s, with %j: %s, because %s", async (line, given, word, reason) => {
    const { verdict, reason: said } = await run(line, given)
    expect([verdict, said]).toEqual([word, reason])
  })

  it("S28: that was allowed for always runs, as do those like it, unless everything is asked", async () => {
    const asked = await run("git commit -m a")
    if (asked.verdict !== "ask") throw new Error("not asked")
    expect(asked.always.covers).toBe("commands like git commit *")
    const grants = new Set([asked.always.grant])
    expect((await run("git commit -m b", { grants })).verdict).toBe("allow")
    expect((await run("git commit -m b", { remembered: grants })).verdict).toBe("allow")
    expect((await run("git commit -m b", { grants, preset: "ask" })).verdict).toBe("ask")
    expect((await run("git push && git commit -m b", { grants })).verdict).toBe("ask")
    expect((await run("git commit -m b", { grants, lists: { deny: ["Bash(git *)"] } })).verdict).toBe("deny")
  })

  it("S28: that is grave, or asked by a rule, can be allowed exactly once more only", async () => {
    for (const given of [{ preset: "yes" } as const, { lists: { ask: ["Bash(rm *)"] } }]) {
      expect(await run("rm x", given)).toMatchObject({ verdict: "ask", grave: true, always: { covers: "exactly this call" } })
    }
  })

  it("each part is there for those who explain the verdict", async () => {
    const { parts } = await run("ls && build")
    expect(parts?.map(({ command, verdict }) => [command, verdict])).toEqual([
      ["ls", "allow"],
      ["build", "ask"],
    ])
  })

  it("in a folder outside the workspace is asked", async () => {
    const call = callOf("execute", [outside("/elsewhere")], { names: ["Bash"], commands: [{ line: "ls", cwd: "/elsewhere" }] })
    const settings = { preset: "yes", grants: new Set<string>(), ...DEFAULT_PATH_RULES, judgeCommand: fakeJudge } as const
    expect((await judge(call, settings)).verdict).toBe("ask")
  })

  it("is asked when nothing can judge it, and runs with --yes all the same", async () => {
    const call = callOf("execute", [], { commands: [{ line: "ls" }] })
    const settings = { grants: new Set<string>(), ...DEFAULT_PATH_RULES }
    expect((await judge(call, { ...settings, preset: "default" })).verdict).toBe("ask")
    expect((await judge(call, { ...settings, preset: "yes" })).verdict).toBe("allow")
  })
})
