/** The tools array as a whole: what modes, machine, settings, servers and tool folders make of it, and that rules hold for all of it alike. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Json } from "../../src/types/json.ts"
import { place } from "./joey.ts"

const GREET = `export default {
  name: "greet", description: "Greets", parameters: { type: "object", properties: {} }, execute: () => "Hello",
}`
const SERVER = `import { createInterface } from "node:readline"
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }))
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "initialize") {
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } })
  } else if (method === "tools/list") say(id, { tools: [{ name: "echo", description: "Echoes", inputSchema: { type: "object" } }] })
  else if (method === "tools/call") say(id, { content: [{ type: "text", text: "echoed" }] })
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }))
})
`

/** A folder with a custom tool and a server with one tool, both the person's own. */
function scene(settings: Json = {}) {
  const here = place({ "a.txt": "a" })
  mkdirSync(join(here.home, "tools"), { recursive: true })
  writeFileSync(join(here.home, "tools", "greet.mjs"), GREET)
  writeFileSync(join(here.home, "server.mjs"), SERVER)
  const servers = { mcpServers: { loud: { command: process.execPath, args: [join(here.home, "server.mjs")] } } }
  writeFileSync(join(here.home, "mcp.json"), JSON.stringify(servers))
  writeFileSync(join(here.home, "settings.json"), JSON.stringify(settings))
  return here
}

/** Calls both tools. */
async function callBoth(here: ReturnType<typeof scene>, ...args: string[]) {
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    if (repliesSoFar(request) > 0) return reply(call("attempt_completion", { result: "Done." }))
    return reply(call("greet", {}), call("mcp--loud--echo", {}))
  })
  onTestFinished(() => model.close())
  const env = { HOME: here.home, JOEY_BASE_URL: model.url, JOEY_MODEL: "m" }
  const { code, stdout, stderr } = await here.run([...args, "go"], { env })
  const results = here.log().flatMap((event) => (event.type === "call-finished" ? [event] : []))
  const offered = requests[0]?.tools?.map((tool) => tool.function.name) ?? []
  return { code, output: stdout + stderr, results, offered, env }
}

const named = (prompt: string) => [...prompt.matchAll(/^\{"name":"([^"]+)"/gm)].map(([, name]) => name)

it("S40: built-in tools, then those of servers, then custom ones; joey prompt shows the very same list", {
  timeout: 60_000,
}, async () => {
  const here = scene({ imageModel: { model: "painter", baseUrl: "http://127.0.0.1:9/v1" } })
  const { offered, results, env, output } = await callBoth(here, "--yes")
  expect(offered.slice(-3), output).toEqual(["attempt_completion", "mcp--loud--echo", "greet"])
  expect(offered).toEqual(expect.arrayContaining(["codebase_search", "generate_image"]))
  expect(results.slice(0, 2)).toMatchObject([
    { result: "done", content: [{ text: "Hello" }] },
    { result: "done", content: [{ text: expect.stringContaining("echoed") }] },
  ])
  expect(named((await here.run(["prompt"], { env })).stdout)).toEqual(offered)
})

it("S40: each mode offers what its groups hold, and runs nothing else", { timeout: 60_000 }, async () => {
  const here = scene()
  const { offered, results } = await callBoth(here, "--yes", "--mode", "ask")
  expect(offered).toContain("mcp--loud--echo")
  for (const name of ["greet", "execute_command", "write_to_file", "generate_image"]) expect(offered).not.toContain(name)
  expect(results[0]).toMatchObject({ result: "invalid", content: [{ text: "greet is not available in ask mode." }] })
  const bare = await scene().run(["prompt", "--mode", "orchestrator"], { env: { HOME: here.home } })
  expect(named(bare.stdout)).not.toContain("mcp--loud--echo")
  expect(named(bare.stdout)).toContain("new_task")
})

it("S39, S40: disabledTools and deny rules hold for tools of servers and folders, by their names", {
  timeout: 60_000,
}, async () => {
  const off = await callBoth(scene({ disabledTools: ["greet", "mcp--loud--echo"] }), "--yes")
  expect(off.offered.at(-1)).toBe("attempt_completion")
  expect(off.results.slice(0, 2), off.output).toMatchObject([{ result: "invalid" }, { result: "invalid" }])
  expect(JSON.stringify(off.results[1]?.content)).toContain("switched off in the settings")
  const denied = await callBoth(scene({ permissions: { deny: ["greet", "mcp--loud--echo"] } }), "--yes")
  expect(denied.results.slice(0, 2)).toMatchObject([{ result: "denied" }, { result: "denied" }])
  const foreign = await callBoth(scene({ permissions: { deny: ["mcp__loud"] } }), "--yes")
  expect(foreign.results.slice(0, 2)).toMatchObject([{ result: "done" }, { result: "denied" }])
})
