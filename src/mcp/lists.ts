/** What a server has to offer: its tools, prompts and resources, read page by page, never more than is good. */
import type { Client, Prompt, Tool } from "@modelcontextprotocol/client"
import type { ResourceLine } from "../types/mcp.ts"
import { headerProblem } from "./header-check.ts"
import { rawRequest } from "./raw-messages.ts"

export interface ListedTool {
  name: string
  description: string
  inputSchema: unknown
  /** The server says that it changes nothing. Nobody has to believe it. */
  readOnly: boolean
  /** It runs only as a task that is asked for (2025-11-25). */
  asTask: boolean
  /** Why it cannot be offered. */
  problem?: string
  /** As the server gave it, without what it promises of its results: that is not checked. */
  definition: Tool
}

const MOST_PAGES = 64
const MOST_TOOLS = 2_000
const LONGEST_DESCRIPTION = 4_000

export interface ToolList {
  tools: ListedTool[]
  notes: string[]
}

/** Item by item, past what the package demands: one bad tool shall not cost all the others. */
export async function listTools(client: Client, signal: AbortSignal, { overHttp = false } = {}): Promise<ToolList> {
  const capabilities = client.getServerCapabilities()
  if (!capabilities?.tools) return { tools: [], notes: [] }
  const { items, cut } = await pages(client, "tools/list", "tools", signal)
  const facts: ServerFacts = {
    sendsHeaders: overHttp && client.getProtocolEra() === "modern",
    makesTasks: capabilities.tasks?.requests?.tools?.call !== undefined,
  }
  const notes = cut ? [`it lists more tools than can be used; the first ${items.length} are`] : []
  const tools = new Map<string, ListedTool>()
  let nameless = 0
  for (const item of items) {
    const listed = listedTool(item, facts)
    if (!listed) nameless++
    else if (tools.has(listed.name))
      notes.push(`it lists the tool ${JSON.stringify(listed.name.slice(0, 80))} twice; the first one counts`)
    else tools.set(listed.name, listed)
  }
  if (nameless > 0) notes.push(`${nameless} of its tools have no proper name and are left out`)
  return { tools: [...tools.values()], notes: notes.slice(0, 10) }
}

interface ServerFacts {
  /** Arguments may have to go as headers, too. */
  sendsHeaders: boolean
  /** It takes calls as tasks (2025-11-25). */
  makesTasks: boolean
}

async function pages(
  client: Client,
  method: string,
  member: string,
  signal: AbortSignal,
): Promise<{ items: unknown[]; cut: boolean }> {
  const items: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await rawRequest(client, method, cursor === undefined ? {} : { cursor }, { signal })
    const { nextCursor, [member]: listed } = isRecord(answer) ? answer : {}
    if (Array.isArray(listed)) items.push(...listed.slice(0, MOST_TOOLS + 1 - items.length))
    if (items.length > MOST_TOOLS) return { items: items.slice(0, MOST_TOOLS), cut: true }
    if (typeof nextCursor !== "string" || cursors.has(nextCursor)) return { items, cut: false }
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  return { items, cut: true }
}

function listedTool(item: unknown, { sendsHeaders, makesTasks }: ServerFacts): ListedTool | undefined {
  if (!isRecord(item)) return undefined
  const { outputSchema: _, ...definition } = item
  const { name, description, title, annotations, inputSchema, execution } = item
  if (typeof name !== "string" || name === "" || name.length > 500) return undefined
  const words = typeof description === "string" ? description : typeof title === "string" ? title : ""
  const problem = sendsHeaders ? headerProblem(inputSchema) : undefined
  return {
    name,
    description: words.slice(0, LONGEST_DESCRIPTION),
    inputSchema,
    readOnly: isRecord(annotations) && annotations["readOnlyHint"] === true,
    asTask: makesTasks && isRecord(execution) && execution["taskSupport"] === "required",
    ...(problem && { problem }),
    definition: definition as Tool,
  }
}

export async function listPrompts(client: Client, signal: AbortSignal): Promise<Prompt[]> {
  if (!client.getServerCapabilities()?.prompts) return []
  const { items } = await pages(client, "prompts/list", "prompts", signal)
  return items.flatMap((item) => {
    if (!isRecord(item) || typeof item["name"] !== "string") return []
    const { name, description, arguments: wanted } = item
    const named = (Array.isArray(wanted) ? wanted : []).filter((one) => isRecord(one) && typeof one["name"] === "string")
    return [{ name, ...(typeof description === "string" && { description }), arguments: named }]
  })
}

export async function listResources(client: Client, signal: AbortSignal): Promise<ResourceLine[]> {
  if (!client.getServerCapabilities()?.resources) return []
  const [resources, templates] = await Promise.all([
    pages(client, "resources/list", "resources", signal),
    pages(client, "resources/templates/list", "resourceTemplates", signal).catch(() => ({ items: [] })),
  ])
  const lines = [
    ...resources.items.flatMap((item) => resourceLine(item, "uri")),
    ...templates.items.flatMap((item) => resourceLine(item, "uriTemplate")),
  ]
  return lines.slice(0, MOST_TOOLS)
}

function resourceLine(item: unknown, address: "uri" | "uriTemplate"): ResourceLine[] {
  if (!isRecord(item)) return []
  const { [address]: uri, name, description } = item
  if (typeof uri !== "string" || uri === "") return []
  return [
    {
      uri,
      name: typeof name === "string" ? name : uri,
      ...(typeof description === "string" && description !== "" && { description }),
      isTemplate: address === "uriTemplate",
    },
  ]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
