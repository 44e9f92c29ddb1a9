/** The interactive front on a real pseudo-terminal: what a person types, and what they see. Real engine, real wire, a scripted model. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import type { Piece, Reply } from "../../src/scripted-model/scenario.ts"
import { type PseudoTerminal, ptyModule, type Stage, stage } from "./pseudo-terminal.ts"

const ESCAPE = "\u001b"
const GRACE = 650
const stages: Stage[] = []
afterEach(() => {
  for (const one of stages.splice(0)) one.remove()
})

const read: Piece = { call: "read_file", input: { path: "src/cart.ts" } }
const write: Piece = { call: "write_to_file", input: { path: "src/cart.ts", content: "export const a = 2\n" } }
const done: Reply = { pieces: [{ call: "attempt_completion", input: { result: "The cart is **repaired**." } }] }

function scene(...scenario: Reply[]): Stage {
  const one = stage(scenario, { "src/cart.ts": "export const a = 1\n" })
  stages.push(one)
  return one
}

async function begin(one: Stage, words: string, options: Parameters<Stage["open"]>[0] = {}): Promise<PseudoTerminal> {
  const terminal = await one.open(options)
  await terminal.shows("What should I do?")
  terminal.type(words)
  await terminal.shows(`› ${words}`)
  terminal.type("\r")
  return terminal
}

async function asked(terminal: PseudoTerminal, text = "Asked because"): Promise<void> {
  await terminal.shows(text)
  await sleep(GRACE)
}

/** What the model was told last. */
function lastRequest(one: Stage): string {
  return readFileSync(one.requests, "utf8").trimEnd().split("\n").at(-1) ?? ""
}

const hasPty = (await ptyModule()) !== undefined

