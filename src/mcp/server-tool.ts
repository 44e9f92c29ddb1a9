/** A tool of a server as one of ours: the same gates, its arguments checked, its answer told as the server's words. */
import type { Client, ElicitRequest, ElicitResult, Progress } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { JsonObject } from "../types/json.ts"
import type { ServerTaskPorts } from "../types/mcp.ts"
import type { Content } from "../types/message.ts"
import { type Schema, type Tool, type ToolContext, ToolError } from "../types/tool.ts"
import { type AskPerson, elicit } from "./elicitation.ts"
import type { ListedTool } from "./lists.ts"
import type { Patience } from "./patience.ts"
import { cleanText, serverName, structuredText, toldContent } from "./result.ts"
import type { Server } from "./server.ts"
import { LONGEST_TASK_MS, resultOf, type ToolResult } from "./server-task.ts"
import { foreignNames } from "./tool-name.ts"

const LONGEST_DESCRIPTION = 1_500
const LONGEST_SHOWN = 4_000
/** In one call. */
const MOST_QUESTIONS = 30
/** The package's own clock must not be quicker than ours. */
const FOR_EVER_MS = 24 * 3_600_000

export interface ToolParts {
  server: Server
  listed: ListedTool
  advertised: string
  input: Schema<JsonObject>
  ports: Pick<ServerTaskPorts, "ask" | "keep">
}

export function serverTool({ server, listed, advertised, input, ports }: ToolParts): Tool<JsonObject> {
  const { name } = server.entry
  const title = truncate(oneLine(cleanText(`${name}: ${listed.name}`)), 120)
  return {
    name: advertised,
    knownAs: foreignNames(name, listed.name).map((each) => ({ agent: "claude-code", name: each })),
    group: "mcp",
    effect: "network",
    sideBySide: listed.readOnly,
    description: describedTool(name, listed),
    input,
    async run(value, context) {
      const result = await callTool(server, listed, value, { ...ports, ...context })
      const content = await toldContent(name, result, ports.keep)
      const show = { kind: "text", title, text: truncate(cleanText(textOf(result)), LONGEST_SHOWN) } as const
      const hasImages = content.some(({ type }) => type === "image")
      if (result.isError && !hasImages) throw new ToolError(wordsOf(content), show)
      return { say: content, show, ...(result.isError && { failed: true }) }
    },
  }
}

/** Bounded, on our terms: what a server says of its tool stands behind the server's name. */
export function describedTool(server: string, { description }: Pick<ListedTool, "description">): string {
  const words = truncate(cleanText(description), LONGEST_DESCRIPTION)
  return `[server ${truncate(oneLine(cleanText(server)), 60)}]${words === "" ? "" : ` ${words}`}`
}

type Caller = Pick<ServerTaskPorts, "ask"> & Pick<ToolContext, "signal" | "progress" | "callKey">

export function callTool(server: Server, listed: ListedTool, input: JsonObject, caller: Caller): Promise<ToolResult> {
  const { signal, callKey, progress } = caller
  const { name } = server.entry
  const nagged = new AbortController()
  let asked = 0
  const ask: AskPerson | undefined =
    caller.ask &&
    (async (question, suggestions) => {
      if (++asked > MOST_QUESTIONS) nagged.abort()
      else return caller.ask?.({ callKey, id: String(asked), server: name, question, suggestions })
    })
  const called = server.use(
    async (client, timer) => {
      const once = () => request(client, listed, input, { server: name, timer, ask, progress })
      try {
        return await once()
      } catch (error) {
        const pages = pagesToVisit(error)
        if (!pages || !ask) throw error
        for (const page of pages) {
          const answer = await timer.during(elicit(name, { mode: "url", ...page }, ask))
          if (answer.action !== "accept") throw new ToolError(`The person did not open the page that ${name} asked for.`)
        }
        return once()
      }
    },
    { signal: AbortSignal.any([signal, nagged.signal]), ask },
  )
  return called.catch((error) => {
    if (!nagged.signal.aborted || signal.aborted) throw error
    throw new ToolError(`${serverName(name)} asks more than ${MOST_QUESTIONS} questions; the call was cancelled.`)
  })
}

interface Requesting extends Pick<ToolContext, "progress"> {
  server: string
  timer: Patience
  ask: AskPerson | undefined
}

async function request(client: Client, listed: ListedTool, input: JsonObject, by: Requesting): Promise<ToolResult> {
  const { name, definition, asTask } = listed
  const { server, timer, ask, progress } = by
  const tell = (words: string) => progress({ kind: "title", text: truncate(oneLine(cleanText(`${name}: ${words}`)), 200) })
  const answered = await client.callTool(
    { name, arguments: input, ...(asTask && { task: { ttl: LONGEST_TASK_MS } }) },
    {
      signal: timer.signal,
      timeout: FOR_EVER_MS,
      toolDefinition: definition,
      onprogress(made) {
        timer.renew()
        tell(progressWords(made))
      },
    },
  )
  const answer = async (params: ElicitRequest["params"]): Promise<ElicitResult> =>
    ask ? timer.during(elicit(server, params, ask)) : { action: "decline" }
  return resultOf(answered, { client, server, timer, tell, answer })
}

function progressWords({ progress, total, message }: Progress): string {
  const part = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined ? part : `${message} (${part})`
}

/** The server wants pages opened before it does anything. */
function pagesToVisit(error: unknown): { url: string; message: string; elicitationId: string }[] | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== -32042 || !("data" in error)) return undefined
  const { data } = error
  const listed = typeof data === "object" && data !== null && "elicitations" in data ? data.elicitations : undefined
  if (!Array.isArray(listed) || listed.length === 0) return undefined
  return listed.slice(0, 5).map((page: Record<string, unknown>) => ({
    url: String(page["url"]),
    message: String(page["message"] ?? ""),
    elicitationId: String(page["elicitationId"] ?? ""),
  }))
}

function wordsOf(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n")
}

function textOf({ parts, structured }: ToolResult): string {
  const list: unknown[] = Array.isArray(parts) ? parts : []
  const texts = list.flatMap((part) => (isText(part) ? [part.text] : []))
  return texts.length === 0 && structured !== undefined ? structuredText(structured) : texts.join("\n")
}

function isText(part: unknown): part is { text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
}
