/** Words while a task works, and its context under the person's hand: the built command on a pseudo-terminal, killed in between. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, lastWords, repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, pause, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Place, place } from "./joey.ts"
import { openPseudoTerminal, type PseudoTerminal, ptyModule } from "./pseudo-terminal.ts"

const NOTES = "NOTES-c4: all files were read in order, one after the other, and nothing in them is out of the ordinary so far."
const UP = "\u001b[A"
const saidTo = ({ messages }: ChatRequest) =>
  messages.filter(({ role }) => role === "user").map((message) => textOf(message).split("\n")[0] ?? "")
const done = (result: string) => reply(call("attempt_completion", { result }))

interface Scene extends Place {
  requests: readonly ChatRequest[]
  open(...args: string[]): Promise<PseudoTerminal>
}

async function scene(script: (request: ChatRequest) => Reply): Promise<Scene> {
  const here = place({ "a.txt": "alpha\n", "b.txt": "beta\n" })
  mkdirSync(here.home, { recursive: true })
  writeFileSync(
    join(here.home, "settings.json"),
    JSON.stringify({ models: { m: { window: 100_000 } }, approval: "yes", reminders: 0 }),
  )
  const model = await startScriptedModel(script)
  onTestFinished(async () => {
    await model.close()
    expect(model.problems).toEqual([])
  })
  return {
    ...here,
    requests: model.requests,
    async open(...args) {
      const terminal = await openPseudoTerminal({
        file: process.execPath,
        args: [resolve("dist/joey.js"), "--base-url", model.url, "--model", "m", ...args],
        cwd: here.workspace,
        env: { PATH: process.env["PATH"] ?? "", JOEY_HOME: here.home, TERM: "xterm-256color" },
        columns: 100,
        rows: 30,
      })
      onTestFinished(() => terminal.kill())
      return terminal
    },
  }
}

const hasPty = (await ptyModule()) !== undefined

describe.skipIf(!hasPty)("words while it works (needs a pseudo-terminal)", () => {
  it("join the next turn, or wait for the end; they are seen, can be taken back and changed, and outlive a kill", async () => {
    let isKilled = false
    const here = await scene((request) => {
      const turn = repliesSoFar(request)
      if (turn === 0) return reply(say("One."), pause(2500), call("read_file", { path: "a.txt" }))
      if (turn === 1 && !isKilled) return reply(say("Two."), pause(60_000))
      return done(`heard ${saidTo(request).length}`)
    })
    const first = await here.open("begin here")
    await first.shows("One.")
    first.type("steer left\r")
    await first.shows("steer left")
    first.type("then paint it\t")
    await first.shows("then paint it")
    await first.shows("Two.")
    expect(here.requests.map(saidTo).at(-1)).toEqual(["begin here", "steer left"])
    first.type("wrong words\r")
    await first.shows(/wrong words/)
    first.type(UP)
    await sleep(300)
    first.kill()
    await first.exit
    isKilled = true
    const said = here.log().filter((event) => event.type === "said" || event.type === "words-changed")
    expect(said).toMatchObject([{}, {}, { when: "end" }, { type: "said" }, { type: "words-changed", content: [] }])

    const second = await here.open("--continue")
    await second.shows("heard 2", { where: "all" })
    await sleep(800)
    second.type("\r") // accepted: what waited for the end is heard now
    await second.shows("heard 3", { where: "all" })
    expect(here.requests.map(saidTo).at(-1)).toEqual(["begin here", "steer left", "then paint it"])
  }, 60_000)

  it("what fills the window is listed, one item is pinned, one taken out, and the log keeps it", async () => {
    const here = await scene((request) => {
      const turn = repliesSoFar(request)
      if (turn === 0) return reply(call("read_file", { path: "a.txt" }), call("read_file", { path: "b.txt" }))
      return reply(say(`Read, turn ${turn}.`))
    })
    const terminal = await here.open("look at both")
    await terminal.shows("Read, turn", { where: "all" })
    await sleep(500)
    terminal.type("/context\r")
    await terminal.shows(/\d+ +result +\d+ +read_file a\.txt/, { where: "all" })
    const number = (file: string) => new RegExp(`(\\d+) +result +\\d+ +read_file ${file}`).exec(terminal.all())?.[1] ?? "missing"
    terminal.type(`/pin ${number("a.txt")}\r`)
    await sleep(400)
    terminal.type(`/drop ${number("b.txt")}\r`)
    await sleep(400)
    terminal.type("/drop 99\r")
    await sleep(400)
    terminal.type("and now\r")
    await terminal.shows(/Read, turn [2-9]/, { where: "all" })
    const last = JSON.stringify(here.requests.at(-1)?.messages)
    expect(last).toContain("alpha")
    expect(last).not.toContain("beta")
    expect(here.log().filter(({ type }) => type === "pinned" || type === "dropped")).toMatchObject([
      { type: "pinned", pinned: true },
      { type: "dropped" },
    ])
    expect(JSON.stringify(here.log())).toContain("beta")
    expect(readdirSync(join(here.home, "tasks"))).toHaveLength(1)
  }, 60_000)

  it("S50: the past is shortened when the person says so, with what was pinned as it was", async () => {
    const here = await scene((request) => {
      if (lastWords(request).includes("[From Joey, not from the person]")) return reply(say(NOTES))
      const turn = repliesSoFar(request)
      if (lastWords(request).startsWith("and now")) return reply(say("Still here."))
      return turn < 6 ? reply(call("read_file", { path: `long${turn}.txt` })) : reply(say("All read."))
    })
    for (let at = 0; at < 6; at++) here.write(`long${at}.txt`, `mark-${at}\n${"words of this file\n".repeat(400)}`)
    const terminal = await here.open("look at all")
    await terminal.shows("All read.", { where: "all" })
    await sleep(500)
    terminal.type("/context\r")
    await terminal.shows(/\d+ +result +\S+ +read_file long0\.txt/, { where: "all" })
    const [, number = ""] = /(\d+) +result +\S+ +read_file long0\.txt/.exec(terminal.all()) ?? []
    terminal.type(`/pin ${number}\r`)
    await sleep(400)
    terminal.type("/condense\r")
    await sleep(400)
    terminal.type("and now\r")
    await terminal.shows("Still here.", { where: "all" })
    const condensed = here.log().find(({ type }) => type === "condensed")
    expect(condensed, JSON.stringify(here.log().filter(({ type }) => type === "notice"))).toMatchObject({
      by: "person",
      how: "summary",
    })
    const last = JSON.stringify(here.requests.at(-1)?.messages)
    for (const kept of ["look at all", "mark-0", "NOTES-c4", "and now"]) expect(last).toContain(kept)
    expect(last).not.toContain("mark-1")
  }, 60_000)
})