describe.skipIf(!hasPty)("the terminal (needs a pseudo-terminal)", () => {
  it("a whole task: words, streamed text, an approved edit, an accepted result, and the scrollback tells it once", async () => {
    const one = scene(
      { pieces: [{ reasoning: "Hm, the cart." }, { text: "I look at **the cart**.\n\n" }, read], pace: 2 },
      { pieces: [{ text: "Now I change it." }, write] },
      done,
    )
    const terminal = await begin(one, "repair the cart")
    await asked(terminal)
    expect(terminal.screen()).toContain("? Edit src/cart.ts  +1 −1")
    expect(terminal.screen()).toContain("1 - export const a = 1")
    terminal.type("y")
    await asked(terminal, "Enter accepts this result")
    expect(readFileSync(join(one.workspace, "src/cart.ts"), "utf8")).toBe("export const a = 2\n")
    terminal.type("\r")
    await terminal.shows("✓ Done")
    terminal.type("\u0004")
    expect(await terminal.exit).toBe(0)
    const story = terminal.all()
    const lines = [
      "› repair the cart",
      "∴ Hm, the cart.",
      "I look at the cart.",
      "✓ Read src/cart.ts",
      "Now I change it.",
      "✓ Edit src/cart.ts",
      "The cart is repaired.",
      "✓ Done",
    ]
    for (const line of lines) expect(story.split(line).length - 1, line).toBe(1)
    expect(lines.map((line) => story.indexOf(line))).toEqual(lines.map((line) => story.indexOf(line)).sort((a, b) => a - b))
    expect(terminal.raw().endsWith("\u001b[?25h") || terminal.raw().includes("\u001b[?2004l")).toBe(true)
  }, 30_000)

  it("a call denied with words is not run, and the model hears the words", async () => {
    const one = scene({ pieces: [write] }, { pieces: [{ text: "Then I leave it." }] })
    const terminal = await begin(one, "change the cart")
    await asked(terminal)
    terminal.type("w")
    await terminal.shows("Say what to do instead")
    terminal.type("ask Ada first\r")
    await terminal.shows("Then I leave it.")
    expect(terminal.all()).toContain("denied")
    expect(lastRequest(one)).toContain("ask Ada first")
    expect(readFileSync(join(one.workspace, "src/cart.ts"), "utf8")).toBe("export const a = 1\n")
  }, 30_000)

  it("what is being typed when a question appears stays words and approves nothing", async () => {
    const one = scene({ pieces: [{ pause: 700 }, write] }, { pieces: [{ text: "Noted." }] })
    const terminal = await begin(one, "change the cart")
    await terminal.shows("esc stops")
    terminal.type("y")
    await terminal.shows("› y")
    await terminal.shows("tab answers this question")
    terminal.type("es, and tests")
    await terminal.shows("› yes, and tests")
    await sleep(GRACE)
    expect(existsSync(one.requests) && readFileSync(join(one.workspace, "src/cart.ts"), "utf8")).toBe("export const a = 1\n")
  }, 30_000)

  it("escape stops the turn, and what waited comes back to be edited", async () => {
    const one = scene({ pieces: [{ text: "I begin and then " }, { hang: true }] })
    const terminal = await begin(one, "go")
    await terminal.shows("I begin and then")
    terminal.type("use pnpm\r")
    await terminal.shows("↳ next turn: use pnpm")
    terminal.type("and later docs\t")
    await terminal.shows("↳ after the task: and later docs")
    terminal.type(ESCAPE)
    await terminal.shows("■ Stopped")
    await terminal.shows(/› use pnpm\n {2}and later docs/)
  }, 30_000)

  it("words said while a reply streams join the next turn; kept ones follow when the task is over", async () => {
    const one = scene(
      { pieces: [{ text: "One moment. " }, { pause: 1200 }, read] },
      { pieces: [{ text: "Seen." }] },
      { pieces: [{ text: "The docs are written." }] },
    )
    const terminal = await begin(one, "go")
    await terminal.shows("One moment.")
    terminal.type("mind the tests\r")
    await terminal.shows("↳ next turn: mind the tests")
    terminal.type("then the docs\t")
    await terminal.shows("The docs are written.")
    const requests = readFileSync(one.requests, "utf8").trimEnd().split("\n")
    expect(requests[1]).toContain("mind the tests")
    expect(requests[1]).not.toContain("then the docs")
    expect(requests[2]).toContain("then the docs")
  }, 30_000)

  it("a paste of 10,000 lines is a short mark on the screen and whole for the model", async () => {
    const one = scene({ pieces: [{ text: "That is much." }] })
    const terminal = await one.open()
    await terminal.shows("What should I do?")
    const pasted = Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join("\n")
    terminal.type(`look: ${ESCAPE}[200~${pasted.replaceAll("\n", "\r")}${ESCAPE}[201~`)
    await terminal.shows("[paste 1: 10,000 lines]")
    terminal.type("\r")
    await terminal.shows("That is much.")
    expect(lastRequest(one)).toContain("line 9999")
    expect(terminal.all()).toContain("more lines")
    expect(terminal.all().split("\n").length).toBeLessThan(60)
  }, 30_000)

  it("a narrower and a wider terminal shows everything once, nothing is left over", async () => {
    const one = scene(
      {
        pieces: [
          { text: "A first line that is long enough to be broken when the terminal becomes narrow, surely.\n\nSecond.\n" },
          {
            call: "execute_command",
            input: { command: "rm -rf build && echo a-rather-long-command-line-for-a-narrow-terminal", cwd: null, timeout: null },
          },
        ],
      },
      done,
    )
    const terminal = await begin(one, "go", { columns: 100, rows: 30 })
    await asked(terminal)
    for (const columns of [60, 44, 72, 120]) {
      terminal.resize(columns, 30)
      await sleep(250)
    }
    await terminal.shows("n  No")
    const screen = terminal.all()
    for (const text of ["Asked because", "❯ y  Yes", "n  No", "code · scripted"])
      expect(screen.split(text).length - 1, text).toBe(1)
    terminal.type("n")
    await asked(terminal, "Enter accepts this result")
    expect(terminal.all().split("Second.").length - 1).toBe(1)
  }, 30_000)

  it("goes on with an earlier task: its past is shown, then it works", async () => {
    const one = scene({ pieces: [{ text: "Answer one." }] }, { pieces: [{ text: "Answer two." }] })
    const first = await begin(one, "first words")
    await first.shows("0 calls")
    first.type("\u0003")
    await first.shows("once more leaves")
    first.type("\u0003")
    await first.exit
    const [task = ""] = readdirSync(join(one.home, "tasks"))
    const second = await one.open()
    await second.shows("What should I do?")
    second.type("/resume\r")
    await second.shows("Go on with")
    expect(second.screen()).toContain(task)
    second.type("\r")
    await second.shows("Answer one.")
    expect(second.all()).toContain("› first words")
    second.type("and more\r")
    await second.shows(/› and more\n\nAnswer one\./, { where: "all" }) // the script begins anew with the process
  }, 40_000)
})
