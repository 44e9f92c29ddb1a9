/**
 * Edits as a person meets them: the built command changes real files, is answered from other processes, and is killed in the
 * middle. What was not agreed to is not written, what somebody else wrote is not overwritten, and nothing stays half done.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, type Reply, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Finished, type Place, place } from "./joey.ts"

type Turn = Reply | (() => Reply)

/** One reply after the other, then the result; its place follows from the request, so that a resumed task is served too. */
async function modelThat(...turns: Turn[]) {
  const script = (request: ChatRequest) => {
    const turn = turns[repliesSoFar(request)] ?? reply(call("attempt_completion", { result: "All done." }))
    return typeof turn === "function" ? turn() : turn
  }
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  return { model, target: ["--base-url", model.url, "--model", "scripted"] }
}

const edit = (path: string, diff: string) => call("apply_diff", { path, diff })
const patch = (text: string) => call("apply_patch", { patch: `*** Begin Patch\n${text}*** End Patch\n` })
const block = (search: string, replace: string) => `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`

/** What the model was told of each call, by its key: `1.2` is the second call of the first turn. */
function told(here: Place): Record<string, { kind: string; text: string }> {
  return Object.fromEntries(
    here.log().flatMap((event) => {
      if (event.type !== "call-finished") return []
      const text = event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
      return [[event.callKey, { kind: event.result, text }]]
    }),
  )
}

