/** One server as a file has it → how to start it, or in one line why that cannot be. */
import { isAbsolute, resolve } from "node:path"
import { nearNames } from "../text/near-names.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { ServerEntry, ServerStart } from "../types/mcp.ts"
import { isObject, type WrittenServer } from "./config-file.ts"
import { fillIn, type Variables } from "./variables.ts"

export interface EntryPlace {
  scope: "global" | "project"
  file: string
}

/** `notes` are told, but do not keep the server from being used. */
export type ReadEntry = { entry: ServerEntry; notes: string[] } | { problem: string }

const TYPES: Record<string, ServerStart["kind"] | undefined> = {
  stdio: "stdio",
  sse: "sse",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
}
const LOCAL = ["command", "args", "env", "cwd", "watchPaths"]
const REMOTE = ["url", "headers", "oauth"]
const COMMON = [
  "type",
  "disabled",
  "enabled",
  "timeout",
  "alwaysAllow",
  "autoApprove",
  "disabledTools",
  "alwaysLoad",
  "description",
]
const DEFAULT_TIMEOUT = 60
const LONGEST_TIMEOUT = 3600

export function readEntry(written: WrittenServer, place: EntryPlace, variables: Variables): ReadEntry {
  const { value, reads, missing } = fillIn(written.value, variables)
  const isOff = value["disabled"] === true || value["enabled"] === false
  const [unset] = missing
  if (unset !== undefined && !isOff) {
    return { problem: `the environment variable ${unset} is not set; set it, or give a default: \${${unset}:-value}` }
  }
  const start = startOf(value, variables.workspace)
  if ("problem" in start) return start
  const common = commonOf(value)
  if ("problem" in common) return common
  const { watchPaths, oauth } = value
  return {
    entry: {
      name: written.name,
      ...place,
      line: written.line,
      start: start.start,
      written: written.value,
      reads,
      disabled: isOff,
      ...common,
      watchPaths: isTexts(watchPaths) ? watchPaths.map((path) => resolve(variables.workspace, path)) : [],
      ...(isObject(oauth) && { oauth }),
    },
    notes: strangers(value),
  }
}

function startOf(value: JsonObject, workspace: string): { start: ServerStart } | { problem: string } {
  const { type, command, url } = value
  if (type !== undefined && (typeof type !== "string" || !TYPES[type])) {
    return { problem: `"type" is stdio, http, streamable-http or sse, not ${JSON.stringify(type)}` }
  }
  const kind = (typeof type === "string" && TYPES[type]) || (url === undefined ? "stdio" : "http")
  const alien = (kind === "stdio" ? ["url", "headers"] : ["command", "args", "env"]).find((name) => value[name] !== undefined)
  if (alien)
    return { problem: `a server is either a program (command, args, env) or an address (url, headers); "${alien}" is too much` }
  if (kind !== "stdio") return remote(kind, url, value["headers"] ?? {})
  if (typeof command !== "string" || command.trim() === "") return { problem: 'it needs a "command" to start, or a "url"' }
  return local(command, value, workspace)
}

function local(command: string, value: JsonObject, workspace: string): { start: ServerStart } | { problem: string } {
  const { args = [], env = {}, cwd = "." } = value
  if (!isTexts(args)) return { problem: '"args" is a list of texts' }
  if (!isTextRecord(env)) return { problem: '"env" is an object of texts' }
  if (typeof cwd !== "string") return { problem: '"cwd" is a folder, as text' }
  if ([command, ...args, cwd, ...Object.entries(env).flat()].some((text) => text.includes("\0"))) {
    return { problem: "it holds a NUL character" }
  }
  return { start: { kind: "stdio", command, args, env, cwd: isAbsolute(cwd) ? cwd : resolve(workspace, cwd) } }
}

function remote(kind: "http" | "sse", url: Json | undefined, headers: Json): { start: ServerStart } | { problem: string } {
  if (typeof url !== "string" || !URL.canParse(url))
    return { problem: '"url" is a whole address, such as https://example.com/mcp' }
  if (!/^https?:$/.test(new URL(url).protocol)) return { problem: '"url" begins with http:// or https://' }
  if (!isTextRecord(headers)) return { problem: '"headers" is an object of texts' }
  const bad = Object.entries(headers).find(([name, text]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(text))
  if (bad) return { problem: `the header ${JSON.stringify(bad[0])} cannot be sent: it has characters that none may have` }
  return { start: { kind, url, headers } }
}

type Common = Pick<ServerEntry, "timeoutMs" | "alwaysAllow" | "disabledTools" | "alwaysLoad">

function commonOf(value: JsonObject): Common | { problem: string } {
  const { timeout = DEFAULT_TIMEOUT, disabledTools = [], alwaysLoad = false } = value
  const alwaysAllow = value["alwaysAllow"] ?? value["autoApprove"] ?? []
  if (typeof timeout !== "number" || timeout < 1 || timeout > LONGEST_TIMEOUT) {
    return { problem: `"timeout" is a number of seconds from 1 to ${LONGEST_TIMEOUT}` }
  }
  if (!isTexts(alwaysAllow)) return { problem: '"alwaysAllow" is a list of tool names' }
  if (!isTexts(disabledTools)) return { problem: '"disabledTools" is a list of tool names' }
  return { timeoutMs: timeout * 1000, alwaysAllow, disabledTools, alwaysLoad: alwaysLoad === true }
}

/** A member nobody reads is often a slip of the pen. */
function strangers(value: JsonObject): string[] {
  const known = [...LOCAL, ...REMOTE, ...COMMON]
  return Object.keys(value).flatMap((name) => {
    const [near] = known.includes(name) ? [] : nearNames(name, known)
    return near ? [`"${name}" is not read; did you mean "${near}"?`] : []
  })
}

function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

function isTextRecord(value: Json): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((member) => typeof member === "string")
}
