/** A server of our own that answers with tasks, in the stateless revision, over stdio or HTTP; it is strict, and writes down what it was asked. */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { ServerStart } from "../types/mcp.ts"
import { program, testFolder } from "./server-test.ts"

const SCRIPT = `
import { appendFileSync } from "node:fs"
import { createServer } from "node:http"
import { createInterface } from "node:readline"
const [, , way, log] = process.argv
const META = "io.modelcontextprotocol/"
const text = (text, rest = {}) => ({ content: [{ type: "text", text }], ...rest })
const question = { method: "elicitation/create", params: { mode: "form", message: "Which city?", requestedSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } } }
const names = ["slow", "ask", "fails", "tool-error", "endless", "deaf", "sampling", "rounds", "forgotten", "nonsense", "curious", "blinks"]
const tasks = new Map()
let blinks = 0
const made = (name, rest = {}) => {
  const taskId = name + "-" + tasks.size
  tasks.set(taskId, { name, polls: 0, ...rest })
  return { resultType: "task", taskId, status: "working", createdAt: "2026-08-01T00:00:00Z", lastUpdatedAt: "2026-08-01T00:00:00Z", ttlMs: 60000, pollIntervalMs: 100 }
}
const state = (taskId, status, rest = {}) => ({ taskId, status, ttlMs: 60000, pollIntervalMs: 100, createdAt: "x", lastUpdatedAt: "x", ...rest })
const METHODS = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"], ttlMs: 0, cacheScope: "private", capabilities: { tools: {}, extensions: { [META + "tasks"]: {} } }, instructions: "" }),
  "tools/list": () => ({ ttlMs: 0, cacheScope: "private", tools: [
    ...names.map((name) => ({ name, description: name, inputSchema: { type: "object", properties: {} }, outputSchema: { type: "object" } })),
    { name: "routed", inputSchema: { type: "object", properties: { region: { type: "number", "x-mcp-header": "Region" } } } },
    { name: "odd", inputSchema: { type: "object" }, annotations: 7 },
  ] }),
  "tools/call": ({ name, inputResponses }) => {
    if (name === "nonsense") return { resultType: "task", status: "working" }
    if (name === "odd") return text("odd enough")
    if (name === "rounds" && !inputResponses) return { resultType: "input_required", inputRequests: { city: question } }
    return made(name, { city: inputResponses?.city?.content?.city })
  },
  "tasks/get": ({ taskId }) => {
    const task = tasks.get(taskId)
    if (!task || task.name === "forgotten") throw { code: -32602, message: "Failed to retrieve task: Task has expired" }
    task.polls++
    if (task.name === "deaf") return undefined
    if (task.name === "blinks" && ++blinks === 1) throw { status: 503 }
    if (task.name === "fails") return state(taskId, "failed", { error: { code: -32603, message: "out\\u001b[2J of paper" } })
    if (task.name === "tool-error") return state(taskId, "completed", { result: text("no such page", { isError: true }) })
    if (task.name === "sampling") return state(taskId, "input_required", { inputRequests: { a: { method: "sampling/createMessage", params: {} } } })
    if (task.name === "curious") return state(taskId, "input_required", { inputRequests: { ["q" + task.polls]: question } })
    if (task.name === "ask" && !task.city) return state(taskId, "input_required", { inputRequests: { city: question } })
    if (task.name === "endless" || task.polls < 3) return state(taskId, "working", { statusMessage: "step " + task.polls })
    return state(taskId, "completed", { result: text(task.name + " done" + (task.city ? " in " + task.city : "")) })
  },
  "tasks/update": ({ taskId, inputResponses }) => {
    const task = tasks.get(taskId)
    task.polls = Math.max(task.polls, 1)
    if (task.name === "ask") setTimeout(() => { task.city = inputResponses.city.content?.city ?? inputResponses.city.action }, 150)
    return {}
  },
  "tasks/cancel": () => ({}),
}
function answer({ id, method, params }, headers) {
  appendFileSync(log, JSON.stringify({ method, params, headers }) + "\\n")
  if (id === undefined) return undefined
  try {
    const make = METHODS[method]
    if (!make) throw { code: -32601, message: "There is no " + method }
    const capabilities = params?._meta?.[META + "clientCapabilities"]
    if (method.startsWith("task") && !capabilities?.extensions?.[META + "tasks"]) throw { code: -32021, message: "Missing required client capability" }
    const name = method === "tools/call" ? params.name : params.taskId
    if (headers && (headers["mcp-method"] !== method || (headers["mcp-name"] ?? undefined) !== name)) throw { code: -32020, message: "Header mismatch" }
    const result = make(params)
    return result && { jsonrpc: "2.0", id, result: { resultType: "complete", ...result } }
  } catch (error) {
    return error.status ? error : { jsonrpc: "2.0", id, error }
  }
}
if (way === "stdio") createInterface({ input: process.stdin }).on("line", (line) => {
  const said = answer(JSON.parse(line))
  if (said) process.stdout.write(JSON.stringify(said) + "\\n")
})
else {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const part of request) body += part
    if (request.method !== "POST") return response.writeHead(405).end()
    const said = answer(JSON.parse(body), request.headers)
    if (said?.status) response.writeHead(said.status).end()
    else if (said) response.writeHead(said.error?.code === -32020 ? 400 : 200, { "content-type": "application/json" }).end(JSON.stringify(said))
  }).listen(0, "127.0.0.1", () => console.log(server.address().port))
}
`

export interface TaskServer {
  start: ServerStart
  /** What it was asked so far. */
  asked(): { method: string; params: Record<string, unknown> }[]
}

export async function taskServer(way: "stdio" | "http"): Promise<TaskServer> {
  const folder = testFolder()
  const file = join(folder, "tasks.mjs")
  const log = join(folder, "asked.jsonl")
  writeFileSync(file, SCRIPT)
  const asked = () =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : []
  if (way === "stdio") return { start: program(file, "stdio", log), asked }
  const child = spawn(process.execPath, [file, "http", log], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const port = await new Promise<number>((resolve) => child.stdout.on("data", (words) => resolve(Number(words))))
  return { start: { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} }, asked }
}
