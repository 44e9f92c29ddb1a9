/**
 * Finds lines in what a command printed, with ripgrep: its time is in proportion to the file, whatever the pattern, and a file of
 * any size does not enter memory. Long lines are given around the place that matches.
 */

import { HostError } from "../types/host.ts"
import type { OutputHits } from "../types/job.ts"
import { bytesOf, readable } from "./output-file.ts"
import { runProcess } from "./processes.ts"

const SECONDS = 30
const COUNT_SECONDS = 3
const BEFORE = 200
const AFTER = 400
const [NEWLINE, RETURN] = [10, 13]
const PLAIN = ["--no-config", "--no-mmap", "--text", "--encoding=none", "--ignore-case", "--color=never", "--no-filename"]

export interface OutputSearch {
  ripgrep: string
  path: string
  pattern: string
  most: number
  signal?: AbortSignal
}

export async function searchOutput(search: OutputSearch): Promise<OutputHits> {
  const as = (...options: string[]) => rows(search, ["--line-number", "--column", "--byte-offset", "--max-columns=1", ...options])
  const most = `--max-count=${search.most + 1}`
  const found = await as(most)
  const literal = found === undefined
  const hits = found ?? (await as(most, "--fixed-strings")) ?? []
  const lines = hits.slice(0, search.most).map((row) => {
    const [number = 0, column = 1, offset = 0] = row.split(":", 3).map(Number)
    return { number, text: around(search.path, offset, column - 1) }
  })
  if (hits.length <= search.most) return { lines, total: hits.length, literal }
  const total = await count(search, literal)
  return { lines, ...(total !== undefined && { total }), literal }
}

async function count(search: OutputSearch, literal: boolean): Promise<number | undefined> {
  try {
    const found = await rows(search, ["--count", ...(literal ? ["--fixed-strings"] : [])], COUNT_SECONDS)
    return found?.[0] === undefined ? undefined : Number(found[0])
  } catch (error) {
    if (error instanceof HostError) return undefined // knowing that there are more must do
    throw error
  }
}

/** What ripgrep prints; undefined when it does not take the pattern. */
async function rows(
  { ripgrep, path, pattern, signal }: OutputSearch,
  options: string[],
  seconds = SECONDS,
): Promise<string[] | undefined> {
  let text = ""
  const { exitCode, ending } = await runProcess({
    program: ripgrep,
    args: [...PLAIN, ...options, `--regexp=${pattern}`, "--", path],
    cwd: "/",
    env: {},
    timeoutMs: seconds * 1000,
    ...(signal && { signal }),
    onOutput(piece, stream) {
      if (stream === "stdout") text += piece
    },
  })
  signal?.throwIfAborted()
  if (ending === "timed-out") throw new HostError("other", `the search took more than ${seconds} seconds`)
  return exitCode === 2 ? undefined : text.split("\n").filter(Boolean)
}

/** The line, or what of it is near; of one that was written over, the state that matches. */
function around(path: string, line: number, column: number): string {
  const from = Math.max(line, line + column - BEFORE)
  const place = line + column - from
  const bytes = bytesOf(path, from, from + place + AFTER)
  const ends = [NEWLINE, RETURN].map((end) => bytes.indexOf(end, place)).filter((at) => at !== -1)
  const end = Math.min(bytes.length, ...ends)
  const start = bytes.subarray(0, place).lastIndexOf(RETURN) + 1
  const cutBefore = from > line && start === 0
  const cutAfter = ends.length === 0 && bytes.length === place + AFTER
  return `${cutBefore ? "…" : ""}${readable(bytes.subarray(start, end))}${cutAfter ? "…" : ""}`
}
