/** Each edit tool working out a change, from its arguments to the diff a person is shown, beside the least that changing lines can cost. */
import { memoryHost } from "../../src/host/memory.ts"
import { applyDiff } from "../../src/tools/apply-diff.ts"
import { applyPatch } from "../../src/tools/apply-patch.ts"
import { editFile } from "../../src/tools/edit-file.ts"
import { searchAndReplace } from "../../src/tools/search-and-replace.ts"
import { searchReplace } from "../../src/tools/search-replace.ts"
import { writeToFile } from "../../src/tools/write-to-file.ts"
import type { JsonObject } from "../../src/types/json.ts"
import { type Tool, ToolError } from "../../src/types/tool.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface EditCell {
  lines: number
  blocks: number
  /** Sound blocks, blocks that are nowhere, or a file of equal lines in which a block stands everywhere. */
  case: "found" | "missing" | "equal"
}

interface Block {
  search: string
  replace: string
}

const lineAt = (index: number) => `  const value${index} = compute(${index}, "some words that make a line of usual length")`

function fileOf({ lines, case: which }: EditCell): string[] {
  return Array.from({ length: lines }, (_, index) => (which === "equal" ? "  }" : lineAt(index)))
}

/** Three lines each, spread over the file; the middle one changes. */
function blocksOf({ lines, blocks, case: which }: EditCell): Block[] {
  return Array.from({ length: blocks }, (_, index) => {
    const start = Math.floor((index * (lines - 3)) / blocks)
    const line = (offset: number) =>
      which === "equal" ? "  }" : lineAt(start + offset) + (which === "missing" ? " // gone" : "")
    const height = which === "equal" ? Math.max(1, Math.floor(lines / 2 / blocks)) : 1
    const middle = Array.from({ length: height }, () => line(1)).join("\n")
    return { search: `${line(0)}\n${middle}\n${line(2)}`, replace: `${line(0)}\nchanged ${index}\n${line(2)}` }
  })
}

function patchOf(blocks: readonly Block[]): string {
  const marked = (mark: string, text: string) => text.replace(/^/gm, mark)
  const hunks = blocks.map(({ search, replace }) => `@@\n${marked("-", search)}\n${marked("+", replace)}\n`)
  return `*** Begin Patch\n*** Update File: a.ts\n${hunks.join("")}*** End Patch`
}

const ARGUMENTS: Record<string, (blocks: Block[], file: string[]) => [Tool, JsonObject]> = {
  write_to_file: (blocks, file) => {
    const changed = [...file]
    for (const [index] of blocks.entries())
      changed[Math.floor((index * (file.length - 3)) / blocks.length) + 1] = `changed ${index}`
    return [writeToFile, { path: "a.ts", content: `${changed.join("\n")}\n` }]
  },
  apply_diff: (blocks) => {
    const diff = blocks.map(({ search, replace }) => `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`).join("")
    return [applyDiff, { path: "a.ts", diff }]
  },
  apply_patch: (blocks) => [applyPatch, { patch: patchOf(blocks) }],
  search_and_replace: (blocks) => {
    const edits = blocks.map(({ search, replace }) => ({ search, replace }))
    return [searchAndReplace, { file_path: "a.ts", edits }]
  },
  search_replace: ([block]) => [searchReplace, { file_path: "a.ts", old_string: block?.search ?? "", new_string: "changed" }],
  edit_file: ([block]) => [editFile, { file_path: "a.ts", old_string: block?.search ?? "", new_string: "changed" }],
}

function plan(name: string): Job<EditCell> {
  return (cell) => {
    const file = fileOf(cell)
    const [tool, args] = ARGUMENTS[name]?.(blocksOf(cell), file) ?? [writeToFile, {}]
    const host = memoryHost({ "a.ts": `${file.join("\n")}\n` })
    const context = { host, signal: new AbortController().signal, progress() {}, callKey: "1" }
    return async () => {
      const checked = tool.input.check(args)
      if (!checked.ok) throw new Error(checked.problems.join("\n"))
      const failed = await tool.plan?.(checked.value, context).then(
        () => false,
        (error) => error instanceof ToolError || Promise.reject(error),
      )
      if (failed !== (cell.case !== "found" && name !== "write_to_file")) throw new Error(`${name} did not do what is measured`)
    }
  }
}

const jobs: Record<string, Job<EditCell>> = {
  limit(cell) {
    const bytes = Buffer.from(`${fileOf(cell).join("\n")}\n`)
    const blocks = blocksOf(cell)
    return () => {
      const lines = bytes.toString().split("\n")
      for (const [index] of blocks.entries())
        lines[Math.floor((index * (lines.length - 3)) / blocks.length) + 1] = `changed ${index}`
      if (lines.join("\n").length === 0) throw new Error("nothing was changed")
    }
  },
  ...Object.fromEntries(Object.keys(ARGUMENTS).map((name) => [name, plan(name)])),
}

serveLane(jobs)
