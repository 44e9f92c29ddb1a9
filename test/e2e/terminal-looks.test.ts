/** The same front on narrow, colourless and small terminals, with much to show; screens as a person sees them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import type { Reply } from "../../src/scripted-model/scenario.ts"
import { type PseudoTerminal, ptyModule, type Stage, stage } from "./pseudo-terminal.ts"

const GRACE = 650
const stages: Stage[] = []
afterEach(() => {
  for (const one of stages.splice(0)) one.remove()
})

function scene(scenario: Reply[], files: Record<string, string> = {}): Stage {
  const one = stage(scenario, files)
  stages.push(one)
  return one
}

async function begin(one: Stage, words: string, options: Parameters<Stage["open"]>[0] = {}): Promise<PseudoTerminal> {
  const terminal = await one.open(options)
  await terminal.shows("What should I do?")
  terminal.type(`${words}\r`)
  return terminal
}

const done: Reply = {
  pieces: [{ call: "attempt_completion", input: { result: "All is well." } }],
  usage: { prompt_tokens: 9000, completion_tokens: 40 },
}
const hasPty = (await ptyModule()) !== undefined

describe.skipIf(!hasPty)("how the terminal looks (needs a pseudo-terminal)", () => {
  it("60 columns without colour: every line fits, nothing depends on colour", async () => {
    const text = "A sentence that needs more than sixty columns to be written on one line, and `code`.\n"
    const one = scene([{ pieces: [{ text }, { call: "write_to_file", input: { path: "a.ts", content: "two\n" } }] }, done], {
      "a.ts": "one\n",
    })
    const terminal = await begin(one, "go", { columns: 60, rows: 24, env: { NO_COLOR: "1" } })
    await terminal.shows("Asked because")
    await sleep(GRACE)
    terminal.type("y")
    await terminal.shows("Enter accepts")
    expect(terminal.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
    expect(terminal.screen().replace(/\/tmp\/\S+/, "FOLDER")).toMatchInlineSnapshot(`
      "joey 0.0.0 · FOLDER

      › go

      A sentence that needs more than sixty columns to be written
      on one line, and code.

      ✓ Edit a.ts  +1 −1
        1 - one
        1 + two

      All is well.

        Enter accepts this result; or say what is missing.

      › 
      code · scripted · ━───────── 7% of 128k · main"
    `)
  }, 30_000)

  it("a change of two places is taken hunk by hunk", async () => {
    const before = Array.from({ length: 30 }, (_, at) => `line ${at}`)
      .join("\n")
      .concat("\n")
    const after = before.replace("line 2\n", "LINE 2\n").replace("line 25\n", "LINE 25\n")
    const one = scene([{ pieces: [{ call: "write_to_file", input: { path: "a.txt", content: after } }] }, done], {
      "a.txt": before,
    })
    const terminal = await begin(one, "go", { rows: 40 })
    await terminal.shows("h  Hunk by hunk")
    await sleep(GRACE)
    terminal.type("h")
    await terminal.shows("hunk 1 of 2")
    terminal.type("n")
    await terminal.shows("hunk 2 of 2")
    terminal.type("y")
    await terminal.shows("Enter accepts")
    expect(readFileSync(join(one.workspace, "a.txt"), "utf8")).toBe(before.replace("line 25\n", "LINE 25\n"))
  }, 30_000)

  it("a command is edited and then runs as it was edited", async () => {
    const one = scene([
      { pieces: [{ call: "execute_command", input: { command: "rm -rf a-folder", cwd: null, timeout: null } }] },
      done,
    ])
    const terminal = await begin(one, "go")
    await terminal.shows("$ rm -rf a-folder")
    await sleep(GRACE)
    terminal.type("e")
    await terminal.shows("› rm -rf a-folder")
    terminal.type("\u0015echo instead of it\r")
    await terminal.shows("✓ $ echo instead of it")
    expect(terminal.all()).toMatch(/✓ \$ echo instead of it {2}exit 0\n {2}instead of it/)
  }, 30_000)

  it("files are found among 100,000 while typing", async () => {
    const one = scene([], { "src/needle.ts": "" })
    const terminal = await one.open({ env: { FILES: "100000" } })
    await terminal.shows("What should I do?")
    terminal.type("look at @needle")
    await terminal.shows("❯ src/needle.ts")
    terminal.type("\t")
    await terminal.shows("› look at @/src/needle.ts")
  }, 30_000)

  it("a reply of 3,000 lines and a command of 50 MB leave a small live region and a quiet terminal", async () => {
    const text = Array.from({ length: 3_000 }, (_, at) => `Row ${at} of the reply.`).join("\n")
    const command = "yes 'a line that a program printed' | head -c 50000000"
    const one = scene([
      { pieces: [{ text }, { call: "execute_command", input: { command, cwd: null, timeout: null } }], chunkSize: 200 },
      { pieces: [{ text: "Much." }] },
    ])
    const terminal = await begin(one, "go", { env: { APPROVAL: "yes" } })
    await terminal.shows("1 call", { ms: 30_000 })
    const all = terminal.all()
    for (const row of [0, 1_499, 2_999]) expect(all.split(`Row ${row} of the reply.`).length - 1, `row ${row}`).toBe(1)
    expect(terminal.written()).toBeLessThan(600_000)
    await sleep(300)
    const before = terminal.written()
    await sleep(1_500)
    expect(terminal.written()).toBe(before)
  }, 60_000)

  it("a terminal of 8 rows still shows the question's keys", async () => {
    const one = scene([{ pieces: [{ call: "execute_command", input: { command: "rm -rf x", cwd: null, timeout: null } }] }, done])
    const terminal = await begin(one, "go", { columns: 50, rows: 8 })
    await terminal.shows("w say instead")
    expect(terminal.screen()).toContain("$ rm -rf x")
    await sleep(GRACE)
    terminal.type("n")
    await terminal.shows("Enter accepts")
    expect(terminal.all()).toContain("denied")
  }, 30_000)
})
