/** Tasks longer than a model's window, through the built command: what is kept, what it costs, and what a person can do about it. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, lastWords, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, type Reply, refuse, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Place, place } from "./joey.ts"

const GOAL = "Read every file in turn. GOAL-51c"
const NOTES = "NOTES-b7: the files are read in order, each of them once. Next comes the file after the last one that was read."
const FILE = Array.from({ length: 90 }, (_, line) => `some words on line ${line}`).join("\n")

const tokensOf = (request: ChatRequest) => Math.ceil(JSON.stringify(request).length / 4)
const asksSummary = (request: ChatRequest) => lastWords(request).startsWith("[From Joey, not from the person]")
const textsOf = ({ messages }: ChatRequest) => messages.map(textOf).join("\n")

interface Small {
  /** What the server takes. */
  limit: number
  /** What the settings say that it takes. */
  window: number
  turns: number
}

async function small({ limit, window, turns }: Small) {
  const here = place(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`file${at}.txt`, `${at}\n${FILE}`])))
  mkdirSync(here.home, { recursive: true })
  writeFileSync(join(here.home, "settings.json"), JSON.stringify({ models: { small: { window, output: 2000 } } }))
  let turn = 0
  let refused = 0
  const model = await startScriptedModel((request): Reply => {
    if (tokensOf(request) > limit) {
      refused++
      return refuse(400, `This model's maximum context length is ${limit} tokens, you requested ${tokensOf(request)} tokens.`)
    }
    if (asksSummary(request)) return { ...reply(say(NOTES)), usage: { prompt_tokens: 9, completion_tokens: 3, cost: 0.125 } }
    turn++
    return turn > turns
      ? reply(call("attempt_completion", { result: "All read." }))
      : reply(say(`Turn ${turn}.`), call("read_file", { path: `file${turn % 20}.txt` }))
  })
  onTestFinished(async () => {
    await model.close()
    expect(model.problems).toEqual([])
  })
  const flags = ["--base-url", model.url, "--model", "small", "--yes"]
  return { here, model, flags, refused: () => refused, again: () => (turn = turns - 2) }
}

const condensings = (here: Place) => here.log().filter((event) => event.type === "condensed")

describe("a task that outgrows the window", () => {
  it("S50: is shortened by itself and keeps its goal; list, context, export and rewind know of it", async () => {
    const { here, model, flags, refused, again } = await small({ limit: 14_000, window: 14_000, turns: 24 })
    const run = await here.run([GOAL, ...flags])
    expect(run.code, run.stdout.slice(-2000) + run.stderr).toBe(0)
    expect(refused()).toBe(0)
    expect(condensings(here).length).toBeGreaterThan(0)
    expect(model.requests.filter((request) => !textsOf(request).includes(GOAL))).toEqual([])
    expect(run.stdout).toMatch(/shortened|Shortened/)
    const shown = await here.run(["context", "--all", ...flags])
    expect(shown.stdout).toMatch(/of 14(?:\.0)?k tokens/)
    expect(shown.stdout).toContain("GOAL-51c")
    const page = (await here.run(["export", "--md", "--output", "-"])).stdout
    expect(page).toMatch(/\*What the model sees of the past was shortened by a summary: about .* tokens, which took 9 in/)
    expect(page).toContain("Turn 1.") // the log keeps all
    const total = JSON.parse((await here.run(["export", "--json", "--output", "-"])).stdout).usage
    expect(total.cost).toBeCloseTo(0.125 * condensings(here).length, 5)

    again()
    const back = await here.run(["rewind", "--to", "1", "--say", "Only the last ones. OTHER-9d", ...flags])
    expect(back.code, back.stdout.slice(-2000) + back.stderr).toBe(0)
    const last = model.requests.at(-1)
    expect(last && textsOf(last)).toContain("OTHER-9d")
    expect(last && textsOf(last)).not.toMatch(/GOAL-51c|NOTES-b7/)
  }, 60_000)

  it("S50: a server that takes less than the settings say is met once, shortened for, and the task goes on", async () => {
    const { here, flags, refused } = await small({ limit: 12_000, window: 100_000, turns: 24 })
    const run = await here.run([GOAL, ...flags])
    expect(run.code, run.stdout.slice(-2000) + run.stderr).toBe(0)
    expect(refused()).toBe(1)
    expect(condensings(here)[0]).toMatchObject({ by: "overflow" })
  }, 60_000)

  it("S50: a server that takes nothing at all ends the task after few requests, with a reason and no loop", async () => {
    const { here, model, flags } = await small({ limit: 100, window: 100_000, turns: 3 })
    const run = await here.run([GOAL, ...flags])
    expect([1, 4], run.stdout + run.stderr).toContain(run.code)
    expect(run.stdout + run.stderr).toMatch(/too long|does not fit|window|context/i)
    expect(model.requests.length).toBeLessThan(8)
    expect(here.log().at(-1)).toMatchObject({ type: "task-finished" })
  }, 60_000)
})
