import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { HookSettings } from "../types/settings.ts"
import { createHooks, type HookEngine } from "./create-hooks.ts"
import type { HookFacts } from "./hook.ts"
import { quiet, shellCall, type TestPorts, testCall, testPorts } from "./test-ports.ts"

interface Given {
  hooks: HookSettings
  files?: Record<string, string>
  facts?: Partial<HookFacts>
  nested?: boolean
}

async function given({ hooks, files, facts, nested = false }: Given): Promise<{ engine: HookEngine; ports: TestPorts }> {
  const ports = { ...(await testPorts(files, facts)), nested }
  return { ports, engine: createHooks({ inProcess: [], external: hooks, ports }) }
}

/** One command at one event. */
const at = (event: string, command: string, more: object = {}): HookSettings => ({ [event]: [{ hooks: [{ command, ...more }] }] })
const says = (object: object) => `cat >/dev/null; echo '${JSON.stringify(object)}'`
const specifically = (output: object) => says({ hookSpecificOutput: output })
const asked = async (command: string, more: object = {}) => {
  const { engine, ports } = await given({ hooks: at("PreToolUse", command, more) })
  return { ...(await engine.beforeTool(testCall(), quiet())), notices: ports.notices }
}
const told = ({ workspace }: TestPorts, name = "told.json") => JSON.parse(readFileSync(join(workspace, name), "utf8"))

