import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scriptedServer } from "../../engine/server-test.ts"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import { UsageError } from "../arguments.ts"
import { MCP_HELP, mcp } from "./mcp.ts"

interface Told {
  code: number
  text: string
  errors: string
}

async function tell(args: string[], folder: string): Promise<Told> {
  const written = { text: "", errors: "" }
  const fake: NodeJS.Process = Object.create(process, {
    env: { value: { JOEY_HOME: join(folder, "home"), PATH: process.env["PATH"] } },
    cwd: { value: () => join(folder, "work") },
    stdout: { value: { write: (words: string) => (written.text += words) } },
    stderr: { value: { write: (words: string) => (written.errors += words) } },
  })
  const code = await mcp(args, fake)
  return { code, ...written }
}

/** One server that answers, one that cannot start, one of the project that nobody trusts yet. */
async function scene(): Promise<string> {
  const scripts = await temporaryFolder({})
  const { command, args } = scriptedServer(
    scripts,
    'if (method === "tools/call") return params.arguments.fail ? { ...text("no"), isError: true } : text("did it")',
    'console.error("up and running")',
  )
  const own = { good: { command, args }, broken: { command: "no-such-program" } }
  return temporaryFolder({
    "home/mcp.json": JSON.stringify({ mcpServers: own }),
    "work/.mcp.json": JSON.stringify({ mcpServers: { theirs: { command: "x" } } }),
  })
}

describe("joey mcp", () => {
  it("lists servers, how each is doing, and what its tools cost", async () => {
    const { code, text, errors } = await tell([], await scene())
    expect(code).toBe(0)
    expect(text).toMatch(
      /^good: ready \(1 tool, \d+ tokens\)\n {2}.*\n {2}yours, .*mcp\.json; scripted 1, protocol 2025-11-25\n {2}mcp--good--act +\d+ {2}act\n/,
    )
    expect(text).toContain('broken: failed: there is no program "no-such-program"')
    expect(errors).toContain('The server "theirs" is left out until you trust this project')
  }, 30_000)

  it("calls a tool by hand, and its failure is an exit code", async () => {
    const folder = await scene()
    const done = await tell(["call", "good", "act", "{}"], folder)
    expect([done.code, JSON.parse(done.text)]).toEqual([0, { content: [{ type: "text", text: "did it" }] }])
    expect((await tell(["call", "good", "act", '{"fail": true}'], folder)).code).toBe(1)
    const none = await tell(["call", "good", "nope"], folder)
    expect([none.code, none.errors]).toEqual([1, expect.stringContaining('The server "good" has no tool "nope". It has: act.')])
    const log = await tell(["log", "good", "--lines", "50"], folder)
    expect(log.text).toContain("up and running")
  }, 40_000)

  it("says in one line what is wrong with what was typed", async () => {
    const folder = await scene()
    await expect(tell(["dance"], folder)).rejects.toThrow(new UsageError("There is no joey mcp dance; see joey mcp --help."))
    await expect(tell(["log", "godo"], folder)).rejects.toThrow(/There is no server "godo" \(good\?\); there are good, broken\./)
    await expect(tell(["call", "good", "act", "[1]"], folder)).rejects.toThrow(/The arguments are a JSON object/)
    await expect(tell(["log"], folder)).rejects.toThrow("Say which server: good, broken.")
    await expect(tell(["constructor"], folder)).rejects.toThrow("There is no joey mcp constructor")
  })

  it("says how to begin where nothing is configured, and its help fits a screen", async () => {
    expect((await tell([], await temporaryFolder({ "home/": "", "work/": "" }))).text).toMatch(/^No servers are configured here/)
    expect(MCP_HELP.split("\n").filter((line) => line.length > 118)).toEqual([])
  })
})
