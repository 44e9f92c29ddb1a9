/** What a model is sent, piece by piece, with what each piece costs: for people who want to see it. */
import type { PromptSection } from "../types/hooks.ts"
import type { ToolDefinition } from "../types/model.ts"
import { joinSections } from "./system.ts"
import { insertCatalogue, taggedTool, taggedTools } from "./tagged-tools.ts"

export interface ReportedRequest {
  sections: readonly PromptSection[]
  tools: readonly ToolDefinition[]
}

export interface ReportOptions {
  /** Whom it is for: mode and model. */
  heading: string
  /** Show the tools as tagged text instead of as definitions. */
  tagged: boolean
  countTokens(text: string): number
}

/** The prompt and the tools as they are sent, then a table of tokens. */
export function requestReport({ sections, tools }: ReportedRequest, { heading, tagged, countTokens }: ReportOptions): string {
  const system = joinSections(sections)
  const costs = {
    system: countTokens(system),
    native: countTokens(JSON.stringify(tools)),
    tagged: countTokens(taggedTools(tools)),
  }
  const perTool = tools.map((tool): Row => [tool.name, countTokens(tagged ? taggedTool(tool) : JSON.stringify(tool))])
  const rows: Row[] = [
    ...sections.map(({ name, text }): Row => [name, countTokens(text)]),
    ["= system prompt", costs.system],
    ...perTool,
    ["= tools, as definitions", costs.native],
    ["= tools, as tagged text", costs.tagged],
    ["= system prompt and definitions", costs.system + costs.native],
    ["= system prompt and tagged text", costs.system + costs.tagged],
  ]
  const whole = tagged ? insertCatalogue(system, taggedTools(tools)) : system
  const parts = [
    title(`System prompt ${heading}${tagged ? ", tools as tagged text" : ""}, ${kilobytes(whole)}`),
    `${whole}\n`,
    ...(tagged ? [] : [title(`Tools, ${kilobytes(JSON.stringify(tools))}`), `${onePerLine(tools)}\n`]),
    title("Tokens, estimated: each model counts in its own way"),
    table(rows),
  ]
  return `${parts.join("\n")}\n`
}

/** The same JSON as is sent, with a line for each tool. */
function onePerLine(tools: readonly ToolDefinition[]): string {
  return tools.length === 0 ? "[]" : `[\n${tools.map((tool) => JSON.stringify(tool)).join(",\n")}\n]`
}

type Row = [name: string, tokens: number]

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, tokens]) => `${name.padEnd(width)}  ${String(tokens).padStart(6)}`).join("\n")
}

function title(words: string): string {
  return `--- ${words} ---`
}

function kilobytes(text: string): string {
  return `${(new TextEncoder().encode(text).length / 1024).toFixed(1)} KB`
}
