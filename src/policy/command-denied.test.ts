/** What a rule denies stays so however it is written: it is denied, or a person is asked even where everything is allowed. */
import { describe, expect, it } from "vitest"
import { type CommandRule, judgeCommand } from "./command-judge.ts"
import { mayBecome } from "./command-rules.ts"
import { DENIED_LINES } from "./shell/corpus/bypass-denied.ts"
import { ports } from "./shell/corpus/rules.ts"

const DENIED = ["git push *", "rm *", "npm publish"]

function rules(decision: "deny" | "ask", allowed: readonly string[]): CommandRule[] {
  const made = (pattern: string, what: CommandRule["decision"]) => ({ pattern, decision: what, source: "settings.json" })
  return [...allowed.map((pattern) => made(pattern, "allow")), ...DENIED.map((pattern) => made(pattern, decision))]
}

async function passing(lines: readonly string[], given: readonly CommandRule[]): Promise<string[]> {
  const found: string[] = []
  for (const line of lines) {
    const { verdict, grave, rule, reason } = await judgeCommand({ line }, given, ports())
    const held = verdict === "deny" || (verdict === "ask" && (grave || rule?.decision === "ask"))
    if (!held) found.push(`${JSON.stringify(line)}: ${verdict}, ${reason}`)
  }
  return found
}

describe("what a rule denies", () => {
  it.each(Object.entries(DENIED_LINES))("is held where all else is allowed: %s", async (_, lines) => {
    expect(await passing(lines, rules("deny", ["*", "git *", "npm *"]))).toEqual([])
  })

  it.each(Object.entries(DENIED_LINES))("is held where nothing is allowed, as with --yes: %s", async (_, lines) => {
    expect(await passing(lines, rules("deny", []))).toEqual([])
  })

  it.each(Object.entries(DENIED_LINES))("is held just so by a rule that asks: %s", async (_, lines) => {
    expect(await passing(lines, rules("ask", ["*", "git *"]))).toEqual([])
  })

  it.each([
    "git add src/*.ts",
    "git add *",
    "git commit -m 'push *'",
    "git log -- src/*",
    "ls *.md",
    "npm run build -- src/*.ts",
    "eslint src/*.ts",
    "./scripts/*.sh x",
    "just src/pu?h",
    "npx eslint src",
    "npm exec -- tsc -p .",
    "uv run pytest -k rm",
    "yarn build",
    "yarn run build",
    "npm run build",
    "git rm src/a.ts",
    "python3 -m pytest -q",
    "python3 tool.py",
    "node -e 'console.log(1)'",
    "strace -f ls",
  ])("leaves others alone: %s", async (line) => {
    expect(await judgeCommand({ line }, rules("deny", ["*"]), ports())).toMatchObject({ verdict: "allow" })
  })

  it.each([
    "f() { ls; }; f",
    "source venv/bin/activate && pytest",
    "diff <(sort a) <(sort b)",
    "[[ -n $X && -f a ]] && ls",
    "python3 <<'E'\nprint(1)\nE",
    "bash x.sh",
    "git add $X",
    "git commit -m $X",
    "ls | xargs git add",
  ])("is no reason to ask always where every command is known: %s", async (line) => {
    expect((await judgeCommand({ line }, rules("deny", []), ports())).grave).toBe(false)
  })

  it("what a runner surely starts is denied, not only asked", async () => {
    for (const line of ["npx npm publish", "npx -y npm publish", "uv run git push", "python3 -m git push"]) {
      expect(await judgeCommand({ line }, rules("deny", ["*"]), ports())).toMatchObject({ verdict: "deny" })
    }
  })

  it("a pattern never stands for a command that the rule does not name", async () => {
    const line = "git difftoo[l] -x reboot"
    const allowed: CommandRule[] = [{ decision: "allow", pattern: "git *", source: "settings.json" }]
    expect(await judgeCommand({ line }, allowed, ports())).toMatchObject({ verdict: "ask" })
  })
})

describe("a pattern for file names", () => {
  it.each([
    ["pus[h]", "push", true],
    ["p*", "push", true],
    ["*", "push", true],
    ["*", "-*", true],
    ["?f", "-*", true],
    ["p??h", "push", true],
    ["p?h", "push", false],
    ["*.ts", "push", false],
    ["src/*", "push", true],
    ["x*", "pu*", false],
    ["*x", "pu*", true],
    ["a*b*c", "a*c", true],
    ["PUS[H]", "push", true],
  ])("%s may become %s: %s", (value, ruled, may) => {
    expect(mayBecome({ text: value, value, glob: true, tilde: false }, ruled)).toBe(may)
  })
})
