/**
 * Tools whose definition depends on settings or on the model. The default definitions stand in a file; these functions make the
 * others from them, without loading the tools.
 */
import type { ToolDefinition } from "../types/model.ts"
import type { ToolSummary } from "../types/tool.ts"

export interface ReadFileOptions {
  /** A part of a file can be asked for. Without it a read gives the whole file, as far as there is room. */
  partialReads: boolean
  /** Files in one call at most. One is offered, several are accepted. */
  atOnce: number
  /** The model can be shown images. */
  images: boolean
}

export const READ_FILE_DEFAULTS: ReadFileOptions = { partialReads: true, atOnce: 5, images: false }

export interface ToolOptions {
  readFile?: Partial<ReadFileOptions>
}

/** The same tools, each as these options want it described. */
export function summariesFor(summaries: readonly ToolSummary[], { readFile }: ToolOptions): ToolSummary[] {
  return summaries.map((summary) => {
    if (summary.name !== "read_file" || !readFile) return summary
    return { ...summary, definition: readFileDefinition(summary.definition, { ...READ_FILE_DEFAULTS, ...readFile }) }
  })
}

const PAGED = /, at most \d+ lines per call\. When there is more, the answer names the next offset\./

function readFileDefinition({ name, description, parameters }: ToolDefinition, options: ReadFileOptions): ToolDefinition {
  const { properties = {}, ...rest } = parameters
  const path = properties["path"]
  return {
    name,
    description: describeReadFile(description, options),
    parameters: options.partialReads || !path ? parameters : { ...rest, properties: { path } },
  }
}

/** `description` is the one for the default options. */
export function describeReadFile(description: string, { partialReads, images }: ReadFileOptions): string {
  const text = partialReads ? description : description.replace(PAGED, ".")
  return images ? text.replace("the text of PDF", "images, and the text of PDF") : text
}
