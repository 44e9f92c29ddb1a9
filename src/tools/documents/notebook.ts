/** A Jupyter notebook as text: each cell under a line that names it, and the text of what it printed. */
import { truncate } from "../../text/truncate.ts"
import { ToolError } from "../../types/tool.ts"

const LONGEST_OUTPUT = 2000

/** Throws a ToolError when the text is no notebook. */
export function notebookText(json: string): string {
  const cells = parse(json)
  return cells
    .map((cell, index) => {
      const heading = `--- cell ${index + 1} (${textOf(cell["cell_type"]) || "unknown"}) ---`
      const printed = listOf(cell["outputs"]).map(outputText).filter(Boolean).join("\n")
      return [heading, textOf(cell["source"]), printed && `--- output ---\n${printed}`].filter(Boolean).join("\n")
    })
    .join("\n")
}

function parse(json: string): Record<string, unknown>[] {
  try {
    const notebook: unknown = JSON.parse(json)
    if (isRecord(notebook) && Array.isArray(notebook["cells"])) return listOf(notebook["cells"])
  } catch (error) {
    throw new ToolError(`its JSON is broken: ${error instanceof Error ? error.message : ""}`)
  }
  throw new ToolError("it has no cells")
}

function outputText(output: Record<string, unknown>): string {
  const data = isRecord(output["data"]) ? output["data"] : {}
  const error = [textOf(output["ename"]), textOf(output["evalue"])].filter(Boolean).join(": ")
  const text = textOf(output["text"]) || textOf(data["text/plain"]) || error
  const others = Object.keys(data).filter((type) => type.startsWith("image/"))
  return [truncate(text.trimEnd(), LONGEST_OUTPUT), ...others.map((type) => `(${type})`)].filter(Boolean).join("\n")
}

/** Notebooks keep text as one string or as a list of lines. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join("") : typeof value === "string" ? value : ""
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
