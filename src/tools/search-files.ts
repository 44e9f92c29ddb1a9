/** Searches file contents with ripgrep and shows each match with the lines around it. */
import * as z from "zod"
import { count } from "../text/count.ts"
import { type ToolContext, ToolError } from "../types/tool.ts"
import { baseOf } from "./base-of.ts"
import { defineTool } from "./define-tool.ts"
import { filePattern } from "./file-pattern.ts"
import { type Findings, filesWithMatches, noFindings, takeIn, writeFindings } from "./findings.ts"
import { pathArgument } from "./path-argument.ts"
import { type RipgrepEnd, runRipgrep } from "./ripgrep.ts"

const MOST_MATCHES = 300
/** About 10,000 tokens. */
const MOST_CHARACTERS = 40_000
const LONGEST_REGEX = 10_000

const input = z.object({
  path: pathArgument().describe("Folder or file, relative to the workspace"),
  regex: z
    .string()
    .min(1)
    .refine((regex) => regex.length <= LONGEST_REGEX, `expected an expression of at most ${LONGEST_REGEX} characters`)
    .refine((regex) => !regex.includes("\0"), "expected an expression without NUL; write \\x00")
    .describe("Rust syntax; (?i) ignores case"),
  file_pattern: z
    .string()
    .refine((glob) => glob.length <= LONGEST_REGEX && !glob.includes("\0"), "expected a glob such as *.ts")
    .nullish()
    .describe("Only files like this, such as *.ts"),
})

export const searchFiles = defineTool({
  name: "search_files",
  knownAs: [{ agent: "claude-code", name: "Grep", arguments: { regex: "pattern", file_pattern: "glob" } }],
  group: "read",
  effect: "read",
  description: `Search file contents for a regular expression (ripgrep). Gives each match with its line number and the lines next to it, at most ${MOST_MATCHES} matches. Leaves out ignored and binary files.`,
  input,
  spellings: { pattern: "regex" },
  touches: ({ path }) => [path],
  preview: ({ path, regex }) => ({ kind: "title", text: `Search ${path ?? "…"} for ${regex ?? "…"}` }),
  async run(input, context) {
    const { path, regex, file_pattern } = input
    const facts = await context.host.stat(path)
    if (facts === undefined) throw new ToolError(`There is no file or folder ${path}.`)
    if (facts.kind === "other") throw new ToolError(`${path} is not a regular file.`) // reading a pipe or a device may never end
    const isFolder = facts.kind === "directory"
    const wanted = filePattern(file_pattern || "*")
    const base = baseOf(context.host, path)
    const found = noFindings(MOST_MATCHES, (file) => {
      if (!isFolder) return path
      const inside = file.replace(/^\.\//, "")
      const passedBy = context.host.isHidden?.(base + inside) || context.host.isSecret?.(base + inside)
      return wanted.admits(inside) && !passedBy ? base + inside : undefined
    })
    const target = isFolder ? { cwd: path, path: "." } : { path: await context.host.realPath(path) }
    const end = await search({ regex, target, args: wanted.args }, found, context)
    if (end.exitCode === 2 && found.searched === undefined) throw new ToolError(complaintOf(end, regex))
    const files = filesWithMatches(found).length
    const show = { kind: "hits", pattern: regex, path, files, count: found.matches, cut: found.more || end.timedOut } as const
    return { say: report(input, found, end), show }
  },
})

interface Search {
  regex: string
  target: { cwd?: string; path: string }
  args: string[]
}

function search({ regex, target, args }: Search, found: Findings, { host, signal }: ToolContext): Promise<RipgrepEnd> {
  return runRipgrep(host, {
    args: [
      "--json",
      "--context=1",
      "--hidden",
      "--no-require-git",
      "--no-messages",
      "--engine=auto", // what Rust's engine lacks, such as look-ahead, PCRE2 does
      `--max-count=${MOST_MATCHES + 1}`,
      ...(/\\n|\n|\(\?s/.test(regex) ? ["--multiline"] : []),
      ...args,
      "--glob=!.git/",
      `--regexp=${regex}`,
      "--",
      target.path,
    ],
    ...(target.cwd !== undefined && { cwd: target.cwd }),
    signal,
    separator: "\n",
    onRecord: (record, cut) => takeIn(found, record, cut),
  })
}

function complaintOf({ complaint }: RipgrepEnd, regex: string): string {
  const ofRust = /default regex engine error:\s*~+\s*([\s\S]*?)\s*~{9}/.exec(complaint)?.[1]
  const reason = (ofRust ?? complaint).replace(/^rg: /, "").trim()
  return `Nothing was searched for ${regex}: ${reason || "ripgrep gave no reason"}`
}

function report({ path, regex, file_pattern }: z.output<typeof input>, found: Findings, end: RipgrepEnd): string {
  const unread = end.exitCode === 2 ? "\n(Some files could not be read.)" : ""
  const late = end.timedOut ? "\n(Not complete: the search took too long and was stopped. Search a smaller folder.)" : ""
  if (found.matches === 0) {
    const kind = file_pattern ? `files like ${file_pattern}` : "files"
    const missed =
      found.searched === 0 ? `No ${kind} to search in ${path}` : `No match for ${regex} in ${path}, searched in ${kind}`
    return `${missed}; ignored and binary ones are left out.${unread}${late}`
  }
  const where = `in ${count(filesWithMatches(found).length, "file")}`
  const title = found.more
    ? `The first ${found.matches} matches, ${where}. There are more: narrow the search to see them.`
    : `${found.matches} ${found.matches === 1 ? "match" : "matches"} ${where}.`
  return `${title}${unread}${late}\n\n${writeFindings(found, MOST_CHARACTERS)}`
}
