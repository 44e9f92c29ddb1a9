/** Undo as a person uses it: the built command, a real task against a scripted model, real files. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, readdirSync, readlinkSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { answeredCalls, type ChatRequest } from "../../src/scripted-model/chat-request.ts"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Place, place } from "./joey.ts"

const CALLS = [
  call("write_to_file", { path: "src/a.txt", content: "agent's\n" }),
  call("write_to_file", { path: "made.txt", content: "made\n" }),
  call("execute_command", { command: "rm precious.txt && echo by command > src/a.txt" }),
]

function script(request: ChatRequest) {
  const next = CALLS[answeredCalls(request).length]
  return reply(...(next ? [next] : [say("Done."), call("attempt_completion", { result: "All done." })]))
}

/** The model makes these calls one after the other. */
async function modelFor(calls: readonly ReturnType<typeof call>[]) {
  const model = await startScriptedModel((request: ChatRequest) => {
    const next = calls[answeredCalls(request).length]
    return reply(next ?? call("attempt_completion", { result: "All done." }))
  })
  onTestFinished(() => model.close())
  return ["--base-url", model.url, "--model", "scripted", "--yes"]
}

async function worked(files: Record<string, string> = {}): Promise<{ here: Place; target: string[]; heard(): string }> {
  const bodies: string[] = []
  const model = await startScriptedModel((request: ChatRequest) => {
    bodies.push(JSON.stringify(request))
    return script(request)
  })
  const here = place({ "src/a.txt": "original\n", "precious.txt": "precious\n", ...files })
  const target = ["--base-url", model.url, "--model", "scripted", "--yes"]
  const ran = await here.run([...target, "change things"])
  expect(ran.code, ran.stderr + ran.stdout).toBe(0)
  return { here, target, heard: () => bodies.at(-1) ?? "" }
}

function now(here: Place): (string | undefined)[] {
  const read = (path: string) => (existsSync(join(here.workspace, path)) ? here.read(path) : undefined)
  return [read("src/a.txt"), read("made.txt"), read("precious.txt")]
}

const BEFORE = ["original\n", undefined, "precious\n"]
const AFTER = ["by command\n", "made\n", undefined]

