import { chmodSync, existsSync, mkdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bareReply, call, rawCall, refuse, reply, type Scenario, say } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

async function withModel<T>(scenario: Scenario, use: (target: string[], model: ScriptedModel) => Promise<T>): Promise<T> {
  const model = await startScriptedModel(scenario)
  try {
    return await use(["--base-url", model.url, "--model", "anything"], model)
  } finally {
    await model.close()
  }
}

const complete = (result: string) => reply(call("attempt_completion", { result }))

describe("joey against any OpenAI-compatible server", () => {
  it("S1: sends tools as function definitions, never in the prompt, and needs no key", async () => {
    await withModel([complete("Fine.")], async (target, model) => {
      const { code, stdout } = await place().run([...target, "look around"])
      expect(code).toBe(0)
      expect(stdout).toContain("Fine.")
      const [request] = model.requests
      const tools =
        (request as { tools?: { type: string; function: { name: string; parameters: { additionalProperties?: boolean } } }[] })
          .tools ?? []
      expect(tools.map((tool) => tool.type)).toEqual(tools.map(() => "function"))
      expect(tools.map((tool) => tool.function.name)).toContain("read_file")
      expect(tools.every((tool) => tool.function.parameters.additionalProperties === false)).toBe(true)
      expect(model.problems).toEqual([])
    })
  })

  it("S12 S13 S14 S16: the five malformed calls each reach the model as an error, and the task goes on", async () => {
    const broken = [
      rawCall("write_to_file", '{"path": "a.txt", "content": "x"'),
      rawCall("write_to_file", '{"path": "a.txt", "content": "x"}}'),
      rawCall("write_to_file", '{"path": "a.txt", "content": "C:\\dir"}'),
      rawCall("write_to_file", "this is not JSON at all"),
      rawCall("write_to_file", '{"path": 42, "content": true}'),
    ]
    await withModel([...broken.map((piece) => reply(piece)), complete("Gave up.")], async (target, model) => {
      const here = place()
      const { code, stdout } = await here.run([
        ...target,
        "--yes",
        "--limit",
        "mistakes=9",
        "--output-format",
        "stream-json",
        "write",
      ])
      expect(code, stdout).toBe(0)
      expect(existsSync(join(here.workspace, "a.txt"))).toBe(false)
      expect(model.problems).toEqual([])
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const results = events.filter((event) => event.type === "call-finished").slice(0, 5)
      expect(results.map((event) => event.result)).toEqual(["invalid", "invalid", "invalid", "invalid", "invalid"])
      expect(
        results
          .slice(0, 4)
          .every((event) => event.show.kind === "malformed" && /write_to_file.*character \d+/.test(event.content[0].text)),
      ).toBe(true)
      expect(results[4].content[0].text).toMatch(/path.*expected string, got number/i)
    })
  })

  it("S21: reminds a model that only talks once, then takes its text as the answer", async () => {
    await withModel([reply(say("It is 4.")), reply(say("Still 4."))], async (target, model) => {
      const { code, stdout } = await place().run([...target, "--output-format", "json", "what is 2+2?"])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ v: 1, type: "result", status: "answered", exit: 0, result: "Still 4." })
      expect(model.requests).toHaveLength(2)
    })
  })

  it("S28: without a terminal a question ends the run with 3, and --continue goes on from there", async () => {
    await withModel(
      [reply(call("write_to_file", { path: "a.txt", content: "hello\n" })), complete("Written.")],
      async (target, model) => {
        const here = place()
        const asked = await here.run([...target, "write a file"])
        expect(asked.code).toBe(3)
        expect(asked.stdout.trim().split("\n").at(-1)).toMatch(
          /^Needs a person: write_to_file waits for approval because .* joey --continue$/,
        )
        expect(existsSync(join(here.workspace, "a.txt"))).toBe(false)
        const resumed = await here.run([...target, "--continue", "--yes"])
        expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
        expect(here.read("a.txt")).toBe("hello\n")
        expect(model.problems).toEqual([])
      },
    )
  })

  it("S17 S25: stream-json holds every call and its result, and ends with task-finished and the result", async () => {
    const scenario = [reply(call("list_files", { path: ".", recursive: false }), call("nonsense", {})), complete("Listed.")]
    await withModel(scenario, async (target) => {
      const { stdout } = await place({ "a.txt": "" }).run([...target, "--output-format", "stream-json", "list"])
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(lines.every((line) => line.v === 1)).toBe(true)
      const called = lines
        .flatMap((line) => (line.type === "replied" ? line.message.parts : []))
        .filter((part) => part.type === "call")
      const finished = lines.filter((line) => line.type === "call-finished").map((line) => line.callKey)
      expect(finished).toEqual(called.map((part) => part.call.key))
      expect(lines.at(0)).toMatchObject({ type: "task-started" })
      expect(lines.at(-2)).toMatchObject({ type: "task-finished", ending: { reason: "accepted" } })
      expect(lines.at(-1)).toMatchObject({ type: "result", status: "accepted", result: "Listed." })
    })
  })

  it("reads the task from standard input, a prompt file and the command line, all together", async () => {
    await withModel([complete("Read.")], async (target, model) => {
      const here = place({ "prompt.md": "from the file" })
      const { code } = await here.run([...target, "--prompt-file", "prompt.md", "from the words"], { input: "from the pipe" })
      expect(code).toBe(0)
      const heard = JSON.stringify(model.requests[0])
      for (const part of ["from the file", "from the words", "from the pipe"]) expect(heard).toContain(part)
    })
  })

  it("goes on without standard input when somebody leaves a pipe open", async () => {
    await withModel([complete("Went on.")], async (target) => {
      const here = place()
      const run = new Promise<{ code: number | null; stderr: string }>((done) => {
        import("node:child_process").then(({ spawn }) => {
          const child = spawn(process.execPath, [join(process.cwd(), "dist/joey.js"), ...target, "go"], {
            cwd: here.workspace,
            env: { PATH: process.env["PATH"], JOEY_HOME: here.home },
            stdio: ["pipe", "ignore", "pipe"],
          })
          let stderr = ""
          child.stderr.on("data", (text) => {
            stderr += text
          })
          child.on("close", (code) => done({ code, stderr }))
        })
      })
      const { code, stderr } = await run
      expect(code).toBe(0)
      expect(stderr).toContain("going on without it")
    })
  })

  it("pauses at a limit with exit 4 and a reason", async () => {
    const scenario: Scenario = (_request, turn) => reply(call("list_files", { path: ".", recursive: turn % 2 === 0 }))
    await withModel(scenario, async (target) => {
      const { code, stdout } = await place().run([...target, "--limit", "turns=3", "list for ever"])
      expect(code).toBe(4)
      expect(stdout).toContain("3 turns were taken (limit 3)")
    })
  })

  it("is cancelled by SIGINT in the middle of a stream with exit 130, and its history stays valid", async () => {
    await withModel([bareReply(say("I begin "), { hang: true }), complete("Finished later.")], async (target, model) => {
      const here = place()
      const { code } = await here.run([...target, "start"], {
        started: (child) => child.stdout?.on("data", (text) => String(text).includes("I begin") && child.kill("SIGINT")),
      })
      expect(code).toBe(130)
      expect(here.log().at(-1)).toMatchObject({ type: "task-finished", ending: { reason: "cancelled" } })
      const resumed = await here.run([...target, "--continue", "go on"])
      expect(resumed.code, resumed.stdout).toBe(0)
      expect(model.problems).toEqual([])
    })
  })

  it("is cancelled by SIGINT in the middle of a command, whose whole process tree ends", async () => {
    const command = "echo started; sh -c 'sleep 30; echo late > late.txt'; echo never"
    await withModel([reply(call("execute_command", { command })), complete("Later.")], async (target, model) => {
      const here = place()
      const started = performance.now()
      const { code } = await here.run([...target, "--yes", "--output-format", "stream-json", "run"], {
        started: (child) =>
          child.stdout?.on(
            "data",
            (text) => String(text).includes("call-started") && setTimeout(() => child.kill("SIGINT"), 200),
          ),
      })
      expect(code).toBe(130)
      expect(performance.now() - started).toBeLessThan(10_000)
      expect(here.log().find((event) => event.type === "call-finished")).toMatchObject({ result: "cancelled" })
      expect((await here.run([...target, "--continue", "go on"])).code).toBe(0)
      expect(model.problems).toEqual([])
    })
  })
})