describe("a command before a call", () => {
  it("S51: is told of the call on its input, in the common form", async () => {
    const { engine, ports } = await given({
      hooks: {
        PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: 'cat > "$CLAUDE_PROJECT_DIR"/told.json' }] }],
      },
      facts: { turn: 4, approval: "yes" },
    })
    expect(await engine.beforeTool(testCall(), quiet())).toEqual({ notes: [] })
    expect(told(ports)).toEqual({
      session_id: "task-1",
      transcript_path: "/tmp/log.jsonl",
      cwd: ports.workspace,
      hook_event_name: "PreToolUse",
      permission_mode: "bypassPermissions",
      mode: "code",
      model: "test/model",
      turn_id: "4",
      tool_name: "Edit",
      tool_input: { file_path: join(ports.workspace, "src/a.ts"), content: "x" },
      tool_use_id: "1.1",
    })
  })

  it("S51: exit code 2 blocks, and the model is told what stands on the error output", async () => {
    expect((await asked("echo 'not in generated files' >&2; exit 2")).decision).toEqual({
      kind: "block",
      reason: "not in generated files",
    })
    expect((await asked("exit 2")).decision).toMatchObject({ kind: "block" })
  })

  it("S51: another exit code is a visible failure, and the call goes on", async () => {
    expect(await asked("echo first >&2; echo second >&2; exit 7", { name: "guard" })).toEqual({
      notes: [],
      notices: ["The hook guard failed: exit code 7: first"],
    })
  })

  it("S51: a hook that must succeed blocks when it fails or takes too long", async () => {
    const { decision } = await asked("exit 7", { mustSucceed: true, name: "guard" })
    expect(decision).toEqual({ kind: "block", reason: "The hook guard must succeed and did not: exit code 7." })
    const slow = await asked("sleep 10", { mustSucceed: true, name: "guard", timeout: 0.1 })
    expect(slow.decision).toMatchObject({ kind: "block" })
  })

  it.each([
    ["allow", { kind: "allow", reason: "because" }],
    ["ask", { kind: "ask", reason: "because" }],
    ["deny", { kind: "block", reason: "because" }],
    ["defer", { kind: "ask", reason: "because" }],
    ["nonsense", { kind: "ask", reason: "because" }],
  ])("S51: permissionDecision %s is understood", async (permissionDecision, expected) => {
    const command = specifically({ hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "because" })
    expect((await asked(command)).decision).toEqual(expected)
  })

  it("S51: the older words approve and block are understood too", async () => {
    expect((await asked(says({ decision: "approve", reason: "ok" }))).decision).toEqual({ kind: "allow", reason: "ok" })
    expect((await asked(says({ decision: "block", reason: "no" }))).decision).toEqual({ kind: "block", reason: "no" })
  })

  it("S51: rewritten arguments come back under our names", async () => {
    const { input } = await asked(specifically({ updatedInput: { file_path: "/elsewhere/b.ts", content: "y" } }))
    expect(input).toEqual({ path: "/elsewhere/b.ts", content: "y" })
  })

  it("additional context becomes a note, continue: false stops the task, a system message is shown", async () => {
    const noted = await asked(says({ hookSpecificOutput: { additionalContext: "mind the style" }, systemMessage: "hello" }))
    expect(noted).toMatchObject({ notes: ["mind the style"] })
    expect(noted.notices[0]).toContain("hello")
    expect(await asked(says({ continue: false, stopReason: "budget" }))).toMatchObject({
      decision: { kind: "block", reason: "budget" },
      stop: "budget",
    })
  })

  it.each([
    ["plain words", "echo words", []],
    ["nothing", "true", []],
    ["a list", "echo '[1]'", []],
    ["broken JSON", `echo '{"decision":'`, ["printed JSON that cannot be read"]],
    ["members of wrong types", says({ decision: 5, hookSpecificOutput: [], continue: "no", reason: {} }), []],
    ["binary rubbish", "head -c 3000 /dev/urandom", []],
    ["more than can be read", "yes | head -c 3000000", ["printed too much"]],
    ["a program that is not there", "/no/such/program", ["exit code 127"]],
  ])("goes on after %s", async (_, command, notices) => {
    const result = await asked(command)
    expect(result.decision).toBeUndefined()
    expect(result.notices).toHaveLength(notices.length)
    for (const [index, words] of notices.entries()) expect(result.notices[index]).toContain(words)
  })

  it("understands JSON behind a line that a shell profile printed", async () => {
    expect((await asked(`echo Welcome; ${says({ decision: "block", reason: "no" })}`)).decision).toMatchObject({ kind: "block" })
  })

  it("several commands run side by side and are joined strictest first, in declared order", async () => {
    // Each of the first two waits for a file that another one makes: one after the other, they would wait for ever.
    const group = (waits: string, makes: string, output: object) => ({
      command: `touch ${makes}; until [ -e ${waits} ]; do sleep 0.02; done; ${specifically(output)}`,
    })
    const { engine } = await given({
      hooks: {
        PreToolUse: [
          { hooks: [group("b", "a", { permissionDecision: "allow", additionalContext: "one" })] },
          { matcher: "*", hooks: [group("a", "b", { permissionDecision: "ask", permissionDecisionReason: "two" })] },
          { matcher: "Write|Edit", hooks: [group("a", "c", { permissionDecision: "deny", permissionDecisionReason: "three" })] },
        ],
      },
    })
    expect(await engine.beforeTool(testCall(), quiet())).toEqual({ decision: { kind: "block", reason: "three" }, notes: ["one"] })
  })

  it("an allow does not cover what another command rewrote beside it", async () => {
    const { engine } = await given({
      hooks: {
        PreToolUse: [
          { hooks: [{ command: specifically({ updatedInput: { content: "evil" } }) }] },
          { hooks: [{ command: specifically({ permissionDecision: "allow" }) }] },
        ],
      },
    })
    expect(await engine.beforeTool(testCall(), quiet())).toEqual({ input: { path: "src/a.ts", content: "evil" }, notes: [] })
  })

  it("S51: a call that touches several files is shown once for each", async () => {
    const guard = `case $(cat) in *secret.env*) echo 'not the secrets' >&2; exit 2;; esac`
    const { engine } = await given({ hooks: { PreToolUse: [{ matcher: "Edit", hooks: [{ command: guard }] }] } })
    const call = testCall({ input: { patch: "…" }, paths: ["a.ts", "secret.env", "b.ts"] })
    expect((await engine.beforeTool(call, quiet())).decision).toEqual({ kind: "block", reason: "not the secrets" })
  })

  it("is ended by its timeout and by a cancel, with a notice for the first only", async () => {
    const slow = await asked("sleep 20", { timeout: 0.1, name: "slow" })
    expect(slow).toEqual({ notes: [], notices: ["The hook slow failed: it took too long and was ended"] })
    const { engine, ports } = await given({ hooks: at("PreToolUse", "sleep 20") })
    const cancel = new AbortController()
    setTimeout(() => cancel.abort(), 50)
    expect(await engine.beforeTool(testCall(), cancel.signal)).toEqual({ notes: [] })
    expect(ports.notices).toEqual([])
  })

  it("counts milliseconds under Gemini's name for the event, and answers in its words", async () => {
    const { engine, ports } = await given({ hooks: at("BeforeTool", "sleep 20", { timeout: 100, name: "slow" }) })
    await engine.beforeTool(testCall(), quiet())
    expect(ports.notices).toEqual(["The hook slow failed: it took too long and was ended"])
    const denying = await given({ hooks: at("BeforeTool", says({ decision: "deny", reason: "no" })) })
    expect((await denying.engine.beforeTool(testCall(), quiet())).decision).toEqual({ kind: "block", reason: "no" })
  })

  it("async is not waited for, once runs once, if chooses the calls", async () => {
    const background = await given({ hooks: at("PreToolUse", "sleep 0.2; touch later; exit 2", { async: true }) })
    expect(await background.engine.beforeTool(testCall(), quiet())).toEqual({ notes: [] })
    expect(existsSync(join(background.ports.workspace, "later"))).toBe(false)
    await background.engine.task({ moment: "closed", reason: "exit" })
    expect(existsSync(join(background.ports.workspace, "later"))).toBe(true)

    const once = await given({ hooks: at("PreToolUse", "exit 2", { once: true }) })
    expect((await once.engine.beforeTool(testCall(), quiet())).decision).toMatchObject({ kind: "block" })
    expect((await once.engine.beforeTool(testCall(), quiet())).decision).toBeUndefined()

    const pushes = await given({ hooks: at("PreToolUse", "exit 2", { if: "Bash(git push *)" }) })
    expect((await pushes.engine.beforeTool(shellCall("git status"), quiet())).decision).toBeUndefined()
    expect((await pushes.engine.beforeTool(shellCall("cd x && git push origin"), quiet())).decision).toMatchObject({
      kind: "block",
    })
  })

  it("runs a program with arguments as they are, and puts the folder in", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder as settings have it.
    const args = ["-c", 'printf %s "$1" > "$0/told"', "${CLAUDE_PROJECT_DIR}", "$(id) a"]
    const { engine, ports } = await given({ hooks: at("PreToolUse", "/bin/sh", { args }) })
    await engine.beforeTool(testCall(), quiet())
    expect(readFileSync(join(ports.workspace, "told"), "utf8")).toBe("$(id) a")
  })

  it("marks the environment, and no command runs in a Joey that a hook started", async () => {
    const { engine, ports } = await given({ hooks: at("PreToolUse", "env > told") })
    await engine.beforeTool(testCall(), quiet())
    expect(readFileSync(join(ports.workspace, "told"), "utf8")).toMatch(/^JOEY_HOOK=PreToolUse$/m)
    const nested = await given({ hooks: at("PreToolUse", "exit 2"), nested: true })
    expect(await nested.engine.beforeTool(testCall(), quiet())).toEqual({ notes: [] })
    expect(nested.ports.notices).toHaveLength(1)
  })
})

