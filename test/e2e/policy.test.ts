/**
 * Policy and hooks as a person meets them: the built command, real processes, rules in real files. What is denied stays denied in
 * any wrapping, what a project brings along waits for trust, and a hook cannot hang a task.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
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

/** A hook as people have it for other agents: it reads JSON from its input and answers by exit code or JSON. */
const HOOK = `
const told = JSON.parse(require("fs").readFileSync(0, "utf8"))
const { hook_event_name: event, tool_name: tool, tool_input: input = {} } = told
require("fs").appendFileSync(process.env.CLAUDE_PROJECT_DIR + "/heard.txt", JSON.stringify({ event, tool, input, session: !!told.session_id, log: told.transcript_path, cwd: told.cwd }) + "\\n")
const answer = (hookSpecificOutput) => console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...hookSpecificOutput } }))
if (event === "UserPromptSubmit") answer({ additionalContext: "The person is in a hurry." })
if (event === "PreToolUse" && tool === "Read") { console.error("Read the summary instead."); process.exit(2) }
if (event === "PreToolUse" && tool === "Write" && input.file_path.endsWith("a.txt"))
  answer({ permissionDecision: "allow", updatedInput: { ...input, content: input.content.toUpperCase() } })
if (event === "PreToolUse" && tool === "Write" && input.file_path.endsWith("b.txt"))
  answer({ permissionDecision: "allow", updatedInput: { ...input, file_path: told.cwd + "/locked.txt" } })
if (event === "PreToolUse" && tool === "Bash" && input.command.includes("blocked"))
  console.log(JSON.stringify({ decision: "block", reason: "no blocked things" }))
if (event === "PostToolUse" && tool === "Bash") answer({ additionalContext: "It was run on a Monday." })
if (event === "Stop" && !told.stop_hook_active) console.log(JSON.stringify({ decision: "block", reason: "write the changelog first" }))
`

describe("hooks that are commands", () => {
  it("S51 S52 S53: work as they are written for other agents: look, block, rewrite, allow, add, refuse the end", async () => {
    const { model, target } = await modelThat(
      reply(
        call("read_file", { path: "big.txt" }),
        call("write_to_file", { path: "a.txt", content: "loud\n" }),
        call("write_to_file", { path: "b.txt", content: "elsewhere\n" }),
        command("echo blocked"),
        command("pwd"),
      ),
    )
    const here = place({ "big.txt": "much text" })
    const run = { type: "command", command: 'node "$CLAUDE_PROJECT_DIR"/../home/hook.cjs', timeout: 10 }
    const events = ["PreToolUse", "PostToolUse"].map((event) => [event, [{ matcher: "Read|Write|Bash", hooks: [run] }]])
    const others = ["UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"].map((event) => [event, [{ hooks: [run] }]])
    settings(here.home, { permissions: { deny: ["Edit(./locked.txt)"] }, hooks: Object.fromEntries([...events, ...others]) })
    writeFileSync(join(here.home, "hook.cjs"), HOOK)
    const { code, stdout, stderr } = await here.run([...target, "go"])
    expect(code, stdout + stderr).toBe(0)
    const results = told(here)
    expect(results["1.1"]).toEqual({ kind: "denied", text: "Blocked by a hook: Read the summary instead." })
    expect(results["1.2"]).toMatchObject({ kind: "done", text: expect.stringContaining("A hook changed this call") })
    expect(here.read("a.txt")).toBe("LOUD\n")
    expect(results["1.3"]).toMatchObject({ kind: "denied", text: expect.stringContaining("Edit(./locked.txt)") })
    expect(existsSync(join(here.workspace, "locked.txt"))).toBe(false)
    expect(results["1.4"]).toMatchObject({ kind: "denied", text: expect.stringContaining("no blocked things") })
    expect(results["1.5"]?.text).toContain("It was run on a Monday.")
    expect(JSON.stringify(model.requests[0])).toContain("The person is in a hurry.")
    expect(results["2.1"]).toMatchObject({ kind: "failed", text: expect.stringContaining("write the changelog first") })
    expect(results["3.1"]).toMatchObject({ kind: "done" })
    const heard = here
      .read("heard.txt")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(heard.map(({ event }) => event)).toEqual(expect.arrayContaining(["SessionStart", "SessionEnd"]))
    expect(heard.every(({ session, cwd }) => session && cwd === here.workspace)).toBe(true)
    expect(heard.find(({ tool }) => tool === "Read").input.file_path).toMatch(/big\.txt$/)
  })

  it("answer for the person where they are asked, but never a grave question; one that asks is heard under --yes too", async () => {
    const answering = (output: object) => ({
      type: "command",
      command: `echo '${JSON.stringify({ hookSpecificOutput: output })}'`,
    })
    const { target } = await modelThat(
      reply(call("write_to_file", { path: "a.txt", content: "x\n" }), command("touch made.txt")),
      reply(call("read_file", { path: ".env" })),
    )
    const here = place({ ".env": "A=1\n" })
    const permission = answering({ hookEventName: "PermissionRequest", decision: { behavior: "allow" } })
    const allow = answering({ hookEventName: "PreToolUse", permissionDecision: "allow" })
    settings(here.home, {
      hooks: { PermissionRequest: [{ hooks: [permission] }], PreToolUse: [{ matcher: "Read", hooks: [allow] }] },
    })
    const { code, stdout } = await here.run([...target, "go"])
    expect(code, stdout).toBe(3)
    expect(existsSync(join(here.workspace, "made.txt"))).toBe(true)
    expect(reasons(here).at(-1)).toBe(".env may hold secrets")
    const answers = here.log().flatMap((event) => (event.type === "answered" ? [event.by] : []))
    expect(answers).toEqual([expect.stringMatching(/^hook /), expect.stringMatching(/^hook /)])

    const careful = place()
    const asks = answering({ hookEventName: "PreToolUse", permissionDecision: "ask", permissionDecisionReason: "it is late" })
    settings(careful.home, { hooks: { PreToolUse: [{ matcher: "Write", hooks: [asks] }] } })
    expect((await careful.run([...target, "--yes", "go"])).code).toBe(3)
    expect(reasons(careful)).toEqual(["it is late"])
  })

  it("that hang, fail, print rubbish or do not exist are told once and the task goes on; one that must succeed says no", async () => {
    const { target } = await modelThat(reply(command("echo one >> ran.txt"), call("list_files", { path: "." })))
    const here = place()
    const hooks = [
      { type: "command", command: "sleep 60 & sleep 60", timeout: 1, name: "slow" },
      { type: "command", command: "echo '{\"hookSpecificOutput\": {'", name: "rubbish" },
      { type: "command", command: "head -c 3000000 /dev/zero", name: "flood" },
      { type: "command", command: "exit 7", name: "seven" },
      { type: "command", command: "/no/such/program", name: "absent" },
      { type: "command", command: "kill -9 $$", name: "dies" },
    ]
    const must = { type: "command", command: "exit 7", name: "strict", mustSucceed: true }
    settings(here.home, {
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks },
          { matcher: "list_files", hooks: [must] },
        ],
      },
    })
    const began = Date.now()
    const { code, stdout, stderr } = await here.run([...target, "--yes", "go"])
    expect(code, stdout + stderr).toBe(0)
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(here.read("ran.txt")).toBe("one\n")
    for (const { name } of hooks) expect(stdout, name).toMatch(new RegExp(`The hook ${name} failed: `))
    expect(told(here)["1.2"]).toMatchObject({ kind: "denied", text: expect.stringContaining("strict must succeed") })
  })

  it("checks after an edit tell the model what is new, and only that", async () => {
    const { target } = await modelThat(
      reply(call("write_to_file", { path: "a.js", content: "let a = 1\nlet a = 2\n" })),
      reply(call("write_to_file", { path: "b.js", content: "let b = 1\n" })),
    )
    const here = place({ "old.js": "let (\n" })
    const check = { glob: "**/*.js", command: "for f in *.js; do node --check $f 2>&1 | grep -E '^Syntax|js:' ; done; exit 1" }
    const slow = { glob: "b.js", command: "sleep 60", timeout: 1 }
    settings(here.home, { checks: [check, slow] })
    const { code, stdout } = await here.run([...target, "--yes", "go"])
    expect(code, stdout).toBe(0)
    const results = told(here)
    expect(results["1.1"]?.text).toMatch(/New in the check[\s\S]*a\.js:2[\s\S]*SyntaxError/)
    expect(results["1.1"]?.text).not.toContain("old.js")
    expect(results["2.1"]?.text).not.toContain("a.js")
    expect(results["2.1"]?.text).toMatch(/`sleep 60` could not run: it took longer than 1 second/)
  })
})

