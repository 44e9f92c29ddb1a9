/** What is left of tasks on the disk, through the built command: found, reported, exported, whatever was killed, damaged or lost. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { bareReply, call, type Reply, refuse, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Finished, type Place, place } from "./joey.ts"

const done = (result: string) => reply(call("attempt_completion", { result }))

interface World extends Place {
  requests: readonly ChatRequest[]
  flags: string[]
  joey(...args: string[]): Promise<Finished>
  tasks(): string[]
  folder(task: string): string
}

async function world(script: (request: ChatRequest) => Reply): Promise<World> {
  const here = place()
  mkdirSync(here.home, { recursive: true })
  writeFileSync(join(here.home, "settings.json"), JSON.stringify({ models: { m: { window: 1_000_000 } } }))
  const model = await startScriptedModel(script)
  onTestFinished(async () => {
    await model.close()
    expect(model.problems).toEqual([])
  })
  const flags = ["--base-url", model.url, "--model", "m", "--yes"]
  return {
    ...here,
    requests: model.requests,
    flags,
    joey: (...args) => here.run([...args, ...flags]),
    tasks: () => readdirSync(join(here.home, "tasks")).filter((name) => !name.startsWith(".")),
    folder: (task) => join(here.home, "tasks", task),
  }
}

/** Writes the file that it is told, then hands in. */
function writer(request: ChatRequest): Reply {
  const words = request.messages.filter(({ role }) => role === "user").map((message) => textOf(message).split("\n")[0] ?? "")
  const last = words.at(-1) ?? ""
  return request.messages.at(-1)?.role === "user"
    ? reply(call("write_to_file", { path: `${last.split(" ").at(-1)}.txt`, content: "x\n" }))
    : done(`Wrote ${last}.`)
}

describe("the list of tasks", () => {
  it("finds words, files and results, and makes itself anew when its cache is gone or broken", async () => {
    const here = await world(writer)
    await here.joey("plant some roses")
    await here.joey("water the tulips")
    const find = async (...words: string[]) => (await here.run(["tasks", ...words])).stdout.match(/^\d{8}\S+/gm) ?? []
    const [first = "", second = ""] = here.tasks()
    const looks = async () => {
      expect(await find("roses.txt")).toEqual([first])
      expect(await find()).toEqual([second, first])
    }
    await looks()
    expect(await find("WATER", "tul")).toEqual([second])
    expect(await find("nothing-like-it")).toEqual([])
    const caches = readdirSync(here.home).filter((name) => name.startsWith("tasks.sqlite"))
    expect(caches.length).toBeGreaterThan(0)
    for (const name of caches) rmSync(join(here.home, name))
    await looks()
    writeFileSync(join(here.home, "tasks.sqlite"), "this is no database at all ".repeat(200))
    await looks()
    rmSync(here.folder(first), { recursive: true })
    expect(await find()).toEqual([second])
  }, 60_000)

  it("a task goes on after it was completed, as often as one likes", async () => {
    const here = await world(writer)
    await here.joey("make one")
    expect((await here.joey("resume", "then two")).code).toBe(2) // no task has this name
    expect((await here.joey("--continue", "then two")).code).toBe(0)
    const [task = ""] = here.tasks()
    expect((await here.joey("resume", task, "then three")).stdout).toContain("Wrote then three.")
    expect(readdirSync(here.workspace).sort()).toEqual(["one.txt", "three.txt", "two.txt"])
    expect(here.tasks()).toEqual([task])
  })
})

it("a task that was taken back waits for words, and says so in one line", async () => {
  const here = await world(writer)
  await here.joey("make one")
  await here.joey("--continue", "then two")
  for (const message of ["2", "1"]) {
    expect((await here.run(["rewind", "--to", message])).code).toBe(0)
    const asked = here.requests.length
    const run = await here.joey("--continue")
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^joey: Task \S+ was taken back; say how to go on: [^\n]+\n$/),
    })
    expect(here.requests).toHaveLength(asked)
  }
  expect((await here.joey("--continue", "make three")).code).toBe(0)
  expect(readdirSync(here.workspace)).toContain("three.txt")
})

