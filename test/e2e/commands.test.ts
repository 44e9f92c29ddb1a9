/**
 * Commands through the built command: how they end is told apart, what they print is readable and kept, and none of them
 * outlives Joey, however either of them ends.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, type Reply, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { JsonObject } from "../../src/types/json.ts"
import { type Place, place } from "./joey.ts"

/** One reply after the other, then the result; its place follows from the request, so that a resumed task is served too. */
async function modelThat(...replies: Reply[]) {
  const script = (request: ChatRequest) =>
    replies[repliesSoFar(request)] ?? reply(call("attempt_completion", { result: "All done." }))
  const model = await startScriptedModel(script)
  onTestFinished(() => model.close())
  return { model, target: ["--base-url", model.url, "--model", "scripted", "--yes", "--limit", "mistakes=99"] }
}

const run = (command: string, rest: JsonObject = {}) => call("execute_command", { command, ...rest })
const output = (input: JsonObject) => call("read_command_output", input)

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

const hasTerminals = existsSync("node_modules/@lydell/node-pty")

/** A duration that no other process on this machine sleeps for. */
const unique = () => `4${process.pid}.${Math.floor(Math.random() * 1e9)}`

function sleeping(seconds: string): number {
  try {
    return execFileSync("pgrep", ["-fc", `^sleep ${seconds}$`], { encoding: "utf8" }).trim() === "0" ? 0 : 1
  } catch {
    return 0
  }
}

async function until(holds: () => boolean): Promise<void> {
  const late = Date.now() + 15_000
  while (!holds() && Date.now() < late) await sleep(20)
  expect(holds()).toBe(true)
}

