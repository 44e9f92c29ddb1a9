/**
 * What a command said: exit code 0 with JSON or plain text on its output, 2 for no with the reason on its error output, anything
 * else a failure. Members of the wrong type count as absent; nothing in it can make this throw.
 */
import { printable } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import type { PromptSection } from "../types/hooks.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { CommandOutcome } from "./run-command.ts"

export interface HookAnswer {
  /** It said nothing that counts, and why. */
  failed?: string
  /** Exit code 2, or a decision that blocks: with the reason, which may be empty. */
  block?: string
  decision?: "allow" | "ask" | "deny"
  reason: string
  /** For the model. */
  context?: string
  /** Output that was no JSON. */
  text?: string
  input?: JsonObject
  output?: Json
  /** To a request for permission. */
  permission?: { allow: boolean; message: string; input?: JsonObject }
  sections?: { add: PromptSection[]; replace: Record<string, string>; drop: string[] }
  /** The task shall pause. */
  stop?: string
  /** For the person. */
  message?: string
}

const LONGEST_TEXT = 10_000

export function readAnswer(outcome: CommandOutcome): HookAnswer {
  const { ending, exitCode, stdout, stderr, cut, problem } = outcome
  if (ending === "timed-out") return { failed: "it took too long and was ended", reason: "" }
  if (ending === "cancelled") return { failed: "it was cancelled", reason: "" }
  if (ending === "not-started") return { failed: `it could not be started: ${problem ?? ""}`, reason: "" }
  if (exitCode === 2) return { block: forModel(stderr), reason: forModel(stderr) }
  if (exitCode !== 0) {
    const [line = ""] = stderr.trim().split("\n")
    const end = exitCode === null ? (problem ?? "it was ended") : `exit code ${exitCode}`
    return { failed: `${end}${line === "" ? "" : `: ${line}`}`, reason: "" }
  }
  if (cut) return { failed: "it printed too much to be read", reason: "" }
  return readOutput(stdout)
}

function readOutput(stdout: string): HookAnswer {
  const text = stdout.trim()
  if (text === "") return { reason: "" }
  const parsed = parseObject(text)
  if (parsed) return readObject(parsed)
  if (text.startsWith("{")) return { failed: "it printed JSON that cannot be read", reason: "" }
  return { text: forModel(text), reason: "" }
}

/** Shell profiles like to print a line of their own before. */
function parseObject(text: string): JsonObject | undefined {
  const from = text.startsWith("{") ? 0 : text.indexOf("\n{") + 1
  if (from === 0 && !text.startsWith("{")) return undefined
  try {
    const value: Json = JSON.parse(text.slice(from))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readObject(object: JsonObject): HookAnswer {
  const specific = isObject(object["hookSpecificOutput"]) ? object["hookSpecificOutput"] : {}
  const reason = forModel(textIn(specific, "permissionDecisionReason") ?? textIn(object, "reason") ?? "")
  const verdict = specific["permissionDecision"] ?? (typeof object["decision"] === "string" ? object["decision"] : undefined)
  const blocks = verdict === "block" || verdict === "deny"
  const decision = decisionOf(verdict)
  const context = textIn(specific, "additionalContext") ?? textIn(object, "additionalContext")
  const input = [specific["updatedInput"], specific["tool_input"]].find(isObject)
  const output = specific["updatedToolOutput"] ?? specific["updatedMCPToolOutput"]
  const permission = permissionOf(specific["decision"])
  const message = textIn(object, "systemMessage")
  return {
    reason,
    ...(blocks && { block: reason }),
    ...(decision && { decision }),
    ...(context !== undefined && { context: forModel(context) }),
    ...(input && { input }),
    ...(output !== undefined && output !== null && { output }),
    ...(permission && { permission }),
    ...sectionsOf(specific),
    ...(object["continue"] === false && { stop: forModel(textIn(object, "stopReason") ?? "") }),
    ...(message !== undefined && { message }),
  }
}

/** A word nobody knows is no allow: the person decides. `defer` leaves it to them as well. */
function decisionOf(verdict: Json | undefined): HookAnswer["decision"] {
  if (verdict === undefined || verdict === null || verdict === "") return undefined
  if (verdict === "allow" || verdict === "approve") return "allow"
  return verdict === "block" || verdict === "deny" ? "deny" : "ask"
}

function permissionOf(decision: Json | undefined): HookAnswer["permission"] {
  if (!isObject(decision) || (decision["behavior"] !== "allow" && decision["behavior"] !== "deny")) return undefined
  const { behavior, updatedInput } = decision
  return {
    allow: behavior === "allow",
    message: forModel(textIn(decision, "message") ?? ""),
    ...(isObject(updatedInput) && { input: updatedInput }),
  }
}

function sectionsOf({ addSections, replaceSections, dropSections }: JsonObject): Pick<HookAnswer, "sections"> {
  if (addSections === undefined && replaceSections === undefined && dropSections === undefined) return {}
  const add = (Array.isArray(addSections) ? addSections : []).flatMap((one): PromptSection[] => {
    const [name, text] = isObject(one) ? [one["name"], one["text"]] : []
    return typeof name === "string" && typeof text === "string" ? [{ name, text }] : []
  })
  const replace = Object.entries(isObject(replaceSections) ? replaceSections : {}).filter(
    (one): one is [string, string] => typeof one[1] === "string",
  )
  const drop = (Array.isArray(dropSections) ? dropSections : []).filter((one) => typeof one === "string")
  return { sections: { add, replace: Object.fromEntries(replace), drop } }
}

function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name]
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

function forModel(text: string): string {
  return truncate(printable(text).trim(), LONGEST_TEXT)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
