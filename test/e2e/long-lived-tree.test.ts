/** A tree of tasks through the built command: nested, failing, stopped, at odds with each other; and how it is found and shown later. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { answeredCalls, type ChatRequest, repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { bareReply, call, pause, type Reply, refuse, reply, say } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import { readLog } from "../../src/task/log.ts"
import type { Recorded } from "../../src/types/event.ts"
import { type Place, place } from "./joey.ts"

type Line = Reply | ((request: ChatRequest) => Reply)

const COST = { prompt_tokens: 100, completion_tokens: 10, cost: 0.25 }
const priced = (...pieces: Parameters<typeof reply>): Reply => ({ ...reply(...pieces), usage: COST })
const done = (result: string) => priced(call("attempt_completion", { result }))
const delegate = (message: string, mode = "code") => call("new_task", { mode, message })
const write = (path: string, content = "x\n") => call("write_to_file", { path, content })
const told = (request: ChatRequest) => answeredCalls(request).map(({ result }) => result)

/** Each task is known by the first word it was told. */
async function scripted(scripts: Record<string, Line[]>): Promise<ScriptedModel & { flags: string[] }> {
  const model = await startScriptedModel((request) => {
    const [name = ""] = textOf(request.messages[1]).split(/\W/)
    const next = scripts[name]?.[repliesSoFar(request)] ?? reply(say("nothing is left"))
    return typeof next === "function" ? next(request) : next
  })
  onTestFinished(async () => {
    await model.close()
    expect(model.problems).toEqual([])
  })
  return Object.assign(model, { flags: ["--base-url", model.url, "--model", "m", "--yes"] })
}

function logsIn({ home }: Place): Recorded[][] {
  const folder = join(home, "tasks")
  const ids = readdirSync(folder).filter((name) => !name.startsWith("."))
  return ids.map((id) => readLog(join(folder, id, "log.jsonl")).events)
}

it("S24: subtasks of subtasks answer upwards, their cost is the parent's too, and lists and exports show the tree", async () => {
  const model = await scripted({
    top: [priced(delegate("middle work", "architect")), done("top done")],
    middle: [priced(delegate("bottom work")), (request) => done(`middle says: ${told(request).at(-1)}`)],
    bottom: [priced(write("deep.txt")), done("bottom done")],
  })
  const here = place()
  const run = await here.run(["top work", ...model.flags, "--output-format", "json"])
  expect(run.code, run.stdout + run.stderr).toBe(0)
  const { usage, task } = JSON.parse(run.stdout.trim().split("\n").at(-1) ?? "{}")
  expect(usage).toMatchObject({ inputTokens: 600, outputTokens: 60, cost: 1.5 })
  expect(model.requests.at(-1)?.messages.some((message) => textOf(message).includes("middle says: bottom done"))).toBe(true)
  const modes = logsIn(here).map(([start]) => start?.type === "task-started" && start.mode)
  expect(modes).toEqual(["code", "architect", "code"])

  const listed = (await here.run(["tasks"])).stdout
  expect(listed).toMatch(
    /^\S+ .*\$1\.5000 {2}accepted.*\n {2}top work\n {2}└ \S+ {2}\$1\.0000 .*middle work\n {4}└ .*bottom work\n$/,
  )
  expect((await here.run(["tasks", "bottom"])).stdout).toContain(task)

  const html = (await here.run(["export", "--output", "-"])).stdout
  for (const words of ["What it did", "middle says: bottom done", "deep.txt", "$1.50"]) expect(html).toContain(words)
  const exported = JSON.parse((await here.run(["export", "--json", "--output", "-"])).stdout)
  const below = (story: { entries: { parts?: { subtask?: { story: typeof story } }[] }[] }) =>
    story.entries.flatMap(({ parts = [] }) => parts).find(({ subtask }) => subtask)?.subtask?.story ?? { entries: [] }
  expect(below(below(exported))).toMatchObject({ title: "bottom work" })
  expect(exported.files).toMatchObject([{ path: "deep.txt" }])
})

