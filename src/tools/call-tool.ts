/** For tests: calls a tool the way the loop does, its arguments checked first. */
import type { Host } from "../types/host.ts"
import type { JsonObject } from "../types/json.ts"
import type { Show } from "../types/show.ts"
import type { Tool, ToolContext, ToolOutput } from "../types/tool.ts"

/** Rejects with the problems, one per line, when the arguments are wrong. */
export async function callTool(tool: Tool, args: JsonObject, host: Host): Promise<ToolOutput> {
  return tool.run(accept(tool, args), contextFor(host))
}

export async function planTool(tool: Tool, args: JsonObject, host: Host): Promise<Show | undefined> {
  return tool.plan?.(accept(tool, args), contextFor(host))
}

function accept(tool: Tool, args: JsonObject) {
  const checked = tool.input.check(args)
  if (!checked.ok) throw new Error(checked.problems.join("\n"))
  return checked.value
}

function contextFor(host: Host): ToolContext {
  return { host, signal: new AbortController().signal, progress() {}, callKey: "call-1" }
}
