/** A path as models give it: what no file system can have is refused before anybody looks for it. */
import * as z from "zod"

/** The longest that systems take. */
const LONGEST_PATH = 4096

export function pathArgument(): z.ZodString {
  return z
    .string()
    .min(1)
    .refine((path) => path.length <= LONGEST_PATH, `expected a path of at most ${LONGEST_PATH} characters`)
    .refine((path) => !path.includes("\0"), "expected a path without NUL")
}
