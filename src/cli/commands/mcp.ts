/**
 * `joey mcp`: the servers that are configured here, how each is doing, and what its tools cost. `call`, `log`, `restart`, `login` and `logout` act
 * on one of them. What a project brings counts only when it is trusted.
 */
import { homedir } from "node:os"
import { parseArgs } from "node:util"
import { tokenCounter } from "../../context/count-tokens.ts"
import { loadServerEntries, processServers } from "../../engine/servers.ts"
import { openDisk } from "../../project/disk.ts"
import { joeyHome } from "../../task/store.ts"
import { count } from "../../text/count.ts"
import { nearNames } from "../../text/near-names.ts"
import { onOneLine, printable, visible } from "../../text/printable.ts"
import { truncate } from "../../text/truncate.ts"
import type { JsonObject } from "../../types/json.ts"
import type { McpServers, ServerEntry, ServerReport } from "../../types/mcp.ts"
import { ToolError } from "../../types/tool.ts"
import { UsageError } from "../arguments.ts"
import { readProjectArguments, reportFindings } from "../project-arguments.ts"
import { versionOf } from "../version.ts"

export const MCP_HELP = `joey mcp: servers of other people's tools (MCP)

  joey mcp                         every server: state, tools and what they cost in tokens
  joey mcp call SERVER TOOL JSON   call a tool by hand, print its answer as JSON
  joey mcp log SERVER              what the server said beside its answers (--lines N)
  joey mcp restart SERVER          forget what is known of it, start it and say how that went
  joey mcp login SERVER            sign in at a server that wants it
  joey mcp logout SERVER           forget the sign-in

  --workspace DIR                  the folder whose servers are meant (default: this one)
  --trust-project                  also use servers that this project brings and you have not agreed to

Servers stand in .joey/mcp.json, .roo/mcp.json or .mcp.json of a project, and in your own ~/.joey/mcp.json:
  { "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },
                    "wiki": { "url": "https://wiki.example/mcp", "headers": { "X-Key": "\${WIKI_KEY}" } } } }
`

const EXIT_FAULT = 1
const LOG_LINES = 100

interface Here {
  process: NodeJS.Process
  home: string
  entries: readonly ServerEntry[]
  values: ReturnType<typeof parse>["values"]
}

type Verb = (here: Here, words: readonly string[]) => Promise<number>

const VERBS: Record<string, Verb | undefined> = { list, call, log, restart, login, logout }

export async function mcp(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    process.stdout.write(MCP_HELP)
    return 0
  }
  const [name = "list", ...words] = positionals
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined
  if (!verb) throw new UsageError(`There is no joey mcp ${name}; see joey mcp --help.`)
  const { workspace } = readProjectArguments(["--workspace", values.workspace ?? "."], process.cwd())
  const home = joeyHome(process.env)
  const disk = openDisk({ workspace, home: homedir(), joeyHome: home })
  const sources = { workspace, home, env: process.env, trustProject: values["trust-project"] ?? false, disk }
  const { entries, findings } = await loadServerEntries(sources)
  reportFindings(findings, process)
  return verb({ process, home, entries, values }, words)
}

function parse(args: readonly string[]) {
  const options = {
    workspace: { type: "string", short: "w" },
    "trust-project": { type: "boolean" },
    lines: { type: "string" },
    help: { type: "boolean", short: "h" },
  } as const
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options })
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error)
    throw new UsageError(`${reason}. See joey mcp --help.`)
  }
}

async function list(here: Here): Promise<number> {
  const { process, entries } = here
  if (entries.length === 0) {
    process.stdout.write("No servers are configured here; joey mcp --help says how.\n")
    return 0
  }
  return withServers(here, entries, async (servers) => {
    await servers.settle()
    const countTokens = await tokenCounter()
    for (const line of servers.report().flatMap((report) => serverLines(report, countTokens))) {
      process.stdout.write(`${onOneLine(visible(line))}\n`)
    }
    return 0
  })
}

export function serverLines(report: ServerReport, countTokens: (text: string) => number): string[] {
  const { name, scope, file, reachedBy, state, problem, version, protocol, tools, resources, prompts } = report
  const costs = tools.map((tool) => (tool.problem ? 0 : countTokens(tool.definition)))
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  const offers = [
    count(tools.length, "tool"),
    `${total} tokens`,
    ...(resources ? ["resources"] : []),
    ...(prompts > 0 ? [count(prompts, "prompt")] : []),
  ]
  const width = Math.min(50, Math.max(0, ...tools.map((tool) => tool.advertised.length)))
  const spoken = [version, protocol && `protocol ${protocol}`].filter((part) => part !== undefined).join(", ")
  return [
    `${name}: ${state}${state === "ready" ? ` (${offers.join(", ")})` : problem ? `: ${problem}` : ""}`,
    `  ${truncate(reachedBy, 200)}`,
    `  ${scope === "global" ? "yours" : "this project's"}, ${file}${spoken === "" ? "" : `; ${spoken}`}`,
    ...tools.map((tool, index) => {
      const about = tool.problem ? `left out: ${tool.problem}` : truncate(printable(tool.description).split("\n")[0] ?? "", 80)
      return `  ${tool.advertised.padEnd(width)}  ${String(costs[index] ?? 0).padStart(5)}  ${about}`
    }),
  ]
}