describe("joey log", () => {
  it("S15: prints the raw text of a malformed call, with keys taken out", async () => {
    const raw = '{"path": "a.txt", "content": "token sk-or-v1-0123456789abcdef0123'
    await withModel([reply(rawCall("write_to_file", raw)), complete("Gave up.")], async (target) => {
      const here = place()
      await here.run([...target, "write"])
      const { code, stdout } = await here.run(["log"])
      expect(code).toBe(0)
      const events = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const { message } = events.find((event) => event.type === "replied")
      expect(message.parts[0].call.malformed.raw).toBe('{"path": "a.txt", "content": "token [redacted]')
      expect(stdout).not.toContain("0123456789abcdef0123")
    })
  })

  it("says when there is no such task", async () => {
    expect(await place().run(["log"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/no task of /) })
    expect(await place().run(["log", "../../etc"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/no task "/) })
  })
})

describe("bad input gets one line and the right exit code", () => {
  const oneLine = /^joey: [^\n]+\n$/

  it("unknown vendor, missing key, unknown mode, format and option are usage errors", async () => {
    const cases: [string[], RegExp][] = [
      [["--model", "nobody/some-model", "x"], /nobody/],
      [["--model", "openrouter/some-model", "x"], /OPENROUTER_API_KEY/],
      [["--model", "ollama/x", "--mode", "poet", "x"], /no mode "poet"/],
      [["--output-format", "xml", "x"], /xml/],
      [["--yes", "--ask", "x"], /--yes and --ask/],
      [["--no-such-option", "x"], /no-such-option/],
      [["--limit", "turns=many", "x"], /NAME=N/],
      [["--model", "ollama/x", "--wire", "telex", "x"], /telex/],
      [["--model", "ollama/x", "--prompt-file", "missing.md"], /missing\.md/],
      [["--model", "ollama/x", "--continue"], /no task/],
      [["--model", "ollama/x"], /Say what to do/],
    ]
    for (const [args, reason] of cases) {
      const { code, stderr } = await place().run(args)
      expect({ code, stderr }, args.join(" ")).toEqual({ code: 2, stderr: expect.stringMatching(oneLine) })
      expect(stderr).toMatch(reason)
    }
  })

  it("a workspace that is missing, a file, or unreadable", async () => {
    const here = place({ file: "" })
    mkdirSync(join(here.workspace, "closed"))
    chmodSync(join(here.workspace, "closed"), 0)
    const cases: [string, RegExp][] = [
      ["nowhere", /does not exist/],
      ["file", /is a file/],
    ]
    if (process.getuid?.() !== 0) cases.push(["closed", /cannot be read/]) // root reads everything
    for (const [workspace, reason] of cases) {
      const { code, stderr } = await here.run(["--model", "ollama/x", "--workspace", workspace, "x"])
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(oneLine) })
      expect(stderr).toMatch(reason)
    }
  })

  it("an unreachable server is named after bounded retries, and the task is kept", async () => {
    const here = place()
    const { code, stdout, stderr } = await here.run(["--base-url", "http://127.0.0.1:9/v1", "--model", "x", "hello"])
    expect(code).toBe(1)
    expect(stdout).toMatch(/127\.0\.0\.1:9/)
    expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at /)
    expect(here.log().at(-1)).toMatchObject({ type: "task-finished", ending: { reason: "fault", fault: { kind: "network" } } })
  })

  it("a server that answers HTML is said to be no model", async () => {
    const server = createServer((_request, response) =>
      response.setHeader("content-type", "text/html").end("<html>Welcome</html>"),
    )
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
    const { code, stdout } = await place().run([
      "--base-url",
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      "--model",
      "x",
      "hi",
    ])
    server.close()
    expect(code).toBe(1)
    expect(stdout).toMatch(/answers with a web page/)
  })

  it("an unknown model and a wrong key are named at once, without retries", async () => {
    for (const [status, message, reason] of [
      [404, "model not found", /model/i],
      [401, "invalid key", /key/i],
    ] as const) {
      await withModel([refuse(status, message)], async (target, model) => {
        const { code, stdout } = await place().run([...target, "hi"])
        expect(code).toBe(1)
        expect(stdout).toMatch(reason)
        expect(model.requests.length).toBeLessThanOrEqual(1)
      })
    }
  })

  it("a second writer on the same task is refused while the first one works", async () => {
    await withModel([bareReply(say("Working"), { hang: true })], async (target) => {
      const here = place()
      const { code } = await here.run([...target, "start"], {
        started(child) {
          child.stdout?.once("data", async () => {
            const second = await here.run([...target, "--continue", "me too"])
            expect(second.code).toBe(1)
            expect(second.stderr).toMatch(/^joey: Task \S+ is open in another process \(\d+\)[^\n]*\n$/)
            child.kill("SIGINT")
          })
        },
      })
      expect(code).toBe(130)
    })
  })

  it("a home that cannot be written says what to set", async () => {
    const here = place({ file: "" })
    const { code, stderr } = await here.run(["--model", "ollama/x", "hi"], { env: { JOEY_HOME: join(here.workspace, "file") } })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^joey: .*JOEY_HOME[^\n]*\n$/) })
  })
})
