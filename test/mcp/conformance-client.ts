/**
 * What the public conformance suite drives: our own client, as a task uses it, at the address it is given. The person who signs in and answers
 * questions is played here; everything else is the code that people run.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ProcessServers, processServers, type TaskServers, taskServers } from "../../src/engine/servers.ts"
import { login } from "../../src/mcp/oauth-login.ts"
import type { JsonObject } from "../../src/types/json.ts"
import type { McpServers, ServerEntry } from "../../src/types/mcp.ts"
import { type Tool, type ToolContext, ToolError } from "../../src/types/tool.ts"

/** What the suite says to a client: the address, and what the scenario is about. */
export interface Assignment {
  url: string
  scenario: string
  context: { client_id?: string; client_secret?: string; issuer?: string; toolCalls?: { name: string; arguments: JsonObject }[] }
}

/** All of one visit. */
interface Visit extends Assignment {
  entry: ServerEntry
  home: string
  servers: McpServers
  source: TaskServers
  signIns: number
}

const { signal } = new AbortController()
/** A person gives up, too. */
const MOST_SIGN_INS = 3

/** Rejects when something went wrong, which some scenarios want. */
export async function visit(assignment: Assignment): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "joey-conformance-"))
  const entry = entryFor(assignment)
  const servers = processServers({ home, waitMs: 15_000 })
  try {
    const opened = await servers.configure([entry])
    if (!opened) throw new Error("there is no server")
    await act({ ...assignment, entry, home, servers: opened, source: sourceOf(servers, entry, home), signIns: 0 })
  } finally {
    await servers.close()
    rmSync(home, { recursive: true, force: true })
  }
}

function entryFor({ url, context }: Assignment): ServerEntry {
  const { client_id: clientId, client_secret: clientSecret, issuer } = context
  return {
    name: "judge",
    scope: "global",
    file: "/mcp.json",
    start: { kind: "http", url, headers: {} },
    written: {},
    reads: [],
    disabled: false,
    timeoutMs: 15_000,
    alwaysAllow: [],
    disabledTools: [],
    alwaysLoad: false,
    watchPaths: [],
    oauth: {
      clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
      ...(clientId && { clientId }),
      ...(clientSecret && { clientSecret }),
      ...(issuer && { issuer }),
    },
  }
}

function sourceOf(servers: ProcessServers, entry: ServerEntry, home: string): TaskServers {
  return taskServers({
    servers,
    entries: () => [entry],
    folder: home,
    budget: () => 1_000_000,
    ports: {
      notice() {},
      ask: async (_, question) => ({ kind: "words", content: [{ type: "text", text: answerTo(question) }] }),
      loadedTools: () => [],
      loadTools() {},
    },
  })
}

async function act(visit: Visit): Promise<void> {
  const { scenario, source } = visit
  await ready(visit)
  for (const { tool, input } of wantedCalls(visit)) await callTool(visit, tool, input)
  if (scenario.startsWith("http-standard")) await readEverything(source)
}

/** Starts it; signs in as often as it is sent away, and it has patience. */
async function ready(visit: Visit): Promise<void> {
  await visit.source.refresh()
  const [report] = visit.servers.report()
  if (report?.state === "ready") return
  if (report?.state !== "sign-in") throw new Error(report?.problem ?? "it is not ready")
  await signIn(visit)
  await ready(visit)
}

async function signIn(visit: Visit): Promise<void> {
  const { entry, home, servers } = visit
  if (++visit.signIns > MOST_SIGN_INS) throw new Error("it wants to be signed in at for ever")
  await login(entry, { home, signal, tell: () => {}, open: browse, timeoutMs: 10_000 })
  await servers.restart(entry.name)
}

async function browse(page: string): Promise<void> {
  const answer = await fetch(page, { redirect: "manual" })
  const back = answer.headers.get("location")
  if (back) await fetch(back)
}

function wantedCalls({ source, context, entry }: Visit): { tool: Tool; input: JsonObject }[] {
  const { toolCalls: listed } = context
  if (!listed) return source.offered().map((tool) => ({ tool, input: sampleFor(tool) }))
  return listed.flatMap(({ name, arguments: input }) => {
    const tool = source.find(`mcp--${entry.name}--${name}`)
    return tool ? [{ tool, input }] : []
  })
}

async function callTool(visit: Visit, { name }: Tool, input: JsonObject): Promise<void> {
  for (;;) {
    const tool = visit.source.find(name)
    if (!tool) throw new Error(`there is no ${name} any more`)
    const checked = tool.input.check(input)
    if (!checked.ok) throw new Error(checked.problems.join("; "))
    try {
      const asked = { signal, callKey: "1.1", progress() {} }
      await tool.run(checked.value, asked as unknown as ToolContext)
      return
    } catch (error) {
      if (!(error instanceof ToolError) || !error.message.includes("joey mcp login")) throw error
      await signIn(visit)
      await ready(visit)
    }
  }
}

async function readEverything(source: TaskServers): Promise<void> {
  for (const server of source.resourceServers()) {
    const lines = (await source.listResources(server, signal)) ?? []
    for (const { uri, isTemplate } of lines) if (!isTemplate) await source.readResource(server, uri, signal)
  }
  for (const { name } of source.prompts()) await source.prompt(name, "", signal)
}

/** Every member that has to be there, with something of its type. */
function sampleFor({ input }: Tool): JsonObject {
  const { properties, required } = input.jsonSchema as { properties?: Record<string, { type?: string }>; required?: string[] }
  const samples: Record<string, JsonObject[string]> = { number: 2, integer: 2, boolean: true, array: [], object: {} }
  return Object.fromEntries((required ?? []).map((name) => [name, samples[properties?.[name]?.type ?? ""] ?? "sample"]))
}

/** The first that is neither a no nor a way around; nothing where the person may leave it. */
function answerTo(question: { kind: string; suggestions?: readonly { text: string }[] }): string {
  const chosen = question.suggestions?.find(({ text }) => !["Decline", "Skip"].includes(text))
  return chosen?.text ?? ""
}
