/** What a person asks of every reply (temperature, length, how much to think), in the words of each wire. */
import type { JsonObject } from "../types/json.ts"
import type { Effort, Profile, Target } from "./target.ts"

/** Only what a person set: a server knows best how long its model's replies may be. */
function longest({ options, outputLimit = Number.POSITIVE_INFINITY }: Target): number | undefined {
  return options?.maxOutput === undefined ? undefined : Math.min(options.maxOutput, outputLimit)
}

function temperatureOf({ options }: Target): JsonObject {
  return options?.temperature === undefined ? {} : { temperature: options.temperature }
}

export function chatOptions(target: Target): JsonObject {
  const { profile, options } = target
  const limit = longest(target)
  return {
    ...profile.fields,
    ...temperatureOf(target),
    ...(limit !== undefined && { [profile.outputField ?? "max_tokens"]: limit }),
    ...(options?.reasoningEffort && thinkingFields(profile.thinking, options.reasoningEffort)),
  }
}

function thinkingFields(way: Profile["thinking"], effort: Effort): JsonObject {
  const thinks = effort !== "none"
  switch (way) {
    case "effort":
      return { reasoning_effort: effort }
    case "object":
      return { reasoning: { effort } }
    case "switch":
      return { thinking: { type: thinks ? "enabled" : "disabled" } }
    case "flag":
      return { enable_thinking: thinks }
    case "template":
      return { chat_template_kwargs: { enable_thinking: thinks } }
    case undefined:
      return {}
  }
}

export function responsesOptions(target: Target): JsonObject {
  const { options } = target
  const limit = longest(target)
  return {
    ...temperatureOf(target),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(options?.reasoningEffort && { reasoning: { effort: options.reasoningEffort } }),
  }
}

/** Tokens to think, for models that are given a number. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: 24_576,
  xhigh: 32_768,
}
/** The wire refuses less. */
const SMALLEST_BUDGET = 1024

/** `limit`: what the request says of the longest reply. */
export function anthropicOptions(target: Target, limit: number): JsonObject {
  const { options = {}, profile, model } = target
  const effort = options.reasoningEffort
  // Whoever refused what was thought before (R10) refuses to think on top of it too.
  if (effort === undefined || effort === "none" || profile.omit.includes("reasoning")) return temperatureOf(target)
  if (choosesItsThinking(model)) return { thinking: { type: "adaptive" }, output_config: { effort: anthropicEffort(effort) } }
  const budget = Math.min(BUDGETS[effort], Math.floor(limit * 0.8))
  // A model that thinks takes no temperature.
  return budget < SMALLEST_BUDGET ? temperatureOf(target) : { thinking: { type: "enabled", budget_tokens: budget } }
}

/** From 4.6 on the model is told how hard to try, not how many tokens to take. */
function choosesItsThinking(model: string): boolean {
  const [, major = "0", minor = "0"] = /claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?/i.exec(model) ?? []
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6)
}

function anthropicEffort(effort: Effort): string {
  return effort === "minimal" ? "low" : effort === "xhigh" ? "max" : effort
}

/** Members of `generationConfig`. */
export function geminiOptions(target: Target, thinks: boolean): JsonObject {
  const { options = {}, model } = target
  const limit = longest(target)
  const effort = thinks ? options.reasoningEffort : undefined
  return {
    ...temperatureOf(target),
    ...(limit !== undefined && { maxOutputTokens: limit }),
    ...(thinks && { thinkingConfig: { includeThoughts: true, ...(effort && geminiThinking(model, effort)) } }),
  }
}

function geminiThinking(model: string, effort: Effort): JsonObject {
  if (/gemini-2/i.test(model)) return { thinkingBudget: Math.min(BUDGETS[effort], 24_576) }
  return { thinkingLevel: effort === "high" || effort === "xhigh" || effort === "medium" ? "high" : "low" }
}

/** `options` goes into the request's own member of that name. */
export function ollamaOptions(target: Target): { fields: JsonObject; options: JsonObject } {
  const { options = {}, model } = target
  const limit = longest(target)
  const effort = options.reasoningEffort
  const level = effort === "minimal" ? "low" : effort === "xhigh" ? "high" : effort
  // Only gpt-oss knows degrees; it cannot be told not to think.
  const think = effort && (/gpt-oss/i.test(model) ? (level === "none" ? "low" : (level ?? "low")) : effort !== "none")
  return {
    fields: think === undefined ? {} : { think },
    options: { ...temperatureOf(target), ...(limit !== undefined && { num_predict: limit }) },
  }
}
