/** What the tests of servers share: a folder, entries, small servers as scripts, and a task that only remembers. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { JsonObject } from "../types/json.ts"
import type { ServerEntry, ServerStart } from "../types/mcp.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show } from "../types/show.ts"
import type { Tool, ToolContext, ToolOutput } from "../types/tool.ts"
import { type ProcessServers, processServers, type TaskServers, taskServers } from "./servers.ts"
import { joinSources } from "./tool-sources.ts"

const packages = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol")
export const EVERYTHING = join(packages, "server-everything/dist/index.js")
export const FILESYSTEM = join(packages, "server-filesystem/dist/index.js")

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-servers-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

export function entryOf(name: string, start: ServerStart, rest: Partial<ServerEntry> = {}): ServerEntry {
  return {
    name,
    scope: "global",
    file: "/mcp.json",
    start,
    written: {},
    reads: [],
    disabled: false,
    timeoutMs: 20_000,
    alwaysAllow: [],
    disabledTools: [],
    alwaysLoad: false,
    watchPaths: [],
    ...rest,
  }
}

export function program(...args: string[]): ServerStart & { kind: "stdio" } {
  return { kind: "stdio", command: process.execPath, args, env: {}, cwd: tmpdir() }
}

/**
 * A server of a few lines: `answer(method, params, message)` gives a result, or undefined for no answer. What every server does is done
 * already; `send(message)` sends anything.
 */
export function scriptedServer(folder: string, answer: string, before = ""): ServerStart & { kind: "stdio" } {
  const file = join(folder, `server-${Math.random().toString(36).slice(2)}.mjs`)
  writeFileSync(
    file,
    `import { createInterface } from "node:readline"
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
const text = (text) => ({ content: [{ type: "text", text }] })
const tool = (name, rest = {}) => ({ name, description: name, inputSchema: { type: "object", properties: {} }, ...rest })
let pending = new Map()
${before}
const own = async (method, params, message) => { ${answer} }
createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line)
  const { id, method, params } = message
  if (method === undefined) { pending.get(id)?.(message.result); return }
  const result = await own(method, params, message)
  if (result?.error) return send({ id, error: result.error })
  if (result !== undefined) return send({ id, result })
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } }
    return send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "scripted", version: "1" } } })
  }
  if (method === "tools/list") return send({ id, result: { tools: [tool("act")] } })
  if (method === "server/discover") return send({ id, error: { code: -32601, message: "unknown" } })
})`,
  )
  return program(file)
}

export interface TestTask {
  servers: ProcessServers
  source: TaskServers
  notices: string[]
  changes: { added: string[]; removed: string[] }[]
  loaded: string[]
  shown: Show[]
  asked: (Question & { kind: "followup" })[]
  names(): string[]
  /** The names after another look. */
  refreshed(): Promise<string[]>
  call(name: string, input?: JsonObject, signal?: AbortSignal): Promise<ToolOutput>
}

export interface TestTaskOptions {
  home?: string
  budget?: number
  waitMs?: number
  loaded?: string[]
  answers?: Answer[]
}

export function testTask(entries: () => readonly ServerEntry[], options: TestTaskOptions = {}): TestTask {
  const { home = testFolder(), budget = 100_000, waitMs = 20_000, loaded = [], answers = [] } = options
  const servers = processServers({ home, waitMs })
  onTestFinished(() => servers.close())
  const notices: string[] = []
  const changes: TestTask["changes"] = []
  const shown: Show[] = []
  const asked: TestTask["asked"] = []
  const source = taskServers({
    servers,
    entries,
    folder: join(home, "task"),
    budget: () => budget,
    ports: {
      notice: (text) => void notices.push(text),
      async ask(_id, question) {
        if (question.kind === "followup") asked.push(question)
        return answers.shift() ?? { kind: "no" }
      },
      loadedTools: () => loaded,
      loadTools: (names) => void loaded.push(...names),
    },
  })
  const joined = joinSources([source], {
    loaded: () => loaded,
    record: (event) => void (event.type === "tools-changed" && changes.push({ added: event.added, removed: event.removed })),
  })
  return {
    servers,
    source: { ...source, refresh: joined.refresh }, // as a task does it
    notices,
    changes,
    loaded,
    shown,
    asked,
    names: () => joined.offered().map(({ name }) => name),
    async refreshed() {
      await joined.refresh()
      return joined.offered().map(({ name }) => name)
    },
    async call(name, input = {}, signal = new AbortController().signal) {
      const tool: Tool | undefined = source.find(name)
      if (!tool) throw new Error(`there is no ${name}`)
      const checked = tool.input.check(input)
      if (!checked.ok) throw new Error(checked.problems.join("; "))
      const context = { signal, callKey: "1.1", progress: (show: Show) => void shown.push(show) }
      return tool.run(checked.value, context as ToolContext)
    },
  }
}

export function wordsOf({ say }: ToolOutput): string {
  return typeof say === "string" ? say : say.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

/** The real one, by streamable HTTP. */
export async function everythingAt(port: number): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], { env, stdio: "pipe" })
  onTestFinished(() => void child.kill("SIGKILL"))
  await new Promise<void>((resolve) => child.stderr.on("data", (text) => String(text).includes("listening") && resolve()))
  return child
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address ? address.port : 0
}
