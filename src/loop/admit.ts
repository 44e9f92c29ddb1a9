/** The gates a call passes before it may run, in order: known, allowed in this mode, well-formed, right types, not a repetition, approved. */
import { createHash } from "node:crypto"
import { isAbsolute, relative, sep } from "node:path"
import { clipObject } from "../json/clip.ts"
import type { Call, ReceivedCall } from "../types/message.ts"
import type { Show } from "../types/show.ts"
import type { Judged, TouchedPath, Verdict } from "../types/stations.ts"
import type { Tool } from "../types/tool.ts"
import { callContext } from "./call-context.ts"
import type { CallResult } from "./execute.ts"
import { mayGoOn } from "./limits.ts"
import { previewOf } from "./live-reply.ts"
import type { Loop } from "./loop.ts"
import { malformedShow, tellMalformed } from "./malformed.ts"

export interface Admitted {
  call: Call
  tool: Tool
  /** Checked against the tool's schema. */
  input: unknown
  paths: TouchedPath[]
}

export type Admission = Admitted | { result: CallResult }

export async function admit(loop: Loop, call: ReceivedCall): Promise<Admission> {
  const { tools } = loop.stations
  const tool = tools.find(call.name)
  if (!tool) return invalid(unknownTool(call.name, tools.near(call.name)), showOf(call))
  const barred = tools.barred(tool, loop.state.mode, [])
  if (barred) return invalid(barred, showOf(call))
  if ("malformed" in call) return { result: tellMalformed(call) }
  const checked = tool.input.check(call.input)
  if (!checked.ok) return invalid(wrongInput(call.name, checked.problems), showOf(call))
  const repetition = await stopRepetition(loop, call)
  if (repetition) return { result: repetition }
  const paths = await touchedPaths(loop, tool, checked.value)
  const barredPath = tools.barred(
    tool,
    loop.state.mode,
    paths.flatMap((path) => (path.outside ? path.real : path.relative)),
  )
  if (barredPath) return invalid(barredPath, showOf(call))
  const admitted = { call, tool, input: checked.value, paths }
  const refusal = await approve(loop, admitted)
  return refusal ? { result: refusal } : admitted
}

async function approve(loop: Loop, { call, tool, input, paths }: Admitted): Promise<CallResult | undefined> {
  const digest = digestOf([tool.name, call.input, paths.map((path) => path.real)])
  const judged: Judged = { tool: tool.name, group: tool.group, effect: tool.effect, paths, digest }
  const verdict = loop.stations.policy.judge(judged)
  if (verdict.verdict === "allow") return undefined
  if (verdict.verdict === "deny") return { kind: "denied", say: `Not allowed: ${verdict.reason}` }
  return askPerson(loop, { call, tool, input, paths }, digest, verdict)
}

async function askPerson(
  loop: Loop,
  { call, tool, input, paths }: Admitted,
  digest: string,
  { reason, always }: Verdict & { verdict: "ask" },
): Promise<CallResult | undefined> {
  const show = (await planOf(loop, { call, tool, input, paths })) ??
    previewOf(tool, call.input) ?? { kind: "input", tool: tool.name, input: call.input }
  const question = { kind: "approve", callKey: call.key, tool: tool.name, digest, reason, show, always } as const
  const answer = await loop.ask(`approve:${call.key}:${digest.slice(0, 12)}`, question)
  if (answer.kind === "yes") return undefined
  if (answer.kind === "no") return { kind: "denied", say: "The person refused this call." }
  return { kind: "denied", say: [{ type: "text", text: "The person refused this call and says:" }, ...answer.content] }
}

/** A plan that fails answers the call without asking, except outside the workspace: its words may quote what is not yet allowed to be read. */
async function planOf(loop: Loop, { call, tool, input, paths }: Admitted): Promise<Show | undefined> {
  const plan = tool.plan?.(input, callContext(loop, call.key, paths))
  return paths.some((path) => path.outside) ? plan?.catch(() => undefined) : plan
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
  return Promise.all(
    touched.map(async (path) => {
      const real = await host.realPath(path)
      const fromRoot = relative(root, real)
      const outside = leadsOut(fromRoot)
      return { path, real, relative: outside ? "" : fromRoot.split(sep).join("/"), outside }
    }),
  )
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}

function leadsOut(path: string): boolean {
  return path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)
}

function invalid(say: string, show: Show): Admission {
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
