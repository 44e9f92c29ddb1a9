/** Finds code by what it does, in plain words, in the index of the workspace; for an exact text there is search_files. */
import { relative } from "node:path"
import * as z from "zod"
import { count } from "../text/count.ts"
import { truncate } from "../text/truncate.ts"
import type { CodeFound, CodeHit, CodeSearch } from "../types/code-search.ts"
import type { Host } from "../types/host.ts"
import { type Tool, ToolError } from "../types/tool.ts"
import { defineTool } from "./define-tool.ts"
import { pathArgument } from "./path-argument.ts"
import { shownName } from "./shown-name.ts"

const MOST_HITS = 10
/** About 5,000 tokens. */
const MOST_CHARACTERS = 20_000
const LONGEST_QUERY = 1000

const input = z.object({
  query: z
    .string()
    .min(1)
    .refine((words) => words.length <= LONGEST_QUERY, `expected at most ${LONGEST_QUERY} characters`)
    .describe('What the code does, such as "retry a failed upload"'),
  path: pathArgument().nullish().describe("Only in this folder"),
})

export function codebaseSearch(port: CodeSearch | undefined): Tool<z.output<typeof input>> {
  return defineTool({
    name: "codebase_search",
    group: "read",
    effect: "read",
    description: `Find where something is done in the workspace, asked in plain words. Gives up to ${MOST_HITS} functions, classes and other passages, the likeliest first. Words of the code's own language find most. For an exact text use search_files.`,
    input,
    touches: ({ path }) => [path || "."],
    preview: ({ query, path }) => ({
      kind: "title",
      text: `Look for ${truncate(query ?? "…", 200)}${path ? ` in ${path}` : ""}`,
    }),
    async run({ query, path }, { host, signal, progress }) {
      if (!port) throw new ToolError("There is no index of the code here. Use search_files.")
      const folder = path ? await folderOf(path, host) : ""
      const found = await port.search(query, {
        most: MOST_HITS,
        signal,
        ...(folder !== "" && { folder }),
        onProgress: (done, of) => progress({ kind: "title", text: `Indexing the code: ${done} of ${count(of, "file")}` }),
      })
      const files = new Set(found.hits.map((hit) => hit.path)).size
      const cut = found.pending > 0
      return {
        say: report(query, path || ".", found, files),
        show: { kind: "hits", pattern: query, path: path || ".", files, count: found.hits.length, cut },
      }
    },
  })
}

/** From the workspace, wherever links lead; empty for the workspace itself. */
async function folderOf(path: string, host: Host): Promise<string> {
  if ((await host.stat(path)) === undefined) throw new ToolError(`There is no file or folder ${path}.`)
  const inside = relative(await host.realPath("."), await host.realPath(path)).replaceAll("\\", "/")
  if (inside === ".." || inside.startsWith("../") || /^(?:\/|[A-Za-z]:)/.test(inside)) {
    throw new ToolError(`${path} is outside of the workspace, and only that is indexed. Use search_files.`)
  }
  return inside
}

function report(query: string, path: string, { hits, files: indexed, pending, notes }: CodeFound, files: number): string {
  const partial =
    pending > 0
      ? [`The index is not complete yet: ${count(pending, "file")} to go. Search again later, or use search_files.`]
      : []
  const remarks = [...partial, ...notes].map((note) => `\n(${note})`).join("")
  if (hits.length === 0) {
    const where = path === "." ? `the ${count(indexed, "indexed file")}` : path
    return `Nothing in ${where} speaks of "${query}". Try other words, or search_files with a regular expression.${remarks}`
  }
  const title = `${count(hits.length, "place")} in ${count(files, "file")}, the likeliest first.`
  return `${title}${remarks}\n\n${writeHits(hits)}`
}

function writeHits(hits: readonly CodeHit[]): string {
  const written: string[] = []
  let room = MOST_CHARACTERS
  for (const { path, lines, symbol, why, text } of hits) {
    const entry = `# ${shownName(path)}:${lines[0]}-${lines[1]}${symbol ? ` ${symbol}` : ""}\n(${why})\n${text}`
    room -= entry.length
    if (room < 0) return [...written, `(No room for ${count(hits.length - written.length, "more place")}.)`].join("\n\n")
    written.push(entry)
  }
  return written.join("\n\n")
}