describe("words typed ahead", () => {
  const hasTerminals = existsSync("node_modules/@lydell/node-pty")

  it.skipIf(!hasTerminals).each(["xterm-256color", "dumb"])(
    "S28: never approve anything, also where the question appears in the middle of them, TERM=%s (needs @lydell/node-pty)",
    async (TERM) => {
      const { spawn } = await import("@lydell/node-pty")
      const { target } = await modelThat(reply({ pause: 700 }, call("write_to_file", { path: "a.txt", content: "x\n" })))
      const here = place()
      const env = { PATH: process.env["PATH"] ?? "", HOME: here.home, JOEY_HOME: here.home, TERM }
      const args = [resolve("dist/joey.js"), ...target, "write it"]
      const person = spawn(process.execPath, args, { cwd: here.workspace, env, name: TERM, cols: 100, rows: 30 })
      onTestFinished(() => person.kill("SIGKILL"))
      let seen = ""
      person.onData((text) => {
        seen += text
      })
      await until(() => seen.includes("write it"))
      person.write("yes\ry\ralways\r")
      const asked = () => existsSync(join(here.home, "tasks")) && reasons(here).length > 0
      const sentence = "please always play, yes "
      for (let typed = 0, since = 0; since < 30 && typed < 600; typed++, since += asked() ? 1 : 0) {
        person.write(sentence[typed % sentence.length] ?? "")
        await sleep(25)
      }
      expect(asked(), seen).toBe(true)
      person.write("\r")
      await sleep(600)
      expect(here.log().filter((event) => event.type === "answered" && event.answer.kind === "yes")).toEqual([])
      expect(existsSync(join(here.workspace, "a.txt"))).toBe(false)
    },
  )
})

async function until(holds: () => boolean): Promise<void> {
  const late = Date.now() + 15_000
  while (!holds() && Date.now() < late) await sleep(20)
  expect(holds()).toBe(true)
}
