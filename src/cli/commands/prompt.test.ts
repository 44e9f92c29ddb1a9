/** `joey prompt` and `joey rules`, on a folder with files of its own and an empty home. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { prompt } from "./prompt.ts"
import { rules } from "./rules.ts"

type Command = (args: readonly string[], process: NodeJS.Process) => Promise<number>

/** Runs the command in a folder that holds these files; what it printed, and its complaints. */
async function run(command: Command, files: Record<string, string>, ...args: string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "joey-prompt-")))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries({ "home/.keep": "", "project/.keep": "", ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const out: string[] = []
  const complaints: string[] = []
  const home = join(folder, "home")
  const code = await command(args, {
    cwd: () => join(folder, "project"),
    env: { HOME: home, JOEY_HOME: join(home, ".joey") },
    platform: process.platform,
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => complaints.push(text) },
  } as unknown as NodeJS.Process)
  return { code, out: out.join(""), complaints: complaints.join("") }
}

const FILES = {
  "project/AGENTS.md": "Run the tests.",
  "project/.roo/rules-ask/short.md": "Answer in one line.",
  "project/.roo/rules/old.bak": "x",
  "project/.roomodes": "customModes:\n  - slug: broken\n    name: Broken\n",
}

describe("joey prompt", () => {
  it("S59: prints what the model would be sent in a mode, and counts each section and tool", async () => {
    const { code, out, complaints } = await run(prompt, FILES, "--mode", "ask")
    expect(code).toBe(0)
    expect(out).toMatch(/Answer in one line\.[\s\S]*Run the tests\./)
    expect(out).toMatch(/^\{"name":"read_file",/m)
    expect(out).not.toMatch(/"name":"execute_command"/)
    expect(out).toMatch(/^rules +\d+$[\s\S]*^read_file +\d+$[\s\S]*^= system prompt and definitions +\d+$/m)
    expect(complaints).toMatch(/^joey: \.roomodes:\d+: .*broken.*\n$/)
  })

  it("S10, S59: prints the tagged form with --xml", async () => {
    const { out } = await run(prompt, {}, "--xml")
    expect(out).toMatch(/<read_file>\n<path>path here<\/path>\n<\/read_file>/)
    expect(out).not.toMatch(/"name":"read_file"/)
  })

  it("says which modes there are when asked for another", async () => {
    await expect(run(prompt, {}, "--mode", "cod")).rejects.toThrow(/no mode "cod" \(code\?\)/)
  })
})

describe("joey rules", () => {
  it("S46: lists what a mode loads, and why something is not loaded", async () => {
    const { code, out, complaints } = await run(rules, FILES, "--mode", "ask")
    expect(code).toBe(0)
    expect(out).toMatch(
      /\d+ {2}this mode +\.roo\/rules-ask\/short\.md\n.*AGENTS\.md\n.* 2 files\nNot loaded:\n {2}\.roo\/rules\/old\.bak: /,
    )
    expect(complaints).toMatch(/roomodes/)
    expect((await run(rules, FILES, "--mode", "code")).out).not.toMatch(/short\.md/)
  })

  it("S46: says so when a folder brings no rules along", async () => {
    expect((await run(rules, {})).out).toMatch(/\n {2}none\n$/)
  })
})
