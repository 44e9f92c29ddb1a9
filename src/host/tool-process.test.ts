import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonObject } from "../types/json.ts"
import { sandboxProblem } from "./sandbox.ts"
import { temporaryFolder } from "./temporary-folder.ts"
import { runToolProcess, type ToolRun, type ToolWish } from "./tool-process.ts"

const hasBubblewrap = (await sandboxProblem()) === undefined
const KIT = "const { joey, zod } = globalThis[Symbol.for('joey.tool-kit')];"

async function start(program: string, wish: ToolWish, more: Partial<ToolRun> = {}) {
  const cwd = more.cwd ?? (await temporaryFolder())
  return runToolProcess({
    program: KIT + program,
    file: join(cwd, "tool.ts"),
    wish,
    cwd,
    withheld: [],
    timeoutMs: 30_000,
    ...more,
  })
}

/** The body of an execute function, called with `{ n: 1 }`. */
function execute(body: string, more: Partial<ToolRun> = {}) {
  const program = `export default joey.defineCustomTool({ name: "t", description: "d", async execute(args, context) { ${body} } })`
  return start(program, { kind: "run", tool: "t", input: { n: 1 }, context: { mode: "code" } }, more)
}

async function answerOf(running: ReturnType<typeof start>): Promise<JsonObject> {
  const ended = await running
  if (ended.ending !== "answered") throw new Error(`no answer: ${JSON.stringify(ended)}`)
  return ended.answer
}

/** A number no other sleeper has. */
const unique = () => `9${Math.floor(Math.random() * 1e8)}.5`
const sleepers = (seconds: string) =>
  spawnSync("pgrep", ["-f", `^sleep ${seconds}$`])
    .stdout.toString()
    .split("\n")
    .filter(Boolean).length

