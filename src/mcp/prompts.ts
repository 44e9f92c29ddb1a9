/** Prompts of servers as slash commands: `/mcp:server:prompt one "two words" name=value`. */
import type { Prompt } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { ServerPrompt } from "../types/mcp.ts"
import type { Content } from "../types/message.ts"
import { ToolError } from "../types/tool.ts"
import { cleanText, imageOf } from "./result.ts"
import type { Server } from "./server.ts"

const MOST_MESSAGES = 20
const LONGEST_MESSAGE = 20_000

export interface NamedPrompt extends ServerPrompt {
  owner: Server
  prompt: Prompt
}

/** The first of each name. */
export function namedPrompts(servers: readonly Server[]): NamedPrompt[] {
  const byName = new Map<string, NamedPrompt>()
  for (const owner of servers) {
    for (const prompt of owner.facts.prompts) {
      const name = `mcp:${plain(owner.entry.name)}:${plain(prompt.name)}`
      if (byName.has(name)) continue
      const hint = (prompt.arguments ?? []).map(({ name: each, required }) => (required ? `<${each}>` : `[${each}]`)).join(" ")
      byName.set(name, {
        name,
        server: owner.entry.name,
        owner,
        prompt,
        ...(prompt.description && { description: truncate(oneLine(cleanText(prompt.description)), 200) }),
        ...(hint !== "" && { argumentHint: truncate(oneLine(cleanText(hint)), 200) }),
      })
    }
  }
  return [...byName.values()]
}

export async function expandPrompt({ owner, prompt }: NamedPrompt, typed: string, signal: AbortSignal): Promise<Content[]> {
  const given = promptArguments(prompt, typed)
  const { messages } = await owner.use(
    (client, timer) => client.getPrompt({ name: prompt.name, arguments: given }, { signal: timer.signal }),
    { signal },
  )
  const content = messages.slice(0, MOST_MESSAGES).flatMap(({ role, content: part }): Content[] => {
    const text = part.type === "text" ? part.text : part.type === "resource" && "text" in part.resource ? part.resource.text : ""
    const image = part.type === "image" ? imageOf(part.data) : undefined
    if (image) return [image]
    const said = truncate(cleanText(text), LONGEST_MESSAGE)
    return said === "" ? [] : [{ type: "text", text: role === "assistant" ? `Assistant: ${said}` : said }]
  })
  if (content.length === 0) throw new ToolError(`The prompt ${prompt.name} of ${owner.entry.name} is empty.`)
  return content
}

/** By name (`city=Paris`) or in order; the last argument takes what is left. */
function promptArguments({ name, arguments: wanted = [] }: Prompt, typed: string): Record<string, string> {
  const given: Record<string, string> = {}
  const names = new Set(wanted.map((argument) => argument.name))
  const rest: string[] = []
  for (const [, word = ""] of typed.matchAll(/((?:[^\s"']|"[^"]*"|'[^']*')+)/g)) {
    const [, key = "", value = ""] = /^([^=\s"']+)=([\s\S]*)$/.exec(word) ?? []
    if (names.has(key)) given[key] = unquoted(value)
    else rest.push(unquoted(word))
  }
  const open = wanted.filter((argument) => given[argument.name] === undefined)
  for (const [index, argument] of open.entries()) {
    const words = index === open.length - 1 ? rest.splice(0).join(" ") : rest.shift()
    if (words !== undefined && words !== "") given[argument.name] = words
  }
  const missing = wanted.find((argument) => argument.required && given[argument.name] === undefined)
  if (missing) throw new ToolError(`The prompt ${name} needs "${missing.name}": type it behind the command.`)
  return given
}

function unquoted(word: string): string {
  return word.replace(
    /"([^"]*)"|'([^']*)'/g,
    (_, double: string | undefined, single: string | undefined) => double ?? single ?? "",
  )
}

/** What a typed command's name may hold. */
function plain(name: string): string {
  return name.replace(/[\s/\\:]+/g, "_")
}
