/** The built command at a pseudo-terminal: subtasks side by side, words that wait, a kill in between, and going back in files. */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { bareReply, call, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import "./current-build.ts"
import { type PseudoTerminal, ptyModule, stage } from "./pseudo-terminal.ts"

const GRACE = 650
const UP = "\u001b[A"
const hasPty = (await ptyModule()) !== undefined
const done = (result: string) => reply(call("attempt_completion", { result }))
const delegate = (message: string) => call("new_task", { mode: "code", message })
const write = (path: string) => call("write_to_file", { path, content: `${path}\n` })

/** Each task is known by the first of its words. */
async function scene(scripts: Record<string, Reply[]>) {
  const asked: string[] = []
  const model = await startScriptedModel((request) => {
    const [name = ""] = textOf(request.messages[1]).split(/\W/)
    asked.push(JSON.stringify(request.messages.slice(1)))
    return scripts[name]?.[repliesSoFar(request)] ?? reply(say("nothing is left"))
  })
  const place = stage([])
  onTestFinished(async () => {
    place.remove()
    await model.close()
  })
  const args = ["--base-url", model.url, "--model", "m", "--workspace", place.workspace]
  const open = (...more: string[]): Promise<PseudoTerminal> =>
    place.open({ columns: 100, rows: 40, program: [resolve("dist/joey.js"), ...args, ...more] })
  return { place, asked, open }
}

async function press(terminal: PseudoTerminal, key: string, shown: string | RegExp): Promise<void> {
  await terminal.shows(shown)
  await sleep(GRACE)
  terminal.type(key)
}

describe.skipIf(!hasPty)("the tree at a terminal (needs a pseudo-terminal)", () => {
  it("two subtasks ask side by side, words wait and are changed, and a kill loses nothing of it", async () => {
    const { place, asked, open } = await scene({
      parent: [reply(delegate("one work"), delegate("two work")), done("all done"), done("docs done")],
      one: [reply(write("one.txt")), done("one result")],
      two: [reply(write("two.txt")), done("two result")],
    })
    const first = await open()
    await first.shows("What should I do?")
    first.type("parent go\r")
    await press(first, "a", /Subtask in code mode\n {2}one work/)
    await press(first, "y", /Subtask 1 \(code\) asks {2}one work\n\? Create one\.txt/)
    await first.shows(/1 │ ✓ Create one\.txt/)
    await first.shows(/\? 2 code {2}two work/)
    await first.shows("question 1 of 2")
    first.type("mind the tests\r")
    await first.shows("↳ next turn: mind the tests")
    process.kill(first.pid, "SIGKILL")
    await first.exit
    expect(existsSync(join(place.workspace, "two.txt"))).toBe(false)

    const second = await open("--continue")
    await second.shows("↳ next turn: mind the tests")
    // Enter accepts the first result, approves the second change, accepts the second result.
    for (let keys = 0; keys < 8 && !second.screen().includes("all done"); keys++) {
      await press(second, "\r", /Subtask \d \(code\) asks|all done/)
      await sleep(300)
    }
    await second.shows(/all done\n\n {2}Enter accepts this result/)
    expect(readFileSync(join(place.workspace, "two.txt"), "utf8")).toBe("two.txt\n")
    const last = asked.at(-1) ?? ""
    expect(last).toContain("mind the tests")
    expect(last).toContain("one result")
    expect(last).toContain("two result")
    expect(second.all().split("› mind the tests").length - 1).toBe(1)
  }, 90_000)

  it("one subtask is stopped by its number, another one hears words, and escape stops all that is left", async () => {
    const slow = (text: string) => bareReply(say(text), { hang: true })
    const { asked, open } = await scene({
      parent: [reply(delegate("one work"), delegate("two work"))],
      one: [slow("one is slow")],
      two: [reply({ pause: 4000 }, call("list_files", { path: "." })), slow("two is slow")],
    })
    const terminal = await open("--yes")
    await terminal.shows("What should I do?")
    terminal.type("parent go\r")
    await terminal.shows(/● 1 code {2}one work.*\n {2}one is slow/)
    terminal.type("/tell 2 use pnpm\r")
    await terminal.shows("Subtask 2 hears it")
    terminal.type("/cancel 1\r")
    await terminal.shows(/✗ Subtask in code mode/)
    await terminal.shows("2 │ › use pnpm")
    await terminal.shows(/● 2 code {2}two work.*\n {2}two is slow/)
    expect(asked.at(-1)).toContain("use pnpm")
    terminal.type("\u001b")
    await terminal.shows("■ Stopped")
  }, 60_000)

  it("words kept for later are taken back, changed, and follow when the task is over", async () => {
    const { asked, open } = await scene({
      parent: [reply({ pause: 3000 }, say("One moment."), call("list_files", { path: "." })), done("first"), done("second")],
    })
    const terminal = await open()
    await terminal.shows("What should I do?")
    terminal.type("parent go\r")
    await terminal.shows("esc stops")
    terminal.type("then docs\t")
    await terminal.shows("↳ after the task: then docs")
    terminal.type(UP)
    await terminal.shows("› then docs")
    terminal.type(", briefly\t")
    await terminal.shows("↳ after the task: then docs, briefly")
    await press(terminal, "\r", "Enter accepts this result")
    await terminal.shows("› then docs, briefly")
    await terminal.shows("second")
    expect(asked.at(-1)).toContain("then docs, briefly")
    expect(asked.at(-1)?.split("then docs").length).toBe(2)
  }, 60_000)

  it("files go back to before a call, after a look at what would happen; a copy of the task is gone on with", async () => {
    const { place, open } = await scene({ parent: [reply(write("new.txt")), done("made")] })
    const terminal = await open("--yes")
    await terminal.shows("What should I do?")
    terminal.type("parent go\r")
    await terminal.shows("✓ Create new.txt")
    await terminal.shows(/✓ Done|Enter accepts/)
    if (terminal.screen().includes("Enter accepts")) await press(terminal, "\r", "Enter accepts")
    await terminal.shows("✓ Done")
    terminal.type("/checkpoints\r")
    await terminal.shows("1  write_to_file: new.txt")
    terminal.type("\r")
    await terminal.shows("remove new.txt")
    terminal.type("files only\r")
    await terminal.shows("Removed new.txt.")
    await terminal.shows("1 note for the model with your next words")
    expect(existsSync(join(place.workspace, "new.txt"))).toBe(false)
    terminal.type("/fork\r")
    await terminal.shows("This is a copy")
    terminal.type("/mcp\r")
    await terminal.shows("No server is configured here")
  }, 60_000)
})