it("S24: a subtask that fails, and one that reaches a limit, are told to the parent, which goes on", async () => {
  const model = await scripted({
    top: [reply(delegate("sick work")), reply(delegate("endless work")), (request) => done(told(request).join("\n"))],
    sick: [reply(write("begun.txt")), refuse(401, "no key")],
    endless: Array.from({ length: 99 }, (_, at) => reply(write(`file${at}.txt`))),
  })
  const here = place()
  const run = await here.run(["top work", ...model.flags, "--limit", "turns=6"])
  const results = logsIn(here)[0]?.filter((event) => event.type === "call-finished" && event.tool === "new_task")
  expect(results, run.stdout + run.stderr).toMatchObject([{ result: "failed" }, { result: "failed" }])
  const text = JSON.stringify(results)
  expect(text).toMatch(/The subtask failed: .*What it changed so far stays/)
  expect(text).toMatch(/The subtask was stopped by a limit: /)
  expect(here.read("begun.txt")).toBe("x\n")
})

it("S24: an interrupt at the top stops the whole tree, nothing of it runs on, and it can be gone on with", async () => {
  let held = true
  const model = await scripted({
    top: [reply(delegate("one work"), delegate("two work")), (request) => done(told(request).join(" | "))],
    one: [reply(call("execute_command", { command: "sleep 30; echo late > late.txt" })), done("one done")],
    two: [() => (held ? bareReply(say("hm"), { hang: true }) : done("two done"))],
  })
  const here = place()
  const began = Date.now()
  const run = await here.run(["top work", ...model.flags, "--output-format", "stream-json"], {
    started(child) {
      let seen = ""
      child.stdout?.on("data", (text: Buffer) => {
        const before = seen.includes('"effect":"execute"')
        seen += text.toString()
        if (!before && seen.includes('"effect":"execute"')) setTimeout(() => child.kill("SIGINT"), 200)
      })
    },
  })
  expect(run.code, run.stderr).toBe(130)
  expect(Date.now() - began).toBeLessThan(20_000)
  expect(logsIn(here).map((events) => events.findLast(({ type }) => type === "task-finished"))).toMatchObject([
    { ending: { reason: "cancelled" } },
    { ending: { reason: "cancelled" } },
    { ending: { reason: "cancelled" } },
  ])
  held = false
  const again = await here.run(["--continue", "go on", ...model.flags])
  expect(again.code, again.stdout + again.stderr).toBe(0)
  expect(readdirSync(here.workspace)).toEqual([])
}, 40_000)

it("S24: a sibling's change is not overwritten unknowingly: the write is refused, with the sibling's name", async () => {
  const edit = (from: string, to: string) =>
    call("apply_diff", {
      path: "shared.txt",
      diff: `<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE`,
    })
  const model = await scripted({
    top: [reply(delegate("quick work"), delegate("slow work")), (request) => done(told(request).join("\n---\n"))],
    quick: [reply(call("read_file", { path: "shared.txt" })), reply(write("shared.txt", "by quick\n")), done("quick done")],
    slow: [
      reply(call("read_file", { path: "shared.txt" })),
      reply(pause(1500), edit("first", "by slow")),
      (request) => done(told(request).at(-1) ?? ""),
    ],
  })
  const here = place({ "shared.txt": "first\n" })
  const run = await here.run(["top work", ...model.flags])
  expect(run.code, run.stdout + run.stderr).toBe(0)
  expect(here.read("shared.txt")).toBe("by quick\n")
  const [quick = ""] = readdirSync(join(here.home, "tasks")).filter((id) =>
    JSON.stringify(readLog(join(here.home, "tasks", id, "log.jsonl")).events[1]).includes("quick work"),
  )
  expect(run.stdout).toContain(quick)
})