describe("one writer", () => {
  it("a second process is refused in one line while the first lives, and goes on at once when that was killed", async () => {
    let held = true
    const here = await world((request) => (held ? bareReply(say("hm"), { hang: true }) : writer(request)))
    let second: Promise<Finished> | undefined
    const first = await here.run(["make one", ...here.flags], {
      started(child) {
        const watch = setInterval(() => {
          if (here.requests.length === 0) return
          clearInterval(watch)
          second = here.joey("--continue", "me too").finally(() => child.kill("SIGKILL"))
        }, 20)
      },
    })
    expect(first.signal).toBe("SIGKILL")
    expect(await second).toMatchObject({ stderr: expect.stringMatching(/^joey: Task \S+ is open in another process [^\n]+\n$/) })
    held = false
    const again = await here.joey("--continue")
    expect(again.code, again.stdout + again.stderr).toBe(0)
    expect(readdirSync(here.workspace)).toEqual(["one.txt"])
  }, 30_000)
})

describe("a report", () => {
  it("has the journals of the subtasks, and the last raw frames of a server that went wrong", async () => {
    const here = await world((request) => {
      const [name = ""] = textOf(request.messages[1]).split(/\W/)
      if (name === "child") return repliesSoFar(request) === 0 ? reply(say("child was here")) : done("x")
      if (repliesSoFar(request) === 0) return reply(call("new_task", { mode: "code", message: "child work" }))
      return refuse(400, "this-is-what-the-server-said")
    })
    const run = await here.joey("top work")
    expect(run.code).toBe(1)
    const [top = "", child = ""] = here.tasks()
    expect((await here.run(["report", top])).code).toBe(0)
    execFileSync("tar", ["xzf", `joey-report-${top}.tar.gz`], { cwd: here.workspace })
    const files = readdirSync(join(here.workspace, `joey-report-${top}`))
    expect(files).toEqual(
      expect.arrayContaining(["log.jsonl", "settings.json", "about.json", "frames.txt", `subtask-${child}.jsonl`]),
    )
    expect(here.read(`joey-report-${top}/subtask-${child}.jsonl`)).toContain("child was here")
    expect(here.read(`joey-report-${top}/frames.txt`)).toContain("this-is-what-the-server-said")
  })
})

describe("a damaged task", () => {
  it("in quarantine is exported as far as it can be read, and the page says where that ends", async () => {
    const here = await world(writer)
    await here.joey("make one")
    const [task = ""] = here.tasks()
    const log = join(here.folder(task), "log.jsonl")
    const lines = readFileSync(log, "utf8").split("\n")
    writeFileSync(log, lines.toSpliced(-3, 1, '{"seq":').join("\n"))
    expect((await here.joey("resume", task, "go on")).code).toBe(1)
    expect(here.tasks()).toEqual([])
    const run = await here.run(["export", task, "--md"])
    expect(run.code).toBe(1)
    expect(run.stderr).toMatch(/^joey: The task's log is damaged at line \d+: [^\n]*quarantine[^\n]*\n$/)
    const page = here.read(`joey-${task}.md`)
    expect(page).toContain("# make one")
    expect(page).toMatch(/\*The task's log is damaged at line \d+; nothing behind it could be read\*/)
    expect((await here.run(["report", task])).code).toBe(0)
  })

  it("whose last line was torn loses that line only, says so, and goes on; a large text that is gone is told in its place", async () => {
    const here = await world((request) => {
      const content = "a long line\n".repeat(5000)
      return repliesSoFar(request) === 0 ? reply(call("write_to_file", { path: "long.txt", content })) : done("Written.")
    })
    expect((await here.joey("write much")).code).toBe(0)
    const [task = ""] = here.tasks()
    const log = join(here.folder(task), "log.jsonl")
    writeFileSync(log, `${readFileSync(log, "utf8")}{"seq":99,"type":"not`)
    const again = await here.joey("resume", task, "and again")
    expect(again.code, again.stderr).toBe(0)
    expect(again.stdout).toContain("torn")
    expect(readdirSync(join(here.folder(task), "blobs"))).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
    rmSync(join(here.folder(task), "blobs"), { recursive: true })
    const page = await here.run(["export", "--json", "--output", "-"])
    expect(page.code).toBe(0)
    expect(page.stdout).toMatch(/This text of \d+ bytes is gone/)
    const last = await here.joey("resume", task, "once more")
    expect(last.code, last.stderr).toBe(0)
    expect(last.stdout).toMatch(/1 large text/)
  })
})
