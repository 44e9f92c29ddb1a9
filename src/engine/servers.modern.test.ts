import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { Answer } from "../types/question.ts"
import { entryOf, program, testFolder, testTask, wordsOf } from "./server-test.ts"

const packages = join(import.meta.dirname, "../../node_modules")
const yes: Answer = { kind: "words", content: [{ type: "text", text: "yes" }] }

/** A server of the stateless revision, made with the official package: one plain tool, one that asks, one that adds a tool. */
function modernServer(folder: string, serve: string): string {
  const file = join(folder, "modern.mjs")
  writeFileSync(
    file,
    `import { McpServer, acceptedContent, createMcpHandler, inputRequired } from ${JSON.stringify(join(packages, "@modelcontextprotocol/server/dist/index.mjs"))}
import { serveStdio } from ${JSON.stringify(join(packages, "@modelcontextprotocol/server/dist/stdio.mjs"))}
import * as z from ${JSON.stringify(join(packages, "zod/index.js"))}
import { createServer } from "node:http"
let more = false
let changed = () => {}
function make() {
  const server = new McpServer({ name: "modern", version: "1" }, { instructions: "Speak softly.", capabilities: { tools: { listChanged: true } } })
  const text = (text) => ({ content: [{ type: "text", text }] })
  server.registerTool("echo", { inputSchema: z.object({ word: z.string() }) }, async ({ word }) => text("heard " + word))
  const schema = z.object({ sure: z.boolean() })
  server.registerTool("deploy", { inputSchema: z.object({}) }, async (_, ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, "sure", schema)
    if (answer?.sure === true) return text("deployed")
    return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: "Deploy?", requestedSchema: schema }) } })
  })
  server.registerTool("grow", { inputSchema: z.object({}) }, async () => { more = true; changed(server); return text("grown") })
  if (more) server.registerTool("late", { inputSchema: z.object({}) }, async () => text("late"))
  return server
}
${serve}`,
  )
  return file
}

describe("a server of the stateless revision", () => {
  it("is found out over stdio, asks in rounds, and is remembered as such", async () => {
    const folder = testFolder()
    const home = testFolder()
    const file = modernServer(folder, "serveStdio(make)")
    const entries = [entryOf("modern", program(file))]
    const task = testTask(() => entries, { home, answers: [yes] })
    await task.source.refresh()
    expect(Object.values(JSON.parse(readFileSync(join(home, "mcp", "eras.json"), "utf8")))).toMatchObject([{ era: "modern" }])
    expect(wordsOf(await task.call("mcp--modern--echo", { word: "tone" }))).toContain("heard tone")
    expect(wordsOf(await task.call("mcp--modern--deploy"))).toContain("deployed")
    expect(task.asked.map(({ question }) => question)).toEqual([expect.stringContaining('The server "modern" asks: Deploy?')])
    expect(task.source.instructions()).toEqual([{ server: "modern", text: "Speak softly.", tools: 3 }])
  }, 60_000)

  it("is found out over HTTP, and a list that changes is heard of", async () => {
    const folder = testFolder()
    const file = modernServer(
      folder,
      `const handler = createMcpHandler(make)
changed = () => handler.notify.toolsChanged()
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const aborted = new AbortController()
  response.on("close", () => aborted.abort())
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  const answer = await handler.fetch(new Request("http://127.0.0.1" + request.url, { method: request.method, headers: request.headers, body, signal: aborted.signal }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  if (answer.body) for await (const chunk of answer.body) response.write(chunk)
  response.end()
}).listen(0, "127.0.0.1", () => console.log(server.address().port))`,
    )
    const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const port = await new Promise<number>((resolve) => child.stdout.on("data", (text) => resolve(Number(text))))
    const entries = [entryOf("modern", { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} })]
    const task = testTask(() => entries, { answers: [yes] })
    await task.source.refresh()
    expect(wordsOf(await task.call("mcp--modern--echo", { word: "tone" }))).toContain("heard tone")
    expect(wordsOf(await task.call("mcp--modern--deploy"))).toContain("deployed")
    await task.call("mcp--modern--grow")
    await expect.poll(task.refreshed, { timeout: 10_000 }).toContain("mcp--modern--late")
    expect(task.changes).toEqual([{ added: ["mcp--modern--late"], removed: [] }])
  }, 60_000)
})
