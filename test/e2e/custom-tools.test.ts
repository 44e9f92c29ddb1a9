/** Custom tools in whole tasks: found, agreed to, offered, called, changed, as a person meets them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { call, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"
import { hasTerminal, onTerminal } from "./terminal.ts"

const done = reply(call("attempt_completion", { result: "All done." }))
const greet = (words: string) => `import { parametersSchema as z, defineCustomTool } from "@roo-code/types"
export default defineCustomTool({
  name: "greet",
  description: "Greets somebody",
  parameters: z.object({ name: z.string() }),
  async execute({ name }) {
    console.log("noise")
    return "${words} " + name
  },
})
`

async function scene(files: Record<string, string>, script: Reply[] | ((turn: number) => Reply)) {
  const model = await startScriptedModel(typeof script === "function" ? (_, turn) => script(turn) : script)
  onTestFinished(() => model.close())
  const here = place(files)
  const env = { HOME: here.home, JOEY_BASE_URL: model.url, JOEY_MODEL: "m" }
  const atHome = (path: string, text: string) => {
    mkdirSync(dirname(join(here.home, path)), { recursive: true })
    writeFileSync(join(here.home, path), text)
  }
  const offered = (turn: number) => model.requests[turn]?.tools?.map((tool) => tool.function.name) ?? []
  const results = () => here.log().flatMap((event) => (event.type === "call-finished" ? [event] : []))
  return { model, here, env, atHome, offered, results, run: (...args: string[]) => here.run([...args, "hello"], { env }) }
}

describe("custom tools", () => {
  it("S39: one written for Roo Code is offered, asked for and run, and its words reach the model", async () => {
    const { run, offered, results, model } = await scene({ ".roo/tools/greet.ts": greet("Hello") }, [
      reply(call("greet", { name: "Ada" })),
      done,
    ])
    expect(await run("--yes", "--trust-project")).toMatchObject({ code: 0 })
    expect(offered(0).at(-1)).toBe("greet")
    expect(results()[0]).toMatchObject({ tool: "greet", result: "done", content: [{ type: "text", text: "Hello Ada" }] })
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("Hello Ada")
    expect(model.problems).toEqual([])
  })

  it("S39: without trust nothing of a project's tool runs, and the person is told which file waits", async () => {
    const { run, offered, here, results } = await scene(
      { ".joey/tools/t.mjs": `import { writeFileSync } from "node:fs"\nwriteFileSync("ran", "")\n${greet("x")}` },
      [reply(call("greet", { name: "Ada" })), done],
    )
    const { stderr, stdout } = await run("--yes")
    expect(stderr + stdout).toMatch(/\.joey\/tools\/t\.mjs: This custom tool is left out until you trust it/)
    expect(offered(0)).not.toContain("greet")
    expect(results()[0]).toMatchObject({ tool: "greet", result: "invalid" })
    expect(existsSync(join(here.workspace, "ran"))).toBe(false)
  })

  it("S39: a tool of the person's own is there in every folder, and asked for like a command", async () => {
    const { run, atHome, here, results } = await scene({}, [reply(call("greet", { name: "Ada" })), done])
    atHome(".joey/tools/greet.js", greet("Mine:"))
    atHome("tools/greet.js", greet("Mine:"))
    const { code } = await run()
    expect(code).toBe(3) // it needs a person
    const asked = here.log().find((event) => event.type === "asked")
    expect(asked).toMatchObject({ question: { kind: "approve", tool: "greet", show: { kind: "input", input: { name: "Ada" } } } })
    expect(results()).toEqual([])
  })

  it("S39: a change in the middle of a task holds from the next request on", async () => {
    const script = (turn: number) => (turn === 3 ? done : reply(call("greet", { name: String(turn) })))
    const { model, here, run, results } = await scene({ ".joey/tools/greet.js": greet("Hello") }, (turn) => {
      if (turn === 1) here.write(".joey/tools/greet.js", greet("Good evening"))
      return script(turn)
    })
    expect(await run("--yes", "--trust-project")).toMatchObject({ code: 0 })
    const said = results().map(({ content: [first] }) => (first?.type === "text" ? first.text : ""))
    expect(said.slice(0, 3)).toEqual(["Hello 0", "Hello 1", "Good evening 2"])
    expect(model.requests).toHaveLength(4)
  })

  it("S39: hostile files cost one line each, and the task goes on", async () => {
    const { run, offered, results } = await scene(
      {
        ".joey/tools/broken.ts": "export default {",
        ".joey/tools/exits.js": "process.exit(0)",
        ".joey/tools/taken.js": greet("x").replace('"greet"', '"read_file"'),
        ".joey/tools/crash.js": greet("x").replace('"greet"', '"crash"').replace('return "x " + name', "process.exit(7)"),
        ".joey/tools/good.js": greet("Hello"),
      },
      [reply(call("crash", { name: "x" })), reply(call("greet", { name: "Ada" })), reply(say("and")), done],
    )
    const { stderr, stdout } = await run("--yes", "--trust-project")
    expect(stderr + stdout).toMatch(/broken\.ts:1: This custom tool is left out/)
    expect(stderr + stdout).toMatch(/exits\.js: This custom tool is left out: it ends while it is loaded/)
    expect(stderr + stdout).toMatch(/The custom tool read_file is left out: another tool has this name/)
    expect(offered(0).slice(-2)).toEqual(["crash", "greet"])
    expect(results()[0]).toMatchObject({
      result: "failed",
      content: [{ text: expect.stringContaining("crash ended with exit code 7") }],
    })
    expect(results()[1]).toMatchObject({ result: "done", content: [{ text: "Hello Ada" }] })
  })

  it("S39: the example works as it is", async () => {
    const text = readFileSync("examples/custom-tool/tools/todo-comments.ts", "utf8")
    const files = { ".joey/tools/todo-comments.ts": text, "src/a.ts": "// TODO one\n// FIXME two\n", "src/b.ts": "// HACK\n" }
    const { run, results } = await scene(files, [reply(call("todo_comments", { folder: "src" })), done])
    expect(await run("--yes", "--trust-project")).toMatchObject({ code: 0 })
    expect(results()[0]?.content).toEqual([{ type: "text", text: "2 src/a.ts\n1 src/b.ts" }])
  })
})

describe.skipIf(!hasTerminal)("custom tools on a terminal (skipped where @lydell/node-pty is not installed)", () => {
  it("S39: the person sees the file before it is first used; a yes holds until it changes", async () => {
    const { here, env, results } = await scene({ ".roo/tools/greet.ts": greet("Hello") }, (turn) =>
      turn % 2 ? done : reply(call("greet", { name: "Ada" })),
    )
    mkdirSync(here.home, { recursive: true })
    const open = () => onTerminal(["--plain", "--yes", "hello"], { cwd: here.workspace, env: { ...env, JOEY_HOME: here.home } })
    const first = open()
    const question = await first.until(/Trust it\?[\s\S]*yes \/ no/)
    expect(question).toMatch(/tool "\.roo\/tools\/greet\.ts" in .*\.roo\/tools\/greet\.ts/)
    expect(question).toMatch(/program: .*sha256 [0-9a-f]{16}/)
    first.type("yes\r")
    await first.until(/All done\./)
    first.type("y\r")
    await first.exit
    expect(results()[0]).toMatchObject({ tool: "greet", result: "done" })
    here.write(".roo/tools/greet.ts", greet("Something else"))
    const second = open()
    await second.until(/Trust it\?/)
    second.type("no\r")
    await second.until(/is left out until you trust it/)
    await second.until(/All done\./)
    second.type("y\r")
    await second.exit
  })
})