describe("execute_command", () => {
  it("S32 S42: tells exit code, signal, time limit and a missing command apart, with readable output and no keys", async () => {
    const calls: [JsonObject & { command: string }, RegExp, RegExp?][] = [
      [{ command: "echo fine; echo bad >&2; exit 3" }, /Exit code: 3[\s\S]*fine\nbad/],
      [{ command: "kill -9 $$" }, /SIGKILL/, /Exit code/],
      [{ command: "no-such-program-at-all" }, /127[\s\S]*not found/],
      [{ command: "printf 'a\\rb\\n\\033[31mred\\033[0m\\007\\n10%%\\r50%%\\r100%%\\n'" }, /b\nred\n100%/, /50%|\\u001b|\r/],
      [{ command: "cat; echo read nothing" }, /read nothing/],
      [{ command: "pwd", cwd: "sub" }, /\/workspace\/sub/],
      [{ command: "pwd", cwd: "missing" }, /no such folder/],
      [{ command: "env; echo [$OPENAI_API_KEY$MY_KEY]" }, /PAGER=[\s\S]*\[\]/, /sekret/],
      [{ command: "seq 1 400000" }, /399999\n400000/, /\n200000\n/],
      [{ command: "sleep 60" }, /killed|limit|too long/i],
      [{ command: "true" }, /Exit code: 0[\s\S]*printed nothing/],
    ]
    const { target } = await modelThat(
      reply(...calls.map(([input]) => call("execute_command", input))),
      reply(output({ artifact_id: "cmd-8", search: "^2000\\d\\d$" }), output({}), output({ artifact_id: "cmd-99" })),
    )
    const here = place({ "sub/x": "" })
    mkdirSync(here.home)
    writeFileSync(join(here.home, "settings.json"), JSON.stringify({ commandExecutionTimeout: 2 }))
    const env = { OPENAI_API_KEY: "sekret-one", MY_KEY: "sekret-two" }
    const { code, stdout, stderr } = await here.run([...target, "--api-key-env", "MY_KEY", "go"], { env })
    expect(code, stdout.slice(-2000) + stderr).toBe(0)
    const results = told(here)
    for (const [at, [input, words, never]] of calls.entries()) {
      const { text } = results[`1.${at + 1}`] ?? { text: "" }
      const what = `${input.command} → ${text.slice(0, 300)} … ${text.slice(-100)}`
      expect.soft(words.test(text), what).toBe(true)
      if (never) expect.soft(never.test(text), what).toBe(false)
      expect.soft(text.length, what).toBeLessThan(60_000)
    }
    expect(results["2.1"]?.text).toMatch(/100 lines match[\s\S]*200099/)
    expect(results["2.2"]?.text).toContain("cmd-1")
    expect(results["2.3"]).toMatchObject({ kind: "failed", text: expect.stringContaining("cmd-") })
  })

  it("leaves in the background what takes longer, tells when it ends, can read it and kill it", async () => {
    const [first, second] = [unique(), unique()]
    const { model, target } = await modelThat(
      reply(
        run("sleep 0.6; echo over", { timeout: 0.1 }),
        run(`sleep ${first}`, { timeout: 0 }),
        run(`trap '' TERM INT HUP; sleep ${second} & wait; sleep ${second}`, { timeout: 0.2 }),
      ),
      reply(output({ artifact_id: "cmd-2", kill: true }), run("sleep 1")),
      reply(output({ artifact_id: "cmd-1" })),
    )
    const here = place()
    const { code, stdout } = await here.run([...target, "go"])
    expect(code, stdout).toBe(0)
    const results = told(here)
    expect(results["1.1"]?.text).toMatch(/goes on in the background as cmd-1/)
    expect(results["2.1"]?.text).toMatch(/killed|ended/i)
    expect(JSON.stringify(model.requests[2])).toMatch(/cmd-1[^"]*(ended|Exit code: 0)/)
    expect(results["3.1"]?.text).toContain("over")
    expect(sleeping(first)).toBe(0)
    expect(sleeping(second), "it refused to die").toBe(0)
    const [task = ""] = readdirSync(join(here.home, "tasks"))
    expect(readdirSync(join(here.home, "tasks", task, "commands")).length).toBeGreaterThan(2)
  })

  it.skipIf(!hasTerminals)("runs on a terminal where asked, and takes what is typed (needs @lydell/node-pty)", async () => {
    const question = 'test -t 0 && test -t 1 && read -p "name? " name; echo "hello $name"'
    const { target } = await modelThat(
      reply(run(question, { terminal: true, timeout: 0.5 })),
      reply(call("send_command_input", { artifact_id: "cmd-1", input: "Joey\n" }), output({ artifact_id: "cmd-1", wait: 5 })),
    )
    const here = place()
    const { code, stdout } = await here.run([...target, "go"])
    expect(code, stdout).toBe(0)
    expect(told(here)["1.1"]?.text).toContain("name?")
    expect(told(here)["2.2"]?.text).toContain("hello Joey")
  })

  it("dies with Joey: Ctrl-C ends the whole tree, and what kill -9 of Joey leaves is ended when the task goes on", async () => {
    const [inner, orphan] = [unique(), unique()]
    const { target } = await modelThat(reply(run(`(sleep ${inner} &) ; sh -c 'sleep ${inner}; echo never'; touch never.txt`)))
    const here = place()
    const stopped = await here.run([...target, "go"], {
      async started(child) {
        await until(() => sleeping(inner) > 0)
        child.kill("SIGINT")
      },
    })
    expect(stopped.code, stopped.stdout).toBe(130)
    await until(() => sleeping(inner) === 0)
    expect(told(here)["1.1"]).toMatchObject({ kind: "cancelled" })

    const other = place()
    const again = await modelThat(reply(run(`sleep ${orphan}`)))
    const killed = await other.run([...again.target, "go"], {
      async started(child) {
        await until(() => sleeping(orphan) > 0)
        child.kill("SIGKILL")
      },
    })
    expect(killed.signal).toBe("SIGKILL")
    const resumed = await other.run([...again.target, "--continue"])
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(told(other)["1.1"]).toMatchObject({ kind: "interrupted", text: expect.stringContaining("look before repeating") })
    expect(sleeping(orphan)).toBe(0)
    expect(existsSync(join(here.workspace, "never.txt"))).toBe(false)
  })
})
