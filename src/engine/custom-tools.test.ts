import { rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { memoryHost } from "../host/memory.ts"
import { type Files, testFolder, write } from "../project/test-folder.ts"
import { trustStore } from "../settings/trust.ts"
import { callTool } from "../tools/call-tool.ts"
import type { JsonObject } from "../types/json.ts"
import { customTools, untrustedTools } from "./custom-tools.ts"

const greet = `import { parametersSchema as z, defineCustomTool } from "@roo-code/types"
export default defineCustomTool({
  name: "greet",
  description: "Greets somebody",
  parameters: z.object({ name: z.string().min(2).describe("Who") }),
  async execute({ name }, { mode, task }) {
    return \`Hello \${name} from \${mode}, \${task.cwd === process.cwd()}\`
  },
})
`
const plain = (name: string, says = name) => `export default { name: "${name}", description: "d", execute: () => "${says}" }`

interface Scene {
  work?: Files
  home?: Files
  trustProject?: boolean
  timeout?: number
  loadMs?: number
}

async function scene({ work = {}, home = {}, trustProject = true, timeout = 30, loadMs = 30_000 }: Scene) {
  const folder = await testFolder({ work: { ".git/": "", ...work }, home })
  const notices: string[] = []
  const settings = { enabled: true, timeout }
  const places = { workspace: folder.workspace, home: join(folder.home, ".joey"), userHome: folder.home, trustProject }
  const notice = (text: string) => void notices.push(text)
  const open = () =>
    customTools({ ...places, task: "1", loadMs, withheld: [], settings: () => settings, mode: () => "code", notice })
  const source = open()
  await source.refresh()
  const names = () => source.offered().map(({ name }) => name)
  const call = (name: string, args: JsonObject = {}) => {
    const tool = source.find(name)
    if (!tool) throw new Error(`no tool ${name}: ${notices.join()}`)
    return callTool(tool, args, memoryHost({}))
  }
  return { ...folder, places, source, open, settings, notices, names, call }
}

describe("custom tools", () => {
  it("S39: a file written for Roo Code is offered and runs in a process of its own", async () => {
    const { source, call, notices } = await scene({ work: { ".roo/tools/greet.ts": greet } })
    expect(notices).toEqual([])
    expect(source.offered()).toMatchObject([
      {
        name: "greet",
        description: "Greets somebody",
        group: "command",
        effect: "execute",
        input: { jsonSchema: { required: ["name"], properties: { name: { type: "string", description: "Who" } } } },
      },
    ])
    const said = "Hello Ada from code, true"
    expect(await call("greet", { name: "Ada" })).toEqual({ say: said, show: { kind: "text", title: "greet", text: said } })
    expect(source.find("greet")?.preview?.({ name: "A" })).toEqual({ kind: "input", tool: "greet", input: { name: "A" } })
  })

  it("S39: nothing of a project runs before it is trusted, and a change asks again", async () => {
    const touch = `import { writeFileSync } from "node:fs"\nwriteFileSync("ran", "")\n`
    const work = { ".roo/tools/t.ts": touch + plain("t", "one") }
    const { workspace, places, source, notices, names, call, open } = await scene({ work, trustProject: false })
    expect(names()).toEqual([])
    expect(notices).toEqual([expect.stringMatching(/^\.roo\/tools\/t\.ts: This custom tool is left out until you trust it/)])
    await expect(rm(join(workspace, "ran"))).rejects.toThrow("ENOENT")

    const items = await untrustedTools(places)
    expect(items).toMatchObject([{ kind: "tool", name: ".roo/tools/t.ts", source: join(workspace, ".roo/tools/t.ts") }])
    await (await trustStore(places.home)).remember(items)
    expect(await untrustedTools(places)).toEqual([])
    const again = open()
    await again.refresh()
    expect(again.offered().map(({ name }) => name)).toEqual(["t"])

    await write(workspace, { ".roo/tools/t.ts": `${touch}${plain("t", "two, and more")}` })
    await Promise.all([again.refresh(), source.refresh()])
    expect(again.offered()).toEqual([])
    expect(await untrustedTools(places)).toHaveLength(1)
    await write(workspace, { ".roo/tools/t.ts": touch + plain("t", "one") })
    await source.refresh()
    expect((await call("t")).say).toBe("one")
  })

  it("S39: those of the person need no trust, and those of a project take their place by name", async () => {
    const home = { ".joey/tools/t.js": plain("t", "mine"), ".roo/tools/own.js": plain("own") }
    const { call, names, places } = await scene({ home, work: { ".joey/tools/t.js": plain("t", "theirs") } })
    expect(names()).toEqual(["own", "t"])
    expect((await call("t")).say).toBe("theirs")
    expect(await untrustedTools({ ...places, trustProject: false })).toHaveLength(1)
    const untrusted = await scene({ home, work: { ".joey/tools/t.js": plain("t", "theirs") }, trustProject: false })
    expect((await untrusted.call("t")).say).toBe("mine")
  })

  it("S39: a change is taken up before the next request, and nothing else is loaded again", async () => {
    const { workspace, source, call, names } = await scene({
      work: { ".joey/tools/a.js": plain("a"), ".joey/tools/b.js": plain("b") },
    })
    const before = source.offered()
    await source.refresh()
    expect(source.offered()).toBe(before)
    await write(workspace, { ".joey/tools/a.js": plain("a", "changed"), ".joey/tools/c.js": plain("c") })
    await source.refresh()
    expect(names()).toEqual(["a", "b", "c"])
    expect((await call("a")).say).toBe("changed")
    await rm(join(workspace, ".joey/tools/b.js"))
    await source.refresh()
    expect(names()).toEqual(["a", "c"])
  })

  it("S39: can be switched off, and on again", async () => {
    const { source, settings, names } = await scene({ home: { ".joey/tools/a.js": plain("a") } })
    settings.enabled = false
    await source.refresh()
    expect(names()).toEqual([])
    settings.enabled = true
    await source.refresh()
    expect(names()).toEqual(["a"])
  })

  it.each([
    ["is named as one of Joey's", plain("read_file"), "another tool has this name"],
    ["poses as a server's", plain("mcp--a--b"), "another tool has this name"],
    ["has no description", `export default { name: "x", execute() {} }`, "x has no description"],
    ["exports nothing", "export default 1", "exports no tool"],
    ["throws while it is loaded", "throw new Error('broken')", "cannot be loaded: broken"],
    ["exits while it is loaded", "process.exit(1)", "ends while it is loaded"],
  ])(
    "S39: one that %s is told in one line and left out, the others live",
    async (_, text, words) => {
      const { names, notices } = await scene({ work: { ".roo/tools/bad.mjs": text, ".roo/tools/good.js": plain("good") } })
      expect(names()).toEqual(["good"])
      expect(notices).toEqual([expect.stringContaining(words)])
      expect(notices[0]).not.toContain("\n")
    },
    15_000,
  )

  it.each([
    ["throws", "throw new Error('no luck')", "t failed: no luck"],
    ["exits", "console.log('bye'); process.exit(4)", "t ended with exit code 4 before it had a result; it printed: bye."],
    ["dies", "process.kill(process.pid, 'SIGSEGV'); while (true);", "t ended by SIGSEGV"],
  ])("S39: a call that %s fails in words for the model", async (_, body, words) => {
    const text = `export default { name: "t", description: "d", async execute() { ${body} } }`
    const { call } = await scene({ home: { ".joey/tools/t.js": text } })
    await expect(call("t")).rejects.toThrow(words)
  })

  it("S39: one that never ends is stopped, while it is loaded and while it runs", async () => {
    const loading = await scene({
      home: { ".joey/tools/t.js": "await new Promise(() => setInterval(() => {}, 99))" },
      loadMs: 500,
    })
    expect(loading.notices).toEqual([expect.stringContaining("it takes too long to load")])
    const text = `export default { name: "t", description: "d", execute() { while (true); } }`
    const { call } = await scene({ home: { ".joey/tools/t.js": text }, timeout: 1 })
    await expect(call("t")).rejects.toThrow("t was stopped: it had no result after 1 second")
  })

  it("S39: arguments are checked before its process starts, and there again", async () => {
    const { call } = await scene({ work: { ".roo/tools/greet.ts": greet } })
    await expect(call("greet", {})).rejects.toThrow("`name`: expected string of at least 2 characters, got nothing")
    const exact = `import { z } from "joey"
      export default { name: "even", description: "d", parameters: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }), execute: ({ n }) => n }`
    const other = await scene({ work: { ".roo/tools/even.ts": exact } })
    await expect(other.call("even", { n: 3 })).rejects.toThrow("The arguments of even are wrong: `n`: must be even")
    expect((await other.call("even", { n: "4" })).say).toBe("4")
  })

  it("S39: a result of two hundred megabytes is a bounded one for model and person", async () => {
    const text = `export default { name: "t", description: "d", execute: () => "x".repeat(2e8) }`
    const { say, show } = await (await scene({ home: { ".joey/tools/t.js": text } })).call("t")
    expect(String(say).length).toBeLessThan(51_000)
    expect(say).toMatch(/characters left out/)
    expect(JSON.stringify(show).length).toBeLessThan(5000)
  })

  it("a second start neither bundles nor loads what it knows", async () => {
    const loads = `import { appendFileSync } from "node:fs"\nappendFileSync("loads", "x")\n${plain("a")}`
    const { workspace, open } = await scene({ work: { ".joey/tools/a.js": loads } })
    const again = open()
    await again.refresh()
    expect(again.offered()).toHaveLength(1)
    const { readFile } = await import("node:fs/promises")
    expect(await readFile(join(workspace, "loads"), "utf8")).toBe("x")
  })
})