function waitingTask({ stdout }: Finished): string {
  return /joey approve (\S+),/.exec(stdout)?.[1] ?? ""
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("")

describe("a change of which only some hunks are accepted", () => {
  it.each([
    ["UTF-8 with CRLF and a byte order mark", (text: string) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`)],
    ["Latin-1", (text: string) => Buffer.from(text.replace("line 20", "l\u00edne 20"), "latin1")],
    ["UTF-16", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ])("S28: keeps a file in %s as it is elsewhere, and the model is told what was refused", async (_, bytesOf) => {
    const diff = block("line 5", "line five") + block("line 25", "line twenty-five") + block("line 35", "line thirty-five")
    const { model, target } = await modelThat(reply(edit("a.txt", diff)))
    const here = place()
    writeFileSync(join(here.workspace, "a.txt"), bytesOf(numbered(40)))
    const asked = await here.run([...target, "go"])
    expect(asked.code, asked.stdout).toBe(3)
    const approved = await here.run(["approve", waitingTask(asked), "--hunks", "1,3", ...target])
    expect(approved.code, approved.stdout + approved.stderr).toBe(0)
    const wanted = bytesOf(numbered(40).replace("line 5\n", "line five\n").replace("line 35\n", "line thirty-five\n"))
    expect(readFileSync(join(here.workspace, "a.txt")).equals(wanted)).toBe(true)
    expect(told(here)["1.1"]?.text).toMatch(/accepted only a part[\s\S]*-line 25\r?\n\+line twenty-five/)
    expect(model.problems).toEqual([])
  })

  it("counts through all files of a patch: what is refused is not made, not changed and not deleted", async () => {
    const text = `*** Add File: new.txt\n+new\n*** Update File: a.txt\n@@\n-line 5\n+line five\n@@\n-line 35\n+line thirty-five\n*** Delete File: gone.txt\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-line 1\n+line one\n`
    const { target } = await modelThat(reply(patch(text)))
    const here = place({ "a.txt": numbered(40), "gone.txt": "still here\n", "b.txt": numbered(3) })
    const asked = await here.run([...target, "go"])
    const approved = await here.run(["approve", waitingTask(asked), "--hunks", "3,5", ...target])
    expect(approved.code, approved.stdout + approved.stderr).toBe(0)
    expect(readdirSync(here.workspace).sort()).toEqual(["a.txt", "c.txt", "gone.txt"])
    expect(here.read("a.txt")).toBe(numbered(40).replace("line 35\n", "line thirty-five\n"))
    expect(here.read("c.txt")).toBe(numbered(3).replace("line 1\n", "line one\n"))
    expect(told(here)["1.1"]?.text).toMatch(/accepted only a part/)
  })

  it("says in one line that there is no such hunk, and leaves the question open", async () => {
    const { target } = await modelThat(reply(edit("a.txt", block("line 5", "line five"))))
    const here = place({ "a.txt": numbered(9) })
    const asked = await here.run([...target, "go"])
    const wrong = await here.run(["approve", waitingTask(asked), "--hunks", "2", ...target])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toMatch(/^joey: [^\n]*1[^\n]*\n$/)
    expect(here.read("a.txt")).toBe(numbered(9))
    expect((await here.run(["approve"])).stdout).toContain(waitingTask(asked))
  })
})

describe("an approval", () => {
  it("does not hold once it has expired, nor for a change that would look different now: it is asked again", async () => {
    const { target } = await modelThat(reply(edit("a.txt", block("line 5", "line five"))))
    const here = place({ "a.txt": numbered(9) })
    const asked = await here.run([...target, "go"])
    const task = waitingTask(asked)
    const log = join(here.home, "tasks", task, "log.jsonl")
    writeFileSync(log, readFileSync(log, "utf8").replace(/"expiresAt":"[^"]*"/, '"expiresAt":"2020-01-01T00:00:00.000Z"'))
    const late = await here.run(["approve", task, ...target])
    expect(late).toMatchObject({ code: 2, stderr: expect.stringMatching(/^joey: [^\n]*expired[^\n]*\n$/) })
    const again = await here.run([...target, "--continue"])
    expect(again.code, again.stdout).toBe(3)
    expect((await here.run(["approve", task, "--later"])).code).toBe(0)
    here.write("a.txt", `first\n${numbered(9)}`) // by the person, after they agreed
    const changed = await here.run([...target, "--continue"])
    expect(changed.code, changed.stdout).toBe(3)
    expect(here.read("a.txt")).toBe(`first\n${numbered(9)}`)
    const done = await here.run(["approve", task, ...target])
    expect(done.code, done.stdout).toBe(0)
    expect(here.read("a.txt")).toBe(`first\n${numbered(9).replace("line 5", "line five")}`)
    expect(here.log().filter(({ type }) => type === "call-started")).toHaveLength(2)
  })

  it("survives kill -9 while it waits, is answered by another process, and the call runs once", async () => {
    const { target } = await modelThat(() => reply({ pause: 200 }, call("write_to_file", { path: "a.txt", content: "x\n" })))
    const here = place()
    const env = { KILL_AT: JSON.stringify({ type: "asked", when: "after" }) }
    const killer = ["--import", new URL("./kill-at.mjs", import.meta.url).pathname]
    expect((await here.run([...target, "go"], { node: killer, env })).signal).toBe("SIGKILL")
    const [task = ""] = readdirSync(join(here.home, "tasks"))
    expect((await here.run(["approve"])).stdout).toContain(task)
    const approved = await here.run(["approve", task, ...target])
    expect(approved.code, approved.stdout + approved.stderr).toBe(0)
    expect(here.read("a.txt")).toBe("x\n")
    expect(here.log().filter(({ type }) => type === "answered")).toHaveLength(2)
  })

  it.each([
    ["a rule denies", { permissions: { deny: ["Edit(./locked/**)"] } }, "Edit(./locked/**)"],
    [
      "a hook blocks",
      { hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ command: "! grep locked || { echo not there >&2; exit 2; }" }] }] } },
      "not there",
    ],
  ])("with a changed call passes the gates again: what %s stays so", async (_, settings, words) => {
    const { target } = await modelThat(reply(call("write_to_file", { path: "a.txt", content: "x\n" })))
    const here = place()
    mkdirSync(here.home)
    writeFileSync(join(here.home, "settings.json"), JSON.stringify(settings))
    const asked = await here.run([...target, "go"])
    const input = JSON.stringify({ path: "locked/a.txt", content: "x\n" })
    const approved = await here.run(["approve", waitingTask(asked), "--input", input, ...target])
    expect(approved.code, approved.stdout).toBe(0)
    expect(told(here)["1.1"]).toMatchObject({ kind: "denied", text: expect.stringContaining(words) })
    expect(readdirSync(here.workspace)).toEqual([])
  })
})

describe("a file that somebody changed since the model read it", () => {
  it("is not overwritten: the model gets the difference, and its repeated edit works; also after a restart", async () => {
    const here = place({ "a.txt": numbered(9), "b.txt": numbered(9) })
    const both = () =>
      reply(edit("a.txt", block("line 5", "line five")), call("write_to_file", { path: "b.txt", content: "b\n" }))
    const { target } = await modelThat(
      reply(call("read_file", { path: "a.txt" }), call("read_file", { path: "b.txt" })),
      () => {
        here.write("a.txt", numbered(9).replace("line 1\n", "LINE 1\n"))
        here.write("b.txt", "somebody's\n")
        return both()
      },
      both(),
    )
    const { code, stdout } = await here.run([...target, "--yes", "go"])
    expect(code, stdout).toBe(0)
    const results = told(here)
    expect(results["2.1"]).toMatchObject({
      kind: "failed",
      text: expect.stringMatching(/has changed since[\s\S]*-line 1\n\+LINE 1/),
    })
    expect(results["2.2"]).toMatchObject({ kind: "failed", text: expect.stringContaining("+somebody's") })
    expect(here.read("a.txt")).toBe(numbered(9).replace("line 1\n", "LINE 1\n").replace("line 5", "line five"))
    expect(here.read("b.txt")).toBe("b\n")

    const later = place({ "a.txt": numbered(9) })
    const again = await modelThat(reply(call("read_file", { path: "a.txt" })), reply(edit("a.txt", block("line 5", "line five"))))
    const env = { KILL_AT: JSON.stringify({ type: "turn-started", nth: 2, when: "after" }) }
    const killer = ["--import", new URL("./kill-at.mjs", import.meta.url).pathname]
    expect((await later.run([...again.target, "--yes", "go"], { node: killer, env })).signal).toBe("SIGKILL")
    later.write("a.txt", "somebody's\nline 5\n")
    await later.run([...again.target, "--yes", "--continue"])
    expect(told(later)["3.1"]).toMatchObject({ kind: "failed", text: expect.stringContaining("Read it again") })
    expect(later.read("a.txt")).toBe("somebody's\nline 5\n")
  })
})

describe("files as they were", () => {
  it("S31: every edit tool keeps line ends, byte order mark, a missing last line end, mode bits and links, and `$` is a letter", async () => {
    const windows = "\ufeffone\r\ntwo\r\nthree"
    const here = place({ "w.txt": windows, "run.sh": "#!/bin/sh\necho one\n", "mixed.txt": "a\r\nb\nc\r\n", "p.txt": "price\n" })
    chmodSync(join(here.workspace, "run.sh"), 0o755)
    symlinkSync("run.sh", join(here.workspace, "link.sh"))
    const { target } = await modelThat(
      reply(
        edit("w.txt", block("two", "zwei\nzwo")),
        call("search_and_replace", { path: "link.sh", operations: [{ search: "one", replace: "two" }] }),
        call("search_replace", { file_path: "mixed.txt", old_string: "b", new_string: "B" }),
        call("edit_file", { file_path: "p.txt", old_string: "price", new_string: "$& $1 $$ $`" }),
        call("write_to_file", { path: "w2/deep/new.txt", file_text: "made\n" }),
        edit("run.sh", "--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo two\n+echo three\n"),
        patch("*** Update File: w.txt\n@@\n-three\n+drei\n"),
      ),
    )
    const { code, stdout } = await here.run([...target, "--yes", "go"])
    expect(code, stdout + JSON.stringify(told(here), null, 1)).toBe(0)
    expect(Object.values(told(here)).map(({ kind }) => kind)).toEqual(Array(8).fill("done"))
    expect(here.read("w.txt")).toBe("\ufeffone\r\nzwei\r\nzwo\r\ndrei")
    expect(here.read("mixed.txt")).toBe("a\r\nB\nc\r\n")
    expect(here.read("p.txt")).toBe("$& $1 $$ $`\n")
    expect(here.read("run.sh")).toBe("#!/bin/sh\necho three\n")
    expect(statSync(join(here.workspace, "run.sh")).mode & 0o777).toBe(0o755)
    expect(lstatSync(join(here.workspace, "link.sh")).isSymbolicLink()).toBe(true)
    expect(here.read("w2/deep/new.txt")).toBe("made\n")
    expect(told(here)["1.1"]?.text).toContain("now lines 2-3")
  })

  it("stay so where an edit is not exact: candidates, the nearest place and what is different are told", async () => {
    const here = place({ "a.ts": "function alpha() {\n  return 1\n}\nfunction beta() {\n  return 1\n}\n" })
    const { target } = await modelThat(
      reply(
        edit("a.ts", block("  return 1", "  return 2")),
        edit("a.ts", block("function alfa() {\n  return 1", "function alfa() {\n  return 2")),
        edit("a.ts", block("function beta() {", "function gamma() {") + block("nowhere to be found at all", "x")),
        patch("*** Update File: a.ts\n@@\n-function delta() {\n+function epsilon() {\n*** Add File: b.ts\n+b\n"),
      ),
    )
    await here.run([...target, "--yes", "--limit", "mistakes=9", "go"])
    const results = told(here)
    expect(results["1.1"]).toMatchObject({ kind: "failed", text: expect.stringMatching(/\b2\b[\s\S]*\b5\b/) })
    expect(results["1.2"]).toMatchObject({ kind: "failed", text: expect.stringMatching(/\d+ ?%[\s\S]*alpha/) })
    expect(results["1.3"]).toMatchObject({ kind: "done", text: expect.stringContaining("1 of 2 blocks") })
    expect(results["1.4"]).toMatchObject({ kind: "failed", text: expect.stringContaining("no file was changed") })
    expect(readdirSync(here.workspace)).toEqual(["a.ts"])
    expect(here.read("a.ts")).toContain("function gamma() {")
  })
})

