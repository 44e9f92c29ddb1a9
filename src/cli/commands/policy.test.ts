import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import { rememberGrant } from "../../settings/grants.ts"
import { UsageError } from "../arguments.ts"
import { policy } from "./policy.ts"

interface Told {
  code: number
  text: string
  errors: string
}

async function tell(args: string[], files: Record<string, string> = {}, given?: string): Promise<Told> {
  const folder = given ?? (await temporaryFolder({ "home/": "", "work/": "", ...files }))
  const written = { text: "", errors: "" }
  const fake: NodeJS.Process = Object.create(process, {
    env: { value: { JOEY_HOME: join(folder, "home") } },
    cwd: { value: () => join(folder, "work") },
    stdout: { value: { write: (words: string) => (written.text += words) } },
    stderr: { value: { write: (words: string) => (written.errors += words) } },
  })
  const code = await policy(args, fake)
  return { code, text: written.text.replaceAll(folder, ""), errors: written.errors.replaceAll(folder, "") }
}

const settings = (permissions: object) => ({ "work/.joey/settings.json": JSON.stringify({ permissions }, null, 2) })
const yours = (permissions: object) => ({ "home/settings.json": JSON.stringify({ permissions }, null, 2) })

describe("joey policy test", () => {
  it("S28: explains each command of a line, and exits with 0 for allow, 1 for ask, 2 for deny", async () => {
    const allowed = await tell(["test", "git status"])
    expect([allowed.code, allowed.text]).toEqual([0, expect.stringMatching(/^allow: /)])
    const asked = await tell(["test", "git status && npm install"])
    expect(asked.code).toBe(1)
    expect(asked.text).toMatch(
      /^ask: .*npm install.*\n {2}allow {2}git status .*\n {2}ask {4}npm install .*\nalways would cover commands like npm install \*\n$/,
    )
    const denied = await tell(["test", "ls; git push origin"], settings({ deny: ["Bash(git push *)"] }))
    expect(denied.code).toBe(2)
    expect(denied.text).toMatch(/^deny: denied by the rule Bash\(git push \*\) in \.joey\/settings\.json:4\n/)
  })

  it("S28: knows presets, rules of the person, and that a project's rule does not allow before it is trusted", async () => {
    expect((await tell(["test", "npm test"], yours({ allow: ["Bash(npm test *)"] }))).code).toBe(0)
    expect((await tell(["test", "--ask", "npm test"], yours({ allow: ["Bash(npm test *)"] }))).code).toBe(1)
    expect((await tell(["test", "--yes", "npm test"])).code).toBe(0)
    const project = settings({ allow: ["Bash(npm test *)"] })
    const untrusted = await tell(["test", "npm test"], project)
    expect([untrusted.code, untrusted.errors]).toEqual([1, expect.stringContaining("until you trust this project")])
    expect((await tell(["test", "--trust-project", "npm test"], project)).code).toBe(0)
  })

  it("S28: asks about what is grave and about secrets even with --yes", async () => {
    for (const line of ["rm -rf ~/", "rm -rf /", "cat .env", "cp .env /tmp/x", "echo x > /etc/hosts", "echo x > .git/config"]) {
      expect([line, (await tell(["test", "--yes", line])).code]).toEqual([line, 1])
    }
  })

  it("S28: holds rules about paths against commands too", async () => {
    const files = {
      ...yours({ deny: ["Read(./secrets/**)", "Edit(docs/**)"], allow: ["Bash(cat *)", "Bash(echo *)"] }),
      "work/secrets/a": "x",
    }
    expect((await tell(["test", "cat secrets/a"], files)).code).toBe(2)
    expect((await tell(["test", "echo x > docs/a"], files)).code).toBe(2)
    expect((await tell(["test", "--yes", "base64 secrets/a"], files)).code).not.toBe(0)
  })

  it("S28: explains a tool by any of its names, with paths and addresses", async () => {
    const rules = yours({ deny: ["Read(./secrets/**)"], allow: ["WebFetch(domain:example.com)", "mcp__a__b"] })
    expect(await tell(["test", "--tool", "Read", "--path", "secrets/a"], rules)).toMatchObject({
      code: 2,
      text: "deny: denied by the rule Read(./secrets/**) in /home/settings.json:4\n",
    })
    expect((await tell(["test", "--tool", "Read", "--path", "a"], rules)).code).toBe(0)
    expect((await tell(["test", "--tool", "Write", "--path", "a"], rules)).code).toBe(1)
    expect((await tell(["test", "--tool", "Read", "--path", "../x"], rules)).text).toContain("outside the workspace")
    expect((await tell(["test", "--tool", "WebFetch", "--address", "https://example.com/x"], rules)).code).toBe(0)
    expect((await tell(["test", "--tool", "WebFetch", "--address", "https://example.org/x"], rules)).code).toBe(1)
    expect((await tell(["test", "--tool", "mcp__a__b"], rules)).code).toBe(0)
    expect((await tell(["test", "--tool", "mcp__a__c"], rules)).code).toBe(1)
  })

  it("S44: says when the mode does not offer it at all", async () => {
    expect(await tell(["test", "--mode", "ask", "ls"])).toMatchObject({
      code: 2,
      text: expect.stringContaining("not available in ask mode"),
    })
    expect((await tell(["test", "--mode", "architect", "--tool", "Write", "--path", "a.ts"])).text).toMatch(/^deny: .*\\\.md/)
  })

  it("refuses what it cannot test, in one line that says what to do", async () => {
    for (const args of [
      ["test"],
      ["tset", "ls"],
      ["test", "--tool", "Raed"],
      ["test", "--yes", "--ask", "ls"],
      ["test", "--nope"],
    ]) {
      await expect(tell(args)).rejects.toThrow(UsageError)
    }
    await expect(tell(["test", "--tool", "Raed"])).rejects.toThrow("Read?")
  })
})