it("S24: a killed tree goes on as a whole, also when it is named by a subtask in it", async () => {
  let held = true
  const model = await scripted({
    top: [reply(delegate("child work")), (request) => done(`top heard: ${told(request).at(-1)}`)],
    child: [reply(write("child.txt")), () => (held ? bareReply(say("hm"), { hang: true }) : done("child done"))],
  })
  const here = place()
  const killed = await here.run(["top work", ...model.flags], {
    started(process) {
      const watch = setInterval(() => {
        if (model.requests.length < 3) return
        clearInterval(watch)
        process.kill("SIGKILL")
      }, 20)
    },
  })
  expect(killed.signal).toBe("SIGKILL")
  held = false
  const [, child = ""] = readdirSync(join(here.home, "tasks")).filter((name) => !name.startsWith("."))
  const run = await here.run(["resume", child, ...model.flags])
  expect(run.code, run.stdout + run.stderr).toBe(0)
  expect(run.stdout).toContain("top heard: child done")
  const effects = logsIn(here).flatMap((events) =>
    events.filter((event) => event.type === "call-started" && event.effect === "write"),
  )
  expect(effects).toHaveLength(1)
})

it("what a server asks of one of them holds for all: nobody calls again before the time it named", async () => {
  let refusedAt = 0
  const early: number[] = []
  const model = await startScriptedModel((request) => {
    const [name = ""] = textOf(request.messages[1]).split(/\W/)
    const since = Date.now() - refusedAt
    if (refusedAt > 0 && since < 1900) early.push(since)
    if (name === "top") return repliesSoFar(request) === 0 ? reply(delegate("one work"), delegate("two work")) : done("all")
    if (name === "one" && refusedAt === 0) {
      refusedAt = Date.now()
      return { ...refuse(429, "slow down"), headers: { "retry-after": "2" } }
    }
    if (name === "two" && repliesSoFar(request) < 3) return reply(pause(400), call("list_files", { path: "." }))
    return done(`${name} done`)
  })
  onTestFinished(() => model.close())
  const here = place()
  const run = await here.run(["top work", "--base-url", model.url, "--model", "m", "--yes"])
  expect(run.code, run.stdout + run.stderr).toBe(0)
  // The one that was on its way already may come; none that begins later does.
  expect(early.filter((since) => since > 300)).toEqual([])
}, 30_000)

it("a reply with very many subtasks: four work at a time, the others wait, and nothing is printed that is not for the person", async () => {
  const model = await startScriptedModel((request) => {
    const isTop = textOf(request.messages[1]).startsWith("top")
    if (!isTop) return reply(pause(150), call("attempt_completion", { result: "ok" }))
    return repliesSoFar(request) === 0 ? reply(...Array.from({ length: 14 }, (_, at) => delegate(`child ${at}`))) : done("all")
  })
  onTestFinished(() => model.close())
  const here = place()
  const run = await here.run(["top work", "--base-url", model.url, "--model", "m", "--yes"])
  expect(run.code, run.stdout + run.stderr).toBe(0)
  expect(run.stderr).toBe("")
  const spans = logsIn(here)
    .slice(1)
    .map((events) => ({ from: events[0]?.at ?? "", to: events.at(-1)?.at ?? "" }))
  expect(spans).toHaveLength(14)
  const atOnce = spans.map(({ from }) => spans.filter((other) => other.from <= from && other.to > from).length)
  expect(Math.max(...atOnce)).toBe(4)
}, 30_000)

it("S24: what was approved in one subtask is not broken off because another one asks", async () => {
  const model = await scripted({
    top: [reply(delegate("one work"), delegate("two work")), done("all done")],
    one: [reply(write("one.txt")), reply(say("A moment."), pause(300), write("more.txt")), done("one done")],
    two: [reply(write("two.txt")), done("two done")],
  })
  const here = place()
  const flags = model.flags.filter((flag) => flag !== "--yes")
  let run = await here.run(["top work", ...flags])
  for (let answers = 0; run.code === 3 && answers < 12; answers++) {
    const [, task = ""] = /joey approve (\S+),/.exec(run.stdout) ?? []
    run = await here.run(["approve", task, ...flags])
  }
  expect(run.code, run.stdout + run.stderr).toBe(0)
  expect(readdirSync(here.workspace).sort()).toEqual(["more.txt", "one.txt", "two.txt"])
  expect(
    logsIn(here).flatMap((events) => events.filter((event) => event.type === "call-finished" && event.result !== "done")),
  ).toEqual([])
}, 40_000)