describe("commands at the other events", () => {
  const result = { kind: "done", content: [{ type: "text", text: "it printed this" }] } as const

  it("S52: after a call a command is told the result, and can annotate or replace it", async () => {
    const { engine, ports } = await given({
      hooks: {
        PostToolUse: [
          { matcher: "Bash", hooks: [{ command: `cat > told.json; echo 'looks slow' >&2; exit 2` }] },
          { hooks: [{ command: specifically({ updatedToolOutput: "shorter", additionalContext: "see the log" }) }] },
        ],
      },
    })
    expect(await engine.afterTool(shellCall("ls"), { ...result, content: [...result.content] }, quiet())).toEqual({
      content: [{ type: "text", text: "shorter" }],
      notes: ["looks slow", "see the log"],
    })
    expect(told(ports)).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_response: { success: true, stdout: "it printed this" },
    })
  })

  it("S52: a call that failed is another event, and one that never ran is none", async () => {
    const { engine, ports } = await given({
      hooks: { ...at("PostToolUseFailure", "cat > told.json"), ...at("PostToolUse", "exit 2") },
    })
    const content = [{ type: "text", text: "no such file" } as const]
    expect(await engine.afterTool(testCall(), { kind: "failed", content }, quiet())).toEqual({ notes: [] })
    expect(told(ports)).toMatchObject({ hook_event_name: "PostToolUseFailure", error: "no such file" })
    expect(await engine.afterTool(testCall(), { kind: "denied", content }, quiet())).toEqual({ notes: [] })
  })

  it("answers a question of permission for the person, a no before a yes", async () => {
    const allow = { command: specifically({ decision: { behavior: "allow", updatedInput: { content: "z" } } }) }
    const deny = { command: specifically({ decision: { behavior: "deny", message: "office hours only" } }), name: "clock" }
    const yes = await given({ hooks: { PermissionRequest: [{ hooks: [allow] }] } })
    expect(await yes.engine.permission(testCall(), "it writes", quiet())).toMatchObject({
      answer: { kind: "yes", input: { path: "src/a.ts", content: "z" } },
    })
    const both = await given({ hooks: { PermissionRequest: [{ hooks: [allow, deny] }] } })
    expect(await both.engine.permission(testCall(), "it writes", quiet())).toEqual({
      answer: { kind: "words", content: [{ type: "text", text: "office hours only" }] },
      by: "hook clock",
    })
    const silent = await given({ hooks: at("PermissionRequest", "true") })
    expect(await silent.engine.permission(testCall(), "it writes", quiet())).toBeUndefined()
  })

  it("hears the person's words: plain output is context, exit code 2 blocks them", async () => {
    const { engine } = await given({
      hooks: at("UserPromptSubmit", `case $(cat) in *password*) echo 'no passwords' >&2; exit 2;; esac; echo 'today is Monday'`),
    })
    expect(await engine.userMessage("hello", quiet())).toEqual({ notes: ["today is Monday"] })
    expect(await engine.userMessage("my password", quiet())).toEqual({ block: "no passwords", notes: [] })
  })

  it("refuses a result, says so the second time, and is told once at the end of work", async () => {
    const command = `cat >> told; [ -e ok ] || { touch ok; echo 'run the tests' >&2; exit 2; }`
    const { engine, ports } = await given({ hooks: at("Stop", command) })
    expect(await engine.completion("done", quiet())).toEqual({ refuse: "run the tests" })
    expect(await engine.completion("really done", quiet())).toEqual({})
    await engine.task({ moment: "stopped", ending: "accepted", lastText: "really done" })
    const calls = readFileSync(join(ports.workspace, "told"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(calls.map(({ stop_hook_active }) => stop_hook_active)).toEqual([false, true])
    expect(calls[1]).toMatchObject({ hook_event_name: "Stop", last_assistant_message: "really done" })
  })

  it("a subtask that stops is another event, and a task that rests without a result is told too", async () => {
    const hooks = { ...at("Stop", "touch stopped"), ...at("SubagentStop", "touch sub") }
    const sub = await given({ hooks, facts: { isSubtask: true } })
    await sub.engine.completion("x", quiet())
    expect(existsSync(join(sub.ports.workspace, "sub"))).toBe(true)
    const rests = await given({ hooks })
    await rests.engine.task({ moment: "stopped", ending: "cancelled", lastText: "" })
    expect(existsSync(join(rests.ports.workspace, "stopped"))).toBe(false)
    await rests.engine.task({ moment: "stopped", ending: "answered", lastText: "" })
    expect(existsSync(join(rests.ports.workspace, "stopped"))).toBe(true)
  })

  it("start, end, questions and condensing are told, chosen by what they are about", async () => {
    const { engine, ports } = await given({
      hooks: {
        SessionStart: [
          { matcher: "startup", hooks: [{ command: "echo 'branch main'" }] },
          { matcher: "resume", hooks: [{ command: "echo again" }] },
        ],
        SessionEnd: [{ hooks: [{ command: "touch ended" }] }],
        Notification: [{ matcher: "permission_prompt", hooks: [{ command: "cat > told.json" }] }],
        PreCompact: [{ hooks: [{ command: specifically({ additionalContext: "keep the plan" }) }] }],
      },
    })
    expect(await engine.task({ moment: "started" })).toEqual({ notes: ["branch main"] })
    expect(await engine.task({ moment: "resumed" })).toEqual({ notes: [] }) // the same session goes on
    await engine.task({ moment: "asked", kind: "permission_prompt", text: "May I?" })
    expect(told(ports)).toMatchObject({ message: "May I?", notification_type: "permission_prompt" })
    expect(await engine.beforeCondense(quiet())).toEqual({ notes: ["keep the plan"] })
    await engine.task({ moment: "closed", reason: "exit" })
    expect(existsSync(join(ports.workspace, "ended"))).toBe(true)
  })

  it("S53: a command adds, replaces and drops sections of the prompt", async () => {
    const { engine } = await given({
      hooks: at(
        "BeforePrompt",
        specifically({
          addSections: [{ name: "house", text: "No tabs." }, 5],
          replaceSections: { role: "You are brief." },
          dropSections: ["rules"],
        }),
      ),
    })
    const sections = [
      { name: "role", text: "You are" },
      { name: "rules", text: "Rules" },
    ]
    expect(await engine.beforePrompt(sections, "code")).toEqual([
      { name: "role", text: "You are brief." },
      { name: "house", text: "No tabs." },
    ])
  })

  it("has nothing to do with events it is not set for", async () => {
    const { engine } = await given({ hooks: at("Stop", "true") })
    expect(await engine.beforeTool(testCall(), quiet())).toEqual({ notes: [] })
    expect(await engine.beforePrompt([], "code")).toEqual([])
  })
})