describe("joey policy", () => {
  it("lists the rules in force, and where each came from", async () => {
    const files = {
      ...yours({ deny: ["Read(a)"], allow: ["Bash(git *)", "Raed(b)"] }),
      ...settings({ deny: ["Read(b"], ask: ["mcp__x"] }),
    }
    const { code, text, errors } = await tell([], files)
    expect(code).toBe(0)
    expect(text).toMatch(/^approval +default +default\n/)
    expect(text).toMatch(/\nautoApprove\.readOnly +on +default\n/)
    expect(text).toMatch(/\ndeny +Read\(a\) +\/home\/settings\.json:4\n/)
    expect(text).toMatch(/\nask +Read\(b +\.joey\/settings\.json:4 {2}\(cannot be read: asks\)\n/)
    expect(text).toMatch(/\nask +mcp__x +\.joey\/settings\.json:\d+\n/)
    expect(text).toMatch(/\nallow +Bash\(git \*\) +\/home\/settings\.json:7\n/)
    expect(text).toMatch(/\nallow +Raed\(b\) +\/home\/settings\.json:8 {2}\(no tool here goes by this name\)\n/)
    expect(errors).toContain('settings.json:4: `permissions.deny`: the rule "Read(b"')
  })

  it("S28: lists and counts what was allowed for always in this folder", async () => {
    const folder = await temporaryFolder({ "work/": "", "home/": "" })
    await rememberGrant(join(folder, "home"), join(folder, "work"), "command:npm test *")
    const test = (args: string[]) => tell(args, {}, folder)
    expect((await test([])).text).toContain('allow  commands like npm test *  (your "always" for this folder)')
    expect((await test(["test", "npm test -- a"])).code).toBe(0)
    expect((await test(["test", "--ask", "npm test -- a"])).code).toBe(1)
  })

  it("says so when there are none", async () => {
    expect((await tell([])).text).toContain("No rules.")
  })
})
