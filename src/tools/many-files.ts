/** The older shape of a read, several files with line ranges, in every spelling models use for it. */
import * as z from "zod"
import { pathArgument } from "./path-argument.ts"

export interface LineRange {
  /** First line, counted from 1. */
  offset: number
  limit: number
}

const line = z.int().min(1)

const range = z.union([
  z.array(line).length(2),
  z.object({ start: line, end: line }),
  z.string().regex(/^\s*\d+\s*-\s*\d+\s*$/, "a range such as 1-50"),
])

const file = z.object({ path: pathArgument(), line_ranges: z.array(range).max(20).optional() })

export type RequestedFile = z.output<typeof file>

/** A bare path stands for the whole file. */
export const manyFiles = z.array(z.preprocess((value) => (typeof value === "string" ? { path: value } : value), file)).min(1)

/** The whole file, as far as a page goes, when no range is given. */
export function rangesOf({ line_ranges: ranges }: RequestedFile, page: number): LineRange[] {
  if (!ranges?.length) return [{ offset: 1, limit: page }]
  return ranges.map((wanted) => {
    const [one = 1, other = one] = Array.isArray(wanted)
      ? wanted
      : typeof wanted === "string"
        ? wanted.split("-").map(Number)
        : [wanted.start, wanted.end]
    const offset = Math.max(1, Math.min(one, other))
    return { offset, limit: Math.min(page, Math.max(one, other) - offset + 1) }
  })
}