async function call(here: Here, [server, tool, text = "{}", ...more]: readonly string[]): Promise<number> {
  if (server === undefined || tool === undefined || more.length > 0)
    throw new UsageError("joey mcp call SERVER TOOL '{\"argument\": 1}'")
  const entry = named(here.entries, server)
  const input = argumentsOf(text)
  return withServers(here, [entry], async (servers) => {
    const aborted = new AbortController()
    const stop = () => aborted.abort()
    here.process.once("SIGINT", stop)
    try {
      const result = await servers.call({ server: entry.name, tool, input, signal: aborted.signal })
      here.process.stdout.write(`${visible(JSON.stringify(result, null, 2))}\n`)
      const failed = typeof result === "object" && result !== null && "isError" in result && result["isError"] === true
      return failed ? EXIT_FAULT : 0
    } finally {
      here.process.off("SIGINT", stop)
    }
  })
}

function argumentsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Told below, in the same words.
  }
  throw new UsageError(`The arguments are a JSON object, such as '{"path": "."}'; got ${truncate(text, 60)}`)
}

async function log({ process, home, entries, values }: Here, [server]: readonly string[]): Promise<number> {
  const { name } = named(entries, server)
  const { readLogTail, serverLogFile } = await import("../../mcp/log-file.ts")
  const { join } = await import("node:path")
  const file = serverLogFile(join(home, "mcp"), name)
  const most = Number(values.lines ?? LOG_LINES)
  if (!Number.isInteger(most) || most < 1) throw new UsageError("--lines is a whole number above 0.")
  const lines = readLogTail(file, 1024 * 1024)
    .trimEnd()
    .split("\n")
  const text = lines.slice(-most).join("\n")
  process.stdout.write(text === "" ? `${name} has not said anything yet.\n` : `${visible(text)}\n`)
  return 0
}

async function restart(here: Here, [server]: readonly string[]): Promise<number> {
  const entry = named(here.entries, server)
  const { openEras } = await import("../../mcp/eras.ts")
  const { join } = await import("node:path")
  openEras(join(here.home, "mcp", "eras.json")).forget(entry.start)
  return withServers(here, [entry], async (servers) => {
    await servers.settle()
    const [report] = servers.report()
    const told = report?.problem ? `: ${report.problem}` : ` (${count(report?.tools.length ?? 0, "tool")})`
    here.process.stdout.write(`${onOneLine(visible(`${entry.name}: ${report?.state}${told}`))}\n`)
    return report?.state === "ready" ? 0 : EXIT_FAULT
  })
}

async function login(here: Here, [server]: readonly string[]): Promise<number> {
  const entry = named(here.entries, server)
  const tell = (line: string) => void here.process.stdout.write(`${onOneLine(visible(line))}\n`)
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  here.process.once("SIGINT", stop)
  try {
    const [{ login: signIn }, { browserOpener }] = await Promise.all([
      import("../../mcp/oauth-login.ts"),
      import("../open-page.ts"),
    ])
    const open = browserOpener(here.process.env)
    return await oneLine(here, () => signIn(entry, { home: here.home, tell, signal: stopped.signal, ...(open && { open }) }))
  } finally {
    here.process.off("SIGINT", stop)
  }
}

async function logout(here: Here, [server]: readonly string[]): Promise<number> {
  const entry = named(here.entries, server)
  return oneLine(here, async () => (await import("../../mcp/oauth-login.ts")).logout(entry, { home: here.home }))
}

async function oneLine({ process }: Here, act: () => Promise<string>): Promise<number> {
  try {
    process.stdout.write(`${onOneLine(visible(await act()))}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    process.stderr.write(`joey: ${onOneLine(visible(error.message))}\n`)
    return EXIT_FAULT
  }
}

function named(entries: readonly ServerEntry[], name: string | undefined): ServerEntry {
  const names = entries.map((entry) => entry.name)
  if (name === undefined) throw new UsageError(`Say which server: ${names.join(", ") || "none is configured here"}.`)
  const found = entries.find((entry) => entry.name === name)
  if (found) return found
  const [near] = nearNames(name, names)
  const there = names.length === 0 ? "none is configured here" : `there are ${names.join(", ")}`
  throw new UsageError(`There is no server "${name}"${near ? ` (${near}?)` : ""}; ${there}.`)
}

/** Whatever happens, everything that was started ends. */
async function withServers(
  here: Here,
  entries: readonly ServerEntry[],
  act: (servers: McpServers) => Promise<number>,
): Promise<number> {
  const opened = processServers({ home: here.home, version: versionOf(), env: here.process.env })
  try {
    const servers = await opened.configure(entries)
    if (servers) return await act(servers)
    here.process.stdout.write("All servers that are configured here are switched off.\n")
    return 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    here.process.stderr.write(`joey: ${onOneLine(visible(error.message))}\n`)
    return EXIT_FAULT
  } finally {
    await opened.close()
  }
}
