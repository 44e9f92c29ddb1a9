/**
 * For `node --import`: notes each module that is loaded on file descriptor 3, one URL a line. A module whose name the
 * environment variable HELD_MODULES matches is asked for and never comes.
 */
import { writeSync } from "node:fs"
import { register } from "node:module"
import { isMainThread } from "node:worker_threads"

if (isMainThread) register(import.meta.url)

const held = process.env.HELD_MODULES ? new RegExp(process.env.HELD_MODULES) : undefined

export async function load(url, context, next) {
  if (held?.test(url)) await new Promise(() => {})
  writeSync(3, `${url}\n`)
  return next(url, context)
}