describe("a patch of many files that is killed in the middle", () => {
  it("is put back when the task goes on: no file is changed, none is left over, and the model is told", async () => {
    const names = Array.from({ length: 150 }, (_, at) => `f${String(at).padStart(3, "0")}.txt`)
    const text = names.map((name) => `*** Update File: ${name}\n@@\n-old\n+new\n`).join("")
    const { model, target } = await modelThat(
      reply(patch(`${text}*** Add File: deep/added.txt\n+added\n*** Delete File: gone.txt\n`)),
    )
    const here = place({ ...Object.fromEntries(names.map((name) => [name, "old\n"])), "gone.txt": "here\n" })
    const killed = await here.run([...target, "--yes", "go"], {
      async started(child) {
        while (child.exitCode === null && here.read(names[20] ?? "") === "old\n") await sleep(1)
        child.kill("SIGKILL")
      },
    })
    expect(killed.signal, killed.stdout).toBe("SIGKILL")
    const changed = names.filter((name) => here.read(name) === "new\n")
    expect(changed.length).toBeGreaterThan(20)
    expect(changed.length).toBeLessThan(names.length)
    here.write(names[0] ?? "", "by a person, meanwhile\n")
    const resumed = await here.run([...target, "--yes", "--continue"])
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    expect(names.slice(1).filter((name) => here.read(name) !== "old\n")).toEqual([])
    expect(here.read(names[0] ?? "")).toBe("by a person, meanwhile\n")
    expect(readdirSync(here.workspace).sort()).toEqual([...names, "gone.txt"].sort())
    expect(told(here)["1.1"]).toMatchObject({ kind: "interrupted", text: expect.stringContaining("put back") })
    expect(model.problems).toEqual([])
  })
})
