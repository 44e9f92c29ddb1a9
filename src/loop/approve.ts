/**
 * May it run? Policy decides, a hook may ask or allow, the person answers. An approval is a durable thing: it holds for exactly
 * this call (its digest), until it expires, and is asked for once, also across restarts.
 */
import { createHash } from "node:crypto"
import { clipText } from "../json/clip.ts"
import type { BeforeToolDecision } from "../types/hooks.ts"
import type { JsonObject } from "../types/json.ts"
import type { Answer, Question } from "../types/question.ts"
import type { Show } from "../types/show.ts"
import type { Judged, Verdict } from "../types/stations.ts"
import { type Admission, type Admitted, passGates } from "./admit.ts"
import { callContext } from "./call-context.ts"
import { type CallResult, failureOf } from "./execute.ts"
import { askHooks, hookedCall } from "./hooked.ts"
import { previewOf } from "./live-reply.ts"
import type { Loop } from "./loop.ts"

const LONGEST_QUOTE = 2_000

export async function approve(loop: Loop, admitted: Admitted, decision: BeforeToolDecision | undefined): Promise<Admission> {
  const digest = digestOf([admitted.tool.name, admitted.call.input, admitted.paths.map((path) => path.real)])
  const verdict = await loop.stations.policy.judge(judgedOf(loop, admitted, digest))
  if (verdict.verdict === "deny") return denied(`Not allowed: ${verdict.reason}`)
  const asking = reasonToAsk(verdict, decision, digest)
  if (!asking) return admitted
  const plan = await planOf(loop, admitted)
  if ("result" in plan) return plan
  const answer = await answerTo(loop, admitted, plan.show, digest, asking)
  if (answer.kind === "no") return denied("The person refused this call.")
  if (answer.kind === "words") {
    return {
      result: {
        kind: "denied",
        say: [{ type: "text", text: "The person refused this call and says:" }, ...answer.content],
      },
    }
  }
  if (answer.hunks?.length === 0) return denied("The person refused every part of this change.")
  const chosen = answer.hunks ? { ...admitted, hunks: answer.hunks } : admitted
  return answer.input ? runChanged(loop, chosen, answer.input) : chosen
}

type Ask = Verdict & { verdict: "ask" }

/** A hook can make Joey ask, or save the person a question, but not a grave one; it never beats a rule that denies. */
function reasonToAsk(verdict: Verdict, decision: BeforeToolDecision | undefined, digest: string): Ask | undefined {
  if (decision?.kind === "ask") {
    const always = { covers: "exactly this call for the rest of the task", grant: `call:${digest}` }
    return { ...(verdict.verdict === "ask" ? verdict : { verdict: "ask", always }), reason: decision.reason }
  }
  if (verdict.verdict !== "ask" || (decision?.kind === "allow" && !verdict.grave)) return undefined
  return verdict
}

/** The person's own version has been seen by the person: it is not asked again, but passes every other gate. */
async function runChanged(loop: Loop, { call, tool, notes, stop }: Admitted, input: JsonObject): Promise<Admission> {
  const checked = await passGates(loop, tool, { ...call, input })
  if ("result" in checked) return checked
  const { admission: changed } = await askHooks(loop, checked)
  if ("result" in changed) return changed
  const verdict = await loop.stations.policy.judge(judgedOf(loop, changed, digestOf([tool.name, changed.call.input])))
  if (verdict.verdict === "deny") return denied(`The person changed this call, but it is not allowed: ${verdict.reason}`)
  const quote = clipText(JSON.stringify(input), LONGEST_QUOTE)
  const note = `The person changed this call before it ran. Its arguments were: ${quote}`
  return { ...changed, notes: [note, ...notes, ...changed.notes], ...(stop && { stop }) }
}

async function answerTo(
  loop: Loop,
  admitted: Admitted,
  show: Show,
  digest: string,
  { reason, always, grave }: Ask,
): Promise<Answer> {
  const { call, tool } = admitted
  const question: Question = {
    kind: "approve",
    callKey: call.key,
    tool: tool.name,
    digest,
    reason,
    show,
    always,
    expiresAt: new Date(loop.stations.clock.now() + loop.settings.approvalLastsMs).toISOString(),
  }
  const id = questionId(loop, `approve:${call.key}:${digest.slice(0, 12)}`, show)
  const hooked = grave ? undefined : await loop.stations.hooks?.permission(hookedCall(loop, admitted), reason, loop.signal)
  if (!hooked || loop.state.questions.get(id)?.answer) return loop.ask(id, question)
  loop.record({ type: "asked", id, question })
  loop.record({ type: "answered", id, ...hooked })
  return hooked.answer
}

/**
 * An answer does not count any more when it was given too long ago, or to a change that would look different now: the question
 * is asked anew under another name.
 */
function questionId({ state, stations }: Loop, base: string, show: Show): string {
  for (let time = 1; ; time++) {
    const id = time === 1 ? base : `${base}:${time}`
    const asked = state.questions.get(id)
    if (!asked?.answer || asked.question.kind !== "approve") return id
    const { expiresAt, show: shown } = asked.question
    const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= stations.clock.now()
    if (!isExpired && JSON.stringify(shown) === JSON.stringify(show)) return id
  }
}

/**
 * What the person is shown. A plan that fails answers the call without asking, and what it taught the model counts; except outside
 * the workspace, where its words may quote what is not yet allowed to be read.
 */
async function planOf(loop: Loop, { call, tool, input, paths }: Admitted): Promise<{ show: Show } | { result: CallResult }> {
  const context = callContext(loop, call.key, paths)
  const preview = (): Show => previewOf(tool, call.input) ?? { kind: "input", tool: tool.name, input: call.input }
  try {
    return { show: (await tool.plan?.(input, context)) ?? preview() }
  } catch (error) {
    const result = failureOf(error, tool.name, loop.signal, { started: false })
    if (paths.some((path) => path.outside)) return { show: preview() }
    return { result: { ...result, learned: context.files.learned } }
  }
}

function judgedOf(loop: Loop, { tool, input, paths }: Admitted, digest: string): Judged {
  const { name, aliases = [], knownAs = [], group, effect } = tool
  return {
    tool: name,
    names: [name, ...aliases, ...knownAs.map((foreign) => foreign.name)],
    group,
    effect,
    mode: loop.state.mode,
    paths,
    commands: tool.runs?.(input) ?? [],
    addresses: tool.reaches?.(input) ?? [],
    digest,
  }
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex")
}

function denied(say: string): Admission {
  return { result: { kind: "denied", say } }
}
