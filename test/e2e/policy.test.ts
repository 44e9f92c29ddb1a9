/**
 * Policy and hooks as a person meets them: the built command, real processes, rules in real files. What is denied stays denied in
 * any wrapping, what a project brings along waits for trust, and a hook cannot hang a task.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, type Piece, type Reply, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { type Finished, type Place, place } from "./joey.ts"

/** One reply after the other, then the result; its place follows from the request, so it serves any number of tasks. */
async function modelThat(...replies: Reply[]) {
  const script = (request: ChatRequest) =>
    replies[repliesSoFar(request)] ?? reply(call("attempt_completion", { result: "All done." }))
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  return { model, target: ["--base-url", model.url, "--model", "scripted"] }
}

const command = (line: string): Piece => call("execute_command", { command: line })

function settings(folder: string, value: object): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "settings.json"), JSON.stringify(value))
}

interface Told {
  kind: string
  text: string
}

/** What the model was told of each call, by its key: `1.2` is the second call of the first turn. */
function told(here: Place): Record<string, Told> {
  return Object.fromEntries(
    here.log().flatMap((event) => {
      if (event.type !== "call-finished") return []
      const text = event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n")
      return [[event.callKey, { kind: event.result, text }]]
    }),
  )
}

function reasons(here: Place): string[] {
  return here
    .log()
    .flatMap((event) => (event.type === "asked" && event.question.kind === "approve" ? [event.question.reason] : []))
}

function waitingTask({ stdout }: Finished): string {
  return /joey approve (\S+),/.exec(stdout)?.[1] ?? ""
}

describe("rules", () => {
  it("deny a command in whatever it is wrapped, name the rule, and nothing of it runs; what is not denied goes on", async () => {
    const lines = [
      "sh -c 'git push origin main'",
      "git status && git push",
      "echo origin | xargs git push",
      "timeout 5 nohup env A=1 git push --force",
      "echo $(git push)",
      "bash -c \"sh -c 'git push'\"",
      "git -C . push",
      "find . -maxdepth 0 -exec git push ;",
    ]
    const { target } = await modelThat(reply(...lines.map(command), command("echo fine > fine.txt")))
    const here = place()
    settings(here.home, { permissions: { deny: ["Bash(git push *)"] } })
    writeFileSync(join(here.workspace, "git"), "#!/bin/sh\ntouch ran.txt\n")
    chmodSync(join(here.workspace, "git"), 0o755)
    const env = { PATH: `${here.workspace}:${process.env["PATH"]}` }
    const { code, stdout } = await here.run([...target, "--yes", "go"], { env })
    expect(code, stdout).toBe(0)
    const results = told(here)
    for (const [at, line] of lines.entries()) {
      expect(results[`1.${at + 1}`], line).toMatchObject({ kind: "denied", text: expect.stringContaining("Bash(git push *)") })
    }
    expect(here.read("fine.txt")).toBe("fine\n")
    expect(existsSync(join(here.workspace, "ran.txt"))).toBe(false)
    const { stdout: explained } = await here.run(["policy", "test", "sh -c 'git push'"])
    expect(explained).toMatch(/deny/i)
    expect(explained).toContain("Bash(git push *)")
  })

  it.each([
    ["read_file of .env", call("read_file", { path: ".env" })],
    ["read_file of a link to it", call("read_file", { path: "notes.txt" })],
    ["a command that prints it", command("cat ./.env")],
    ["a command that copies it out", command("cp .env /tmp/x-$$")],
    ["a delete that reaches outside", command("rm -rf ../other")],
    ["a delete of .git", command("rm -rf .git")],
    ["a write to Joey's settings", call("write_to_file", { path: ".joey/settings.json", content: "{}" })],
    ["a write outside", call("write_to_file", { path: "../out.txt", content: "x" })],
  ])("%s asks even under --yes, with the reason, and is not run", async (_, piece) => {
    const { model, target } = await modelThat(reply(piece))
    const here = place({ ".env": "TOKEN=hunter2\n", ".git/HEAD": "ref: refs/heads/main\n" })
    mkdirSync(join(here.workspace, "../other"))
    symlinkSync(".env", join(here.workspace, "notes.txt"))
    const { code, stdout } = await here.run([...target, "--yes", "go"])
    expect(code, stdout).toBe(3)
    expect(reasons(here)).toHaveLength(1)
    expect(stdout).toContain(`waits for approval because ${reasons(here)[0]}`)
    expect(model.requests).toHaveLength(1)
    expect(JSON.stringify(here.log())).not.toContain("hunter2")
    expect(existsSync(join(here.workspace, "../other"))).toBe(true)
    expect(existsSync(join(here.workspace, ".git/HEAD"))).toBe(true)
    expect(existsSync(join(here.workspace, "../out.txt"))).toBe(false)
  })

  it("of a project deny without trust, but allow and run hooks only with it", async () => {
    const { target } = await modelThat(
      reply(command("make deploy"), call("read_file", { path: "plan.txt" }), command("touch made.txt")),
    )
    const hook = { type: "command", command: "touch hooked.txt" }
    const files = {
      ".joey/settings.json": JSON.stringify({
        permissions: { deny: ["Bash(make deploy)", "Read(./plan.txt)"], allow: ["Bash(touch *)"] },
        hooks: { PreToolUse: [{ hooks: [hook] }], SessionStart: [{ hooks: [hook] }] },
        checks: [{ glob: "**", command: "touch hooked.txt" }],
      }),
      "plan.txt": "the plan",
    }
    const here = place(files)
    const first = await here.run([...target, "go"])
    expect(first.code, first.stdout).toBe(3)
    expect(told(here)["1.1"]).toMatchObject({ kind: "denied", text: expect.stringContaining("Bash(make deploy)") })
    expect(told(here)["1.2"]).toMatchObject({ kind: "denied" })
    expect(existsSync(join(here.workspace, "hooked.txt"))).toBe(false)
    expect(existsSync(join(here.workspace, "made.txt"))).toBe(false)
    expect(first.stderr.match(/until you trust/g)?.length).toBeGreaterThanOrEqual(3)

    const trusted = place(files)
    const second = await trusted.run([...target, "--trust-project", "go"])
    expect(second.code, second.stdout).toBe(0)
    expect(told(trusted)["1.1"]).toMatchObject({ kind: "denied" })
    expect(existsSync(join(trusted.workspace, "hooked.txt"))).toBe(true)
    expect(existsSync(join(trusted.workspace, "made.txt"))).toBe(true)
  })
})

describe("an answer for always", () => {
  it("for the project holds in later tasks of this folder, not in another one, and not under --ask", async () => {
    const { target } = await modelThat(reply(command("mkdir -p built")))
    const here = place()
    const asked = await here.run([...target, "go"])
    expect(asked.code, asked.stdout).toBe(3)
    const approved = await here.run(["approve", waitingTask(asked), "--always", "project", ...target])
    expect(approved.code, approved.stdout).toBe(0)
    const again = await here.run([...target, "go"])
    expect(again.code, again.stdout).toBe(0)
    const elsewhere = join(here.workspace, "..", "elsewhere")
    mkdirSync(elsewhere)
    expect((await here.run([...target, "--workspace", elsewhere, "go"])).code).toBe(3)
    expect((await here.run([...target, "--ask", "go"])).code).toBe(3)
    expect(readFileSync(join(here.home, "grants.json"), "utf8")).toContain(here.workspace)
  })
})
