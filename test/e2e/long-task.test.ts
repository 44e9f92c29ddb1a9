/**
 * Five hundred turns in a small window, over a strict scripted model on a real port that counts each request as servers do and refuses what
 * is too long for it. Then the same model with a window smaller than anybody said, and one that cannot sum up.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { createTask, type TaskEvent } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { type ChatRequest, lastWords, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, type Reply, refuse, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { SettingsLayer } from "../../src/settings/layer.ts"
import { foldLog } from "../../src/task/fold.ts"
import { readLog } from "../../src/task/log.ts"
import type { Recorded } from "../../src/types/event.ts"

const GOAL = "Read every file of this folder in turn and write down its first word. GOAL-7f3a"
const NOTES = "NOTES-b1: the files are read in order, each first word goes to words.txt. Next: the file after the last one read."
const FILES = 40
const WINDOW = 16_000

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Told {
  /** Said first; the goal unless given. */
  words?: string
  turns: number
  /** Tokens the server really takes. */
  limit: number
  /** Tokens we are told it takes. */
  window: number
  summary(): Reply
}

/** As many servers count: a token for four characters of the request. */
const tokensOf = (request: ChatRequest) => Math.ceil(JSON.stringify(request).length / 4)
const asksSummary = (request: ChatRequest) => lastWords(request).startsWith("[From Joey, not from the person]")