describe("the process of custom tools", () => {
  it("S39: describes every tool of a file, with the schema of its parameters, and nothing else", async () => {
    const program = `const z = joey.parametersSchema
      export default { name: "add", description: "Adds", parameters: z.object({ a: z.number().describe("first"), b: z.number().optional() }), execute() {} }
      export const other = { name: "now", description: "Tells the time", execute: async () => "" }
      export const same = other
      export const noTool = { name: "x" }`
    const { kind, tools } = await answerOf(start(program, { kind: "describe" }))
    expect(kind).toBe("described")
    expect(tools).toMatchObject([
      {
        name: "add",
        parameters: { type: "object", required: ["a"], properties: { a: { type: "number", description: "first" } } },
      },
      { name: "now", description: "Tells the time", parameters: {} },
    ])
  })

  it("S39: runs one tool with its arguments and says what it returned", async () => {
    const said = await answerOf(execute("return args.n + ' in ' + context.mode"))
    expect(said).toEqual({ kind: "result", text: "1 in code", characters: 9 })
  })

  it.each([
    ["an object", "return { a: [1] }", '{\n  "a": [\n    1\n  ]\n}'],
    ["nothing", "", ""],
    ["null", "return null", "null"],
    ["a function", "return () => 1", "() => 1"],
    [
      "what prints noise all the while",
      "console.log('{\\u0022kind\\u0022:\\u0022result\\u0022}'); process.stdout.write('\\x00\\xff\\n'); return 'real'",
      "real",
    ],
    ["what patches prototypes", "Array.prototype.map = Object.keys = String = () => { throw 1 }; return 'still'", "still"],
    ["what goes on after its result", "setInterval(() => {}, 10); return 'done'", "done"],
  ])("S39: takes %s as a result", async (_, body, text) => {
    expect(await answerOf(execute(body))).toMatchObject({ kind: "result", text })
  })

  it.each([
    ["throws an error", "throw new Error('no luck')", "no luck"],
    ["throws words", "throw 'words'", "words"],
    ["throws nothing", "throw undefined", "undefined"],
    ["throws what cannot be read", "throw { get message() { throw 1 } }", "an error that cannot be read"],
    ["throws an object", "throw { code: 7 }", '{"code":7}'],
    [
      "fails beside its result",
      "setTimeout(() => { throw new Error('late') }, 5); await new Promise(() => { setInterval(() => {}, 9) })",
      "late",
    ],
    ["returns what cannot be told", "const a = {}; a.a = a; return a", "circular"],
  ])("S39: a tool that %s has failed, in its own words", async (_, body, words) => {
    const { kind, message } = await answerOf(execute(body))
    expect(kind).toBe("failed")
    expect(message).toContain(words)
  })

  it("S39: checks the arguments as the tool itself defines them", async () => {
    const program = `export default { name: "t", description: "d", parameters: zod.object({ n: zod.number().min(5), m: zod.string().default("x") }), execute: ({ m }) => m }`
    const call = (input: JsonObject) => answerOf(start(program, { kind: "run", tool: "t", input, context: {} }))
    expect(await call({ n: 1 })).toMatchObject({ kind: "invalid", problems: [expect.stringContaining("`n`")] })
    expect(await call({ n: 9 })).toMatchObject({ kind: "result", text: "x" })
  })

  it("S39: ends one that exits in the middle, with what it printed", async () => {
    expect(await execute("console.error('oh no'); process.exit(3)")).toEqual({ ending: "exited", exitCode: 3, printed: "oh no" })
    expect(await execute("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})")).toMatchObject({
      signal: "SIGKILL",
    })
    expect(await execute("await new Promise(() => {})")).toMatchObject({ ending: "exited" })
  })

  it("S39: ends one that never ends, also in a busy loop, with everything it started", async () => {
    const seconds = unique()
    const spawns = `(await import("node:child_process")).spawn("sleep", ["${seconds}"], { detached: true, stdio: "ignore" });`
    expect(await execute(`${spawns} console.log("here"); await null; while (true);`, { timeoutMs: 700 })).toMatchObject({
      ending: "timed-out",
    })
    expect(sleepers(seconds)).toBe(0)
  })

  it("S39: leaves nothing running after a result", async () => {
    const seconds = unique()
    await execute(
      `(await import("node:child_process")).spawn("sleep", ["${seconds}"], { detached: true, stdio: "ignore" }); return "x"`,
    )
    expect(sleepers(seconds)).toBe(0)
  })

  it("S39: stops when cancelled, before and while it runs", async () => {
    expect(await execute("return 1", { signal: AbortSignal.abort() })).toMatchObject({ ending: "cancelled" })
    expect(
      await execute("await new Promise(() => { setInterval(() => {}, 9) })", { signal: AbortSignal.timeout(300) }),
    ).toMatchObject({ ending: "cancelled" })
  })

  it("S39: takes no more than is bearable, whatever it returns or writes", async () => {
    const huge = await answerOf(execute("return 'x'.repeat(200_000_000)"))
    expect(huge).toMatchObject({ kind: "result", characters: 200_000_000 })
    expect(String(huge["text"])).toHaveLength(1_000_000)
    const flood = `const { writeSync } = await import("node:fs"); const part = "x".repeat(1e6); while (true) writeSync(3, part)`
    expect(await execute(flood)).toMatchObject({ ending: "too-much" })
    const garbage = `const { writeSync } = await import("node:fs"); writeSync(3, "{]\\n"); await new Promise(() => { setInterval(() => {}, 9) })`
    expect(await execute(garbage)).toMatchObject({ ending: "garbled" })
    expect(await execute("const all = []; while (true) all.push(new Array(1e6).fill(0.5))")).toMatchObject({ ending: "exited" })
  }, 30_000)

  it("S39: hands it no key of ours, and closes its input", async () => {
    Object.assign(process.env, { ANTHROPIC_API_KEY: "secret-1", OWN_KEY: "secret-2" })
    onTestFinished(() => {
      for (const name of ["ANTHROPIC_API_KEY", "OWN_KEY"]) delete process.env[name]
    })
    const body = `const { readFileSync } = await import("node:fs"); return JSON.stringify(process.env) + readFileSync(0, "utf8")`
    const { text } = await answerOf(execute(body, { withheld: ["OWN_KEY"] }))
    expect(text).toContain("PATH")
    expect(text).not.toContain("secret-")
  })

  it("lets what it prints be watched", async () => {
    const heard: string[] = []
    await execute("console.log('\\x1b[31mred'); await new Promise((r) => setTimeout(r, 100))", {
      onOutput: (text) => heard.push(text),
    })
    expect(heard.join("")).toContain("red")
    expect(heard.join("")).not.toContain("\x1b")
  })

  it("loads nothing when the file cannot be loaded, and says why", async () => {
    const load = (program: string) => answerOf(start(program, { kind: "describe" }))
    expect(await load("throw new Error('broken at the top')")).toMatchObject({ kind: "failed", message: "broken at the top" })
    expect(await load("export default {")).toMatchObject({ kind: "failed", message: expect.stringContaining("Unexpected") })
    expect(await load("export default 1")).toEqual({ kind: "described", tools: [] })
  })

  it("S39: its end is the end of a fork bomb, too", async () => {
    const cwd = await temporaryFolder()
    const bomb = `const { spawn } = await import("node:child_process"); const { writeFileSync } = await import("node:fs")
      const line = 'for i in 1 2 3 4 5 6; do (sleep 30; echo late > late) & done; wait'
      for (let i = 0; i < 5; i++) spawn("setsid", ["sh", "-c", line], { stdio: "ignore" })
      await new Promise((r) => setTimeout(r, 300)); writeFileSync("ready", ""); await new Promise(() => { setInterval(() => {}, 99) })`
    const stop = new AbortController()
    const running = execute(bomb, { cwd, signal: stop.signal })
    while (!existsSync(join(cwd, "ready"))) await sleep(20)
    stop.abort()
    expect(await running).toMatchObject({ ending: "cancelled" })
    expect(spawnSync("pgrep", ["-f", "echo late > late"]).stdout.toString()).toBe("")
  })

  it.skipIf(!hasBubblewrap)(
    "S39: stays behind the walls of commands where they are wanted (skipped where bubblewrap is missing)",
    async () => {
      const [cwd, folder, elsewhere] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
      const rules = { workspace: cwd, joeyHome: folder, network: true, readOnly: false, writable: [], readable: [] }
      const body = `const { writeFileSync } = await import("node:fs"); writeFileSync("inside", "x"); writeFileSync("${elsewhere}/outside", "x")`
      const { kind } = await answerOf(execute(body, { cwd, sandbox: { rules, folder } }))
      expect(kind).toBe("failed")
      expect(existsSync(join(cwd, "inside"))).toBe(true)
      expect(existsSync(join(elsewhere, "outside"))).toBe(false)
    },
  )
})
