/** The line at the bottom: who works, how full the context is, what it cost. What matters least goes first where there is no room. */
import type { Usage } from "../../types/usage.ts"
import type { View } from "../../view/view.ts"
import { type Line, line, lineWidth, safe, styled } from "./line.ts"

export interface StatusFacts {
  status: View["status"]
  /** Tokens the model takes; 0: nobody knows. */
  window: number
  branch?: string
  /** Commands that run in the background. */
  jobs: number
}

const BAR = 10

export function statusLine({ status, window, branch, jobs }: StatusFacts, width: number): Line {
  const { mode, model, usage, context } = status
  const parts: { spans: Line; weight: number }[] = [
    { spans: line(styled("accent", safe(mode))), weight: 9 },
    { spans: line(styled("dim", shortModel(safe(model)))), weight: 8 },
  ]
  if (context > 0) parts.push({ spans: contextSpans(context, window), weight: 7 })
  if (usage.inputTokens > 0) parts.push({ spans: line(styled("dim", tokenWords(usage))), weight: 3 })
  if (usage.cost !== undefined) parts.push({ spans: line(styled("dim", costWords(usage.cost))), weight: 6 })
  if (jobs > 0) parts.push({ spans: line(styled("warning", `${jobs} running`)), weight: 5 })
  if (branch) parts.push({ spans: line(styled("dim", safe(branch))), weight: 4 })
  const shown = parts.filter(({ spans }) => lineWidth(spans) > 0)
  while (shown.length > 1 && joined(shown).length > 0 && lineWidth(joined(shown)) > width) {
    const least = Math.min(...shown.map(({ weight }) => weight))
    shown.splice(
      shown.findIndex(({ weight }) => weight === least),
      1,
    )
  }
  return joined(shown)
}

function joined(parts: readonly { spans: Line }[]): Line {
  return parts.flatMap(({ spans }, at): Line => (at === 0 ? spans : [styled("dim", " · "), ...spans]))
}

/** A bar that warns before the past has to be shortened. */
function contextSpans(context: number, window: number): Line {
  if (window <= 0) return line(styled("dim", `${short(context)} tokens`))
  const share = Math.min(1, context / window)
  const full = Math.min(BAR, Math.max(1, Math.round(share * BAR)))
  const style = share > 0.9 ? "bad" : share > 0.75 ? "warning" : "good"
  return line(
    styled(style, "━".repeat(full)),
    styled("dim", `${"─".repeat(BAR - full)} ${Math.max(1, Math.round(share * 100))}% of ${short(window)}`),
  )
}

function shortModel(model: string): string {
  return model.split("/").slice(-1)[0] ?? model
}

function tokenWords({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): string {
  const cached = cachedTokens > 0 && inputTokens > 0 ? ` (${Math.round((100 * cachedTokens) / inputTokens)}% cached)` : ""
  return `${short(inputTokens)} in${cached}, ${short(outputTokens)} out`
}

/** Tokens and cost, for the end of a task. */
export function spentWords(usage: Usage): string {
  return usage.cost === undefined ? tokenWords(usage) : `${tokenWords(usage)} · ${costWords(usage.cost)}`
}

export function costWords(cost: number): string {
  return `$${cost < 0.995 ? cost.toFixed(cost < 0.01 ? 4 : 3) : cost.toFixed(2)}`
}

/** "812", "12.3k", "1.2M". */
export function short(number: number): string {
  if (number < 1000) return String(number)
  if (number < 999_500) return `${number < 9_950 ? (number / 1000).toFixed(1).replace(/\.0$/, "") : Math.round(number / 1000)}k`
  return `${(number / 1e6).toFixed(1).replace(/\.0$/, "")}M`
}