async function longTask({ turns, limit, window, summary, words = GOAL }: Told) {
  const folder = mkdtempSync(join(tmpdir(), "joey-long-"))
  folders.push(folder)
  const workspace = join(folder, "workspace")
  mkdirSync(workspace)
  for (let at = 0; at < FILES; at++) {
    writeFileSync(
      join(workspace, `file${at}.txt`),
      Array.from({ length: 60 }, (_, line) => `word${at} on line ${line} of it`).join("\n"),
    )
  }
  const sizes: number[] = []
  let refused = 0
  let turn = 0
  const model = await startScriptedModel((request): Reply => {
    if (tokensOf(request) > limit) {
      refused++
      return refuse(
        400,
        `This model's maximum context length is ${limit} tokens, however you requested ${tokensOf(request)} tokens.`,
      )
    }
    if (asksSummary(request)) return summary()
    sizes.push(tokensOf(request))
    turn++
    if (turn > turns) return reply(call("attempt_completion", { result: "All words are written down." }))
    if (turn % 4 === 0)
      return reply(say(`Turn ${turn}.`), call("write_to_file", { path: "words.txt", content: `until turn ${turn}\n` }))
    return reply(say(`Turn ${turn}.`), call("read_file", { path: `file${turn % FILES}.txt` }))
  })
  const chosen = chooseModel({ baseUrl: model.url, model: "small" }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  const connected = connectModel(chosen.target, { models: { small: { window, output: 2_000 } } })
  const settings: SettingsLayer = { approval: "yes", limits: { turns: 5_000, requests: 9_000 } }
  const task = await createTask({ workspace, home: join(folder, "home"), model: connected, settings })
  const events: TaskEvent[] = []
  task.send({ type: "say", content: [{ type: "text", text: words }] })
  for await (const event of task.events()) {
    if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
    if ("seq" in event) events.push(event)
    if (event.type === "task-finished") break
  }
  await task.close()
  await model.close()
  const log = readLog(join(folder, "home", "tasks", task.id, "log.jsonl")).events
  const last = events.at(-1)
  return { model, log, sizes, refused, turns: turn, ending: last?.type === "task-finished" ? last.ending : undefined }
}

const works = (request: ChatRequest) => !asksSummary(request)
const textsOf = ({ messages }: ChatRequest) => messages.map(textOf).join("\n")
const condensed = (log: readonly Recorded[]) => log.filter((event) => event.type === "condensed")

describe("a task of 500 turns in a window of 16 K", () => {
  it("never overflows, never loses its goal, and its requests stay as small at the end as they were", async ({ annotate }) => {
    const { model, log, sizes, refused, ending, turns } = await longTask({
      turns: 500,
      limit: WINDOW,
      window: WINDOW,
      summary: () => reply(say(NOTES)),
    })
    expect(ending).toMatchObject({ reason: "accepted" })
    expect(turns).toBe(501)
    expect(model.problems).toEqual([])
    expect(refused).toBe(0)
    expect(Math.max(...sizes)).toBeLessThan(WINDOW - 2_000)
    const requests = model.requests.filter(works)
    expect(requests.filter((request) => !textsOf(request).includes(GOAL))).toEqual([])
    const bytes = model.bodies.map((body) => body.length)
    await annotate(
      `${condensed(log).length} times condensed; largest request ${Math.max(...bytes)} bytes, log ${JSON.stringify(log).length} bytes`,
    )
    expect(Math.max(...bytes.slice(-100))).toBeLessThan(Math.max(...bytes.slice(0, 100)) * 1.2)
    expect(textsOf(requests.at(-1) ?? model.requests[0] ?? { model: "", messages: [] })).toContain("NOTES-b1")
    expect(foldLog(log).messages.length).toBeLessThan(60)
  }, 180_000)

  it("between two condensings the bytes of each request begin with those of the one before", async () => {
    const { model, log } = await longTask({ turns: 60, limit: WINDOW, window: WINDOW, summary: () => reply(say(NOTES)) })
    let breaks = 0
    const sent = model.requests.filter(works).map(({ messages }) => messages.map((message) => JSON.stringify(message)))
    for (const [at, messages] of sent.entries()) {
      const before = sent[at - 1]
      if (before?.some((message, place) => messages[place] !== message)) breaks++
    }
    expect(condensed(log).length).toBeGreaterThan(1)
    expect(breaks).toBe(condensed(log).length)
    const heads = new Set(model.requests.map((request) => JSON.stringify([request.messages[0], request.tools])))
    expect(heads.size).toBe(1) // S50: also where a summary is asked for
  }, 60_000)
})

it("a server whose window is smaller than anybody said: it is met once, and kept to from then on", async () => {
  const { ending, refused, log, sizes } = await longTask({
    turns: 60,
    limit: WINDOW,
    window: 100_000,
    summary: () => reply(say(NOTES)),
  })
  expect(ending).toMatchObject({ reason: "accepted" })
  expect(refused).toBeLessThan(3)
  expect(condensed(log)[0]).toMatchObject({ by: "overflow" })
  expect(Math.max(...sizes)).toBeLessThanOrEqual(WINDOW)
}, 60_000)

it("a model that cannot sum up: old results are shortened, and the task comes to its end", async () => {
  const { ending, refused, log, model } = await longTask({
    turns: 60,
    limit: WINDOW,
    window: WINDOW,
    summary: () => refuse(400, "I cannot"),
  })
  expect(ending).toMatchObject({ reason: "accepted" })
  expect(refused).toBe(0)
  expect(new Set(condensed(log).map((event) => event.type === "condensed" && event.how))).toEqual(new Set(["truncation"]))
  expect(model.requests.filter(works).every((request) => textsOf(request).includes(GOAL))).toBe(true)
}, 60_000)

it("words of 20 MB are cut to head and tail before they leave, and the model can read the rest in a file", async () => {
  const words = `${GOAL}\n${"some pasted log line 12345\n".repeat(750_000)}the end of it`
  const { ending, refused, model, log } = await longTask({
    words,
    turns: 2,
    limit: WINDOW,
    window: WINDOW,
    summary: () => reply(say(NOTES)),
  })
  expect(ending).toMatchObject({ reason: "accepted" })
  expect(refused).toBe(0)
  expect(condensed(log)).toHaveLength(1)
  const [first] = model.requests
  const [, file = ""] = /all of it is in the file (\S+\.txt)\./.exec(first ? textsOf(first) : "") ?? []
  expect(readFileSync(file, "utf8")).toBe(words)
  expect(first && textsOf(first)).toContain("the end of it")
  expect(first && textsOf(first)).toContain(GOAL)
}, 60_000)
