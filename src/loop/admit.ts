/**
 * The gates a call passes before it may run, in order: known, allowed in this mode, well-formed, right types, allowed on its
 * paths, not a repetition, not stopped by a hook, approved. Whoever rewrites a call sends it through them again.
 */
import { isAbsolute, relative, sep } from "node:path"
import { clipObject } from "../json/clip.ts"
import type { Call, ReceivedCall } from "../types/message.ts"
import type { Show } from "../types/show.ts"
import type { TouchedPath } from "../types/stations.ts"
import type { Tool } from "../types/tool.ts"
import { approve } from "./approve.ts"
import type { CallResult } from "./execute.ts"
import { askHooks } from "./hooked.ts"
import { mayGoOn } from "./limits.ts"
import type { Loop } from "./loop.ts"
import { malformedShow, tellMalformed } from "./malformed.ts"

export interface Admitted {
  /** As it runs: a hook or the person may have changed its input. */
  call: Call
  tool: Tool
  /** Checked against the tool's schema. */
  input: unknown
  paths: TouchedPath[]
  /** Told to the model beside the result. */
  notes: string[]
  /** Of the diff the person saw, only these hunks. */
  hunks?: readonly number[]
  /** A hook wants the task to pause after this turn. */
  stop?: string
}

export type Admission = Admitted | { result: CallResult }

export async function admit(loop: Loop, call: ReceivedCall): Promise<Admission> {
  const { tools } = loop.stations
  const tool = tools.find(call.name)
  if (!tool) return invalid(unknownTool(call.name, tools.near(call.name)), showOf(call))
  const barred = tools.barred(tool, loop.state.mode, [])
  if (barred) return invalid(barred, showOf(call))
  if ("malformed" in call) return { result: tellMalformed(call, loop.state.protocol) }
  const checked = await passGates(loop, tool, call)
  if ("result" in checked) return checked
  const repetition = await stopRepetition(loop, call)
  if (repetition) return { result: repetition }
  const { admission, decision } = await askHooks(loop, checked)
  return "result" in admission ? admission : approve(loop, admission, decision)
}

/** The gates that depend on the input alone. */
export async function passGates(loop: Loop, tool: Tool, call: Call): Promise<Admission> {
  const checked = tool.input.check(call.input)
  if (!checked.ok) return invalid(wrongInput(call.name, checked.problems), showOf(call))
  const paths = await touchedPaths(loop, tool, checked.value)
  const places = paths.map((path) => (path.outside ? path.real : path.relative))
  const barred = loop.stations.tools.barred(tool, loop.state.mode, places)
  return barred ? invalid(barred, showOf(call)) : { call, tool, input: checked.value, paths, notes: [] }
}

async function stopRepetition(loop: Loop, call: Call): Promise<CallResult | undefined> {
  const repeated = loop.stations.policy.repeated(call)
  if (!repeated) return undefined
  const { times, response } = repeated
  const message = `The same call to ${call.name} came ${times} times in a row.`
  const say = `${message} It was not run again: its result would not change. Try another way, or ask the person.`
  if (response === "ask" && (await mayGoOn(loop, `repeat:${call.key}`, { limit: "identical-calls", message }))) return undefined
  return { kind: "failed", say }
}

async function touchedPaths(loop: Loop, tool: Tool, input: unknown): Promise<TouchedPath[]> {
  const { host } = loop.stations
  const touched = tool.touches?.(input) ?? []
  if (touched.length === 0) return []
  const root = await host.realPath(host.workspace)
  const writes = tool.effect !== "read" && tool.effect !== "none"
  return Promise.all(
    touched.map(async (path) => {
      const real = await host.realPath(path)
      const fromRoot = relative(root, real)
      const outside = leadsOut(fromRoot)
      const linked = writes && ((await host.stat(real))?.links ?? 1) > 1
      return { path, real, relative: outside ? "" : fromRoot.split(sep).join("/"), outside, ...(linked && { linked }) }
    }),
  )
}

function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)
}

function invalid(say: string, show: Show): { result: CallResult } {
  return { result: { kind: "invalid", say, show } }
}

function showOf(call: ReceivedCall): Show {
  return "malformed" in call ? malformedShow(call) : { kind: "input", tool: call.name, input: clipObject(call.input) }
}

function unknownTool(name: string, near: string[]): string {
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Use one of the tools you were given."
  return `There is no tool named "${name}". ${hint} Nothing was run.`
}

function wrongInput(name: string, problems: string[]): string {
  return `${name} was not run, its arguments do not fit:\n${problems.map((problem) => `- ${problem}`).join("\n")}\nCall it again with these corrected.`
}
