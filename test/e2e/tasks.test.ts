/** Finding a task again, going on with it, and taking it elsewhere: the built command on real tasks. */
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { answeredCalls, type ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Place, place } from "./joey.ts"

const KEY = "quiet-meadow-under-seven-bridges"

/** Writes a file, then hands in. */
function script(request: ChatRequest) {
  return answeredCalls(request).length === 0
    ? reply(say("I write <b>it</b> down."), call("write_to_file", { path: "notes/garden.txt", content: `roses\n${KEY}\n` }))
    : reply(call("attempt_completion", { result: "The garden is **noted**." }))
}

async function worked(here: Place, words: string, ...more: string[]): Promise<string> {
  const model = await startScriptedModel(script)
  const run = await here.run(["--base-url", model.url, "--model", "scripted", "--output-format", "json", ...more, words])
  await model.close()
  return JSON.parse(run.stdout.trim().split("\n").at(-1) ?? "{}").task
}

describe("joey tasks", () => {
  it("lists this folder's tasks, newest first, with what became of them, and finds words and files in them", async () => {
    const here = place()
    const first = await worked(here, "note the garden", "--yes")
    const second = await worked(here, "something that waits")
    const { stdout, code } = await here.run(["tasks"])
    expect(code).toBe(0)
    const lines = stdout.split("\n")
    expect(lines[0]).toMatch(
      new RegExp(`^${second}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  .*waits for an answer  code · custom/scripted$`),
    )
    expect(lines[1]).toBe("  something that waits")
    expect(lines[2]).toMatch(new RegExp(`^${first} .*accepted  code · custom/scripted$`))
    expect((await here.run(["tasks", "notes/garden"])).stdout).toContain(first)
    expect((await here.run(["tasks", "roses"])).stdout).toBe(
      "No task of this folder holds roses. joey tasks --all looks in every folder.\n",
    )
    const listed = JSON.parse((await here.run(["tasks", "--output-format", "json"])).stdout)
    expect(listed).toMatchObject({ v: 1, type: "tasks", tasks: [{ id: second }, { id: first, title: "note the garden" }] })
    expect((await here.run(["tasks", "--count", "1"])).stdout).toContain("… 1 older task; --count N shows more")
  })

  it("says that there is none, keeps to the folder unless told otherwise, and names what cannot be read", async () => {
    const here = place()
    expect((await here.run(["tasks"])).stdout).toBe("There is no task here yet. joey tasks --all looks in every folder.\n")
    const task = await worked(here, "note the garden", "--yes")
    mkdirSync(join(here.home, "tasks", "20200101-damaged"))
    writeFileSync(join(here.home, "tasks", "20200101-damaged", "log.jsonl"), "no log\n")
    mkdirSync(join(here.workspace, "below"))
    const below = ["--workspace", "below"]
    expect((await here.run(["tasks", ...below])).stdout).not.toContain(task)
    const { stdout } = await here.run(["tasks", "--all", ...below])
    expect(stdout).toContain(`  ${here.workspace}\n`)
    expect(stdout).toMatch(/1 task cannot be read, left as found:\n {2}20200101-damaged: /)
    expect(readFileSync(join(here.home, "tasks", "20200101-damaged", "log.jsonl"), "utf8")).toBe("no log\n")
  })
})

describe("joey resume", () => {
  it("goes on with the latest, or with the one whose id ends so, from any folder", async () => {
    const here = place()
    const task = await worked(here, "note the garden", "--yes")
    const model = await startScriptedModel(() => reply(call("attempt_completion", { result: "Still noted." })))
    const target = ["--base-url", model.url, "--model", "scripted", "--yes"]
    const latest = await here.run(["resume", ...target])
    mkdirSync(join(here.workspace, "elsewhere"))
    const named = await here.run(["resume", task.slice(-6), "check it again", ...target])
    await model.close()
    expect(latest.code, latest.stdout + latest.stderr).toBe(0)
    expect(named.code, named.stdout + named.stderr).toBe(0)
    expect(named.stdout).toContain("Still noted.")
    expect(here.log().some((event) => event.type === "said" && JSON.stringify(event).includes("check it again"))).toBe(true)
    expect(readdirSync(join(here.home, "tasks"))).toEqual([task])
  })
})