describe("joey checkpoint", () => {
  it("S29: lists each call that changed files, shows the difference, and brings all of it back and forth", async () => {
    const { here } = await worked()
    expect(now(here)).toEqual(AFTER)
    const list = await here.run(["checkpoint", "list"])
    expect(
      list.stdout
        .trim()
        .split("\n")
        .map((line) => line.replace(/\d\d-\d\d \d\d:\d\d/, "TIME").trim()),
    ).toEqual([
      "1  TIME  write_to_file: src/a.txt",
      "2  TIME  write_to_file: made.txt",
      "3  TIME  execute_command: src/a.txt, precious.txt",
    ])
    const shown = await here.run(["checkpoint", "diff"])
    expect(shown.stdout).toContain("--- a/precious.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-precious\n")
    expect(shown.stdout).toContain("-original\n+by command\n")
    const preview = await here.run(["checkpoint", "restore", "1", "--preview"])
    expect(preview).toMatchObject({ code: 0, stdout: "remove made.txt\nbring back precious.txt\nput back src/a.txt\n" })
    expect(now(here)).toEqual(AFTER)
    const unasked = await here.run(["checkpoint", "restore", "1"])
    expect(unasked.code).toBe(3)
    expect(unasked.stdout).toContain("Nothing was changed: give --yes")
    expect(now(here)).toEqual(AFTER)
    const restored = await here.run(["checkpoint", "restore", "1", "--yes"])
    expect(restored.code, restored.stderr).toBe(0)
    expect(restored.stdout).toContain("Going back to checkpoint 4 undoes this.")
    expect(now(here)).toEqual(BEFORE)
    await here.run(["checkpoint", "restore", "4", "--yes"])
    expect(now(here)).toEqual(AFTER)
    await here.run(["checkpoint", "restore", "3", "--yes", "--files", "precious.txt"])
    expect(now(here)).toEqual(["by command\n", "made\n", "precious\n"])
    expect(readdirSync(here.workspace).sort()).toEqual(["made.txt", "precious.txt", "src"])
  })

  it("leaves what the person changed since alone, unless forced", async () => {
    const { here } = await worked()
    here.write("src/a.txt", "the person's\n")
    const restored = await here.run(["checkpoint", "restore", "1", "--yes"])
    expect(restored.stdout).toContain("Left alone: src/a.txt: it was changed since, not by the agent.")
    expect(now(here)).toEqual(["the person's\n", undefined, "precious\n"])
    await here.run(["checkpoint", "restore", "1", "--yes", "--force"])
    expect(now(here)).toEqual(BEFORE)
  })

  it("says by its exit code that everything was left alone", async () => {
    const here = place({ "a.txt": "one\n" })
    await here.run([...(await modelFor([call("write_to_file", { path: "a.txt", content: "two\n" })])), "go"])
    here.write("a.txt", "the person's\n")
    const left = await here.run(["checkpoint", "restore", "1", "--yes"])
    expect([left.code, left.stdout]).toEqual([3, expect.stringContaining("leave a.txt alone: it was changed since")])
    expect(here.read("a.txt")).toBe("the person's\n")
  })

  it("S29: brings back links, mode bits and files of nested repositories, and writes in no .git", async () => {
    const here = place({ "run.sh": "#!/bin/sh\n", "a.txt": "a\n", "nested/n.txt": "n\n" })
    chmodSync(join(here.workspace, "run.sh"), 0o755)
    symlinkSync("a.txt", join(here.workspace, "link"))
    const sh = (line: string) => execFileSync("sh", ["-c", line], { cwd: here.workspace, encoding: "utf8" })
    sh("git init -q . && git add a.txt && cd nested && git init -q . && git add .")
    const gits = () => sh("find .git nested/.git | sort && cat .git/index nested/.git/index | md5sum")
    const before = gits()
    const change = "chmod 644 run.sh; rm link; echo x > link; echo 2 > nested/n.txt; mkdir d; echo x > d/f; mv a.txt b.txt"
    const ran = await here.run([...(await modelFor([call("execute_command", { command: change })])), "go"])
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect((await here.run(["checkpoint", "restore", "1", "--yes"])).code).toBe(0)
    expect(statSync(join(here.workspace, "run.sh")).mode & 0o777).toBe(0o755)
    expect(readlinkSync(join(here.workspace, "link"))).toBe("a.txt")
    expect([here.read("nested/n.txt"), here.read("a.txt")]).toEqual(["n\n", "a\n"])
    expect(readdirSync(here.workspace).sort()).toEqual([".git", "a.txt", "link", "nested", "run.sh"])
    expect(gits()).toBe(before)
  })

  it("S29: loses nothing when Joey is killed in the middle of a command, and is told while a task is at work", async () => {
    const here = place({ "a.txt": "one\n" })
    const target = await modelFor([call("execute_command", { command: "echo two > a.txt; touch up; sleep 20" })])
    let atWork: Awaited<ReturnType<Place["run"]>> | undefined
    const killed = await here.run([...target, "go"], {
      started(child) {
        const timer = setInterval(async () => {
          if (!existsSync(join(here.workspace, "up"))) return
          clearInterval(timer)
          atWork = await here.run(["checkpoint", "restore", "1", "--yes"])
          child.kill("SIGKILL")
        }, 50)
      },
    })
    expect(killed.signal).toBe("SIGKILL")
    expect([atWork?.code === 0, atWork?.stderr]).toEqual([false, expect.stringMatching(/is open in another process/)])
    expect((await here.run(["checkpoint", "list"])).stdout).toMatch(/execute_command: was cut short; kept: 1 file/)
    expect((await here.run(["checkpoint", "restore", "1", "--yes"])).stdout).toContain(
      "leave a.txt alone: the call was cut short",
    )
    expect((await here.run(["checkpoint", "restore", "1", "--yes", "--force"])).code).toBe(0)
    expect(here.read("a.txt")).toBe("one\n")
  })

  it("tells the model of an undo, so that it does not believe its changes are there", async () => {
    const { here, target, heard } = await worked()
    await here.run(["checkpoint", "restore", "1", "--yes"])
    const resumed = await here.run([...target, "--continue", "and now?"])
    expect(resumed.code, resumed.stderr).toBe(0)
    expect(heard()).toContain("The person undid changes of yours")
    expect(heard()).toContain("- made.txt (removed)")
  })

  it("takes the conversation back as well, or alone, and the task goes on from there", async () => {
    const { here, target } = await worked()
    const alone = await here.run(["checkpoint", "restore", "2", "--conversation", "--no-files", "--yes"])
    expect(alone.code, alone.stderr).toBe(0)
    expect(now(here)).toEqual(AFTER)
    expect(here.log().at(-1)).toMatchObject({ type: "rewound" })
    const both = await here.run(["checkpoint", "restore", "1", "--conversation", "--yes"])
    expect(both.code, both.stderr).toBe(0)
    expect(now(here)).toEqual(BEFORE)
    const again = await here.run([...target, "--continue", "once more"])
    expect(again.code, again.stderr + again.stdout).toBe(0)
    expect(now(here)).toEqual(AFTER)
  })

  it("answers what cannot be done in one line", async () => {
    const { here } = await worked()
    for (const [args, words] of [
      [["checkpoint", "restore"], "Say which"],
      [["checkpoint", "restore", "99", "--yes"], "There is no checkpoint 99"],
      [["checkpoint", "undo"], "There is no joey checkpoint undo"],
      [["checkpoint", "restore", "nowhere", "1"], 'There is no task "nowhere"'],
      [["checkpoint", "restore", "1", "--no-files"], "--no-files needs --conversation"],
      [["checkpoint", "diff", "1", "2", "3"], "one word too many"],
      [["checkpoint", "list", "--wrong"], "Unknown option"],
    ] as const) {
      const { code, stderr, stdout } = await here.run([...args])
      expect([code, stderr.split("\n").length, stdout], stderr).toEqual([2, 2, ""])
      expect(stderr).toContain(words)
    }
  })

  it("keeps nothing where it is turned off", async () => {
    const { here } = await worked({ "../home/settings.json": '{ "checkpoints": { "enabled": false } }' })
    const list = await here.run(["checkpoint", "list"])
    expect(list.stdout).toBe("No call of this task has changed a file.\n")
  })
})
