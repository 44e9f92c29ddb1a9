/** Going back in a task, copying it, and a task that is damaged: the built command on real tasks. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type ChatRequest, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Finished, type Place, place } from "./joey.ts"

interface World extends Place {
  model: ScriptedModel
  joey(...args: string[]): Promise<Finished>
  /** What the person has said, as the model last heard it. */
  heard(): string[]
  tasks(): string[]
}

/** Leaves a line for each message of the person, then hands in. */
function script({ messages }: ChatRequest) {
  const said = messages.filter(({ role }) => role === "user").length
  return messages.at(-1)?.role === "user"
    ? reply(call("execute_command", { command: `echo ${said} >> effects.txt` }))
    : reply(call("attempt_completion", { result: `Done ${said}.` }))
}

async function world(): Promise<World> {
  const here = place()
  const model = await startScriptedModel(script)
  const target = ["--base-url", model.url, "--model", "scripted", "--yes"]
  return {
    ...here,
    model,
    joey: (...args) => here.run([...args, ...target]),
    heard: () =>
      (model.requests.at(-1)?.messages ?? [])
        .filter(({ role }) => role === "user")
        .map((message) => textOf(message).split("\n")[0] ?? ""),
    tasks: () => readdirSync(join(here.home, "tasks")),
  }
}

async function afterTwoMessages(): Promise<World> {
  const here = await world()
  expect((await here.joey("first thing")).code).toBe(0)
  expect((await here.joey("--continue", "second thing")).code).toBe(0)
  return here
}

describe("joey rewind", () => {
  it("numbers the person's messages, takes one back with all that followed, and goes on with other words", async () => {
    const here = await afterTwoMessages()
    const [task = ""] = here.tasks()
    const listed = await here.run(["rewind", "--list"])
    expect(listed.stdout).toMatch(/^1 {2}\S+Z {2}first thing\n2 {2}\S+Z {2}second thing\n$/)
    const went = await here.joey("rewind", task, "--to", "2", "--say", "better thing")
    expect(went.stderr).toBe("")
    expect(went.code, went.stdout).toBe(0)
    expect(here.heard()).toEqual(["first thing", "better thing"])
    expect(here.read("effects.txt")).toBe("1\n2\n2\n")
    expect((await here.run(["rewind"])).stdout).toContain("2  ")
    expect((await here.run(["rewind", "--list"])).stdout).not.toContain("second thing")
    expect((await here.run(["log"])).stdout).toContain("second thing")
    await here.model.close()
    expect(here.model.problems).toEqual([])
  })

  it("without words only takes back, and the next words go on from there; what makes no sense is one line", async () => {
    const here = await afterTwoMessages()
    const [task = ""] = here.tasks()
    expect((await here.run(["rewind", "--to", "1"])).stdout).toMatch(
      /^Taken back: message 1 .*joey resume \S+ "WORDS" goes on\.\n$/,
    )
    expect((await here.joey("resume", task, "all anew")).code).toBe(0)
    expect(here.heard()).toEqual(["all anew"])
    for (const args of [
      ["--to", "9"],
      ["--to", "x"],
      ["--say", "no number"],
      [task, "too", "much"],
    ]) {
      const { code, stderr } = await here.run(["rewind", ...args])
      expect(code).toBe(2)
      expect(stderr).toMatch(/^joey: [^\n]+\n$/)
    }
    await here.model.close()
  })
})

describe("joey fork", () => {
  it("copies a task up to before a message and goes on with other words; the other task stays as it is", async () => {
    const here = await afterTwoMessages()
    const [source = ""] = here.tasks()
    const log = join(here.home, "tasks", source, "log.jsonl")
    const before = readFileSync(log)
    expect((await here.joey("fork", source, "--at", "2", "another way")).code).toBe(0)
    expect(here.heard()).toEqual(["first thing", "another way"])
    expect(readFileSync(log)).toEqual(before)
    expect(here.tasks()).toHaveLength(2)
    const { stdout } = await here.run(["tasks"])
    expect(stdout).toContain(`  a copy of ${source}\n`)
    const spent = readFileSync(join(here.home, "usage", readdirSync(join(here.home, "usage"))[0] ?? ""), "utf8")
    expect(spent.trim().split("\n")).toHaveLength(here.model.requests.length)
    await here.model.close()
  })

  it("without words says which task it made", async () => {
    const here = await afterTwoMessages()
    const [source] = here.tasks()
    const made = (await here.run(["fork"])).stdout.trim()
    expect(here.tasks()).toEqual([source, made])
    expect((await here.joey("resume", made, "third thing")).code).toBe(0)
    expect(here.heard()).toEqual(["first thing", "second thing", "third thing"])
    await here.model.close()
  })
})

describe("a damaged task", () => {
  it("is moved aside when it is opened, can still be looked at, and its sound part can be gone on with", async () => {
    const here = await afterTwoMessages()
    const [task = ""] = here.tasks()
    const log = join(here.home, "tasks", task, "log.jsonl")
    const lines = readFileSync(log, "utf8").split("\n")
    const second = lines.findIndex((line) => line.includes("second thing"))
    writeFileSync(log, lines.toSpliced(second + 2, 1, '{"seq":half').join("\n"))
    expect((await here.run(["tasks"])).stdout).toContain(task)
    expect(here.tasks()).toEqual([task])
    const opened = await here.joey("resume", task, "go on")
    expect(opened.code).toBe(1)
    expect(opened.stderr).toMatch(
      new RegExp(`^joey: The log of task ${task} is damaged at line ${second + 3}\\. [^\\n]*joey fork ${task}[^\\n]*\\n$`),
    )
    expect(here.tasks()).toEqual([])
    expect(existsSync(join(here.home, "quarantine", task, "note.txt"))).toBe(true)
    expect((await here.joey("resume", task)).stderr).toMatch(/^joey: Task \S+ was damaged and is kept in [^\n]+\n$/)
    const shown = await here.run(["log", task])
    expect(shown.stdout).toContain("second thing")
    expect(shown.stderr).toMatch(/damaged at line/)
    const forked = await here.joey("fork", task, "go on with it")
    expect(forked.code, forked.stderr).toBe(0)
    const heard = JSON.stringify(here.model.requests.at(-1)?.messages)
    for (const words of ["first thing", "second thing", "go on with it"]) expect(heard).toContain(words)
    await here.model.close()
  })
})