describe("joey export", () => {
  it("makes a page, Markdown or JSON, without keys, where it is told to", async () => {
    const here = place()
    const env = { MY_API_KEY: KEY }
    const task = await worked(here, "note the garden", "--yes")
    const page = await here.run(["export"], { env })
    expect(page).toMatchObject({ code: 0, stdout: `${join(here.workspace, `joey-${task}.html`)}\n` })
    const html = here.read(`joey-${task}.html`)
    expect(html).toContain("<h1>note the garden</h1>")
    expect(html).toContain("I write &lt;b&gt;it&lt;/b&gt; down.")
    expect(html).toContain("roses")
    const markdown = await here.run(["export", task.slice(-6), "--md", "--output", "-"], { env })
    expect(markdown.stdout).toMatch(/^# note the garden\n/)
    await here.run(["export", "--output", "task.json"], { env })
    expect(JSON.parse(here.read("task.json"))).toMatchObject({ v: 1, type: "task", task })
    for (const text of [html, markdown.stdout, here.read("task.json")]) expect(text).not.toContain(KEY)
  })
})

describe("joey demo", () => {
  it("ends with the link to its page", async () => {
    const { stdout } = await place().run(["demo"])
    const [, link = ""] = /^The whole task as a page: (file:\S+)$/m.exec(stdout) ?? []
    const page = readFileSync(new URL(link), "utf8")
    expect(page).toContain("<h1>One test of this project fails.")
    expect(page).toMatch(/<tr class="add">.*count &gt;<mark>=<\/mark> ENOUGH/)
  })
})

describe("joey report", () => {
  it("packs journal, settings, versions and defects, without keys, for its owner only", async () => {
    const here = place()
    const task = await worked(here, "note the garden", "--yes")
    appendFileSync(join(here.home, "defects.log"), `Error: ${KEY}\n    at somewhere\n`)
    const { code, stdout } = await here.run(["report"], { env: { MY_API_KEY: KEY } })
    const path = join(here.workspace, `joey-report-${task}.tar.gz`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${path}\n` })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    execFileSync("tar", ["xzf", path], { cwd: here.workspace })
    const folder = `joey-report-${task}`
    expect(readdirSync(join(here.workspace, folder)).sort()).toEqual([
      "about.json",
      "defects.log",
      "frames.txt",
      "log.jsonl",
      "settings.json",
    ])
    expect(here.read(`${folder}/frames.txt`)).toMatch(/^@@ \S+Z, \d+ bytes\ndata: \{/)
    expect(here.read(`${folder}/frames.txt`)).not.toContain(KEY.slice(0, 12))
    expect(JSON.parse(here.read(`${folder}/about.json`))).toMatchObject({
      task,
      node: process.version,
      variablesSet: expect.arrayContaining(["MY_API_KEY"]),
    })
    expect(here.read(`${folder}/log.jsonl`)).toContain("note the garden")
    for (const name of readdirSync(join(here.workspace, folder))) expect(here.read(`${folder}/${name}`)).not.toContain(KEY)
  })

  it("is made without a task, and of one whose log is damaged", async () => {
    const here = place()
    expect((await here.run(["report"])).stdout).toMatch(/joey-report-settings\.tar\.gz\n$/)
    mkdirSync(join(here.home, "tasks", "20200101-damaged"), { recursive: true })
    writeFileSync(join(here.home, "tasks", "20200101-damaged", "log.jsonl"), "no log\n")
    expect((await here.run(["report", "damaged"])).code).toBe(0)
    expect(existsSync(join(here.workspace, "joey-report-20200101-damaged.tar.gz"))).toBe(true)
  })
})

describe("what cannot be done", () => {
  it.each([
    [["export", "nobody"], 2, /^joey: There is no task "nobody"; joey tasks --all lists them\.\n$/],
    [["export"], 2, /^joey: There is no task of \S+; joey tasks --all lists those of other folders\.\n$/],
    [["resume", "nobody"], 2, /^joey: There is no task "nobody"/],
    [["resume"], 2, /^joey: There is no task of /],
    [["report", "nobody"], 2, /^joey: There is no task "nobody"/],
    [["export", "a", "b"], 2, /^joey: joey export takes one task/],
    [["export", "--html", "--md", "damaged"], 2, /^joey: --html and --md exclude each other/],
    [["export", "damaged"], 1, /^joey: The task's log is damaged at line 1: \S+ It was left as it is\.\n$/],
    [["report", "--output", "none/x.gz"], 2, /^joey: \S+ cannot be written \(its folder does not exist\); choose another place/],
    [["tasks", "--count", "few"], 2, /^joey: --count few: write a number above 0\.\n$/],
    [["tasks", "--workspace", "none"], 2, /^joey: The folder \S+ does not exist/],
  ])("joey %j is said in one line", async (args, code, line) => {
    const here = place()
    mkdirSync(join(here.home, "tasks", "20200101-damaged"), { recursive: true })
    writeFileSync(join(here.home, "tasks", "20200101-damaged", "log.jsonl"), "no log\n")
    const run = await here.run(args)
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: "" })
    expect(run.stderr).toMatch(line)
  })

  it.skipIf(process.getuid?.() === 0)("writing where nobody may is said in one line (skipped for root, who may)", async () => {
    const here = place()
    await worked(here, "note the garden", "--yes")
    chmodSync(here.workspace, 0o500)
    const run = await here.run(["export"])
    chmodSync(here.workspace, 0o700)
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written (no permission)") })
  })
})
