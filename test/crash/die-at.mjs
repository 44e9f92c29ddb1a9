/**
 * Loaded into the real command with `node --import`: kills the process with SIGKILL at the nth thing it does to files or processes.
 * CRASH is JSON: `{ at, how }` with "before", "half" or "after", or `{ count: FILE }` to write down how many such things there are.
 */
import childProcess from "node:child_process"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { at = 0, how = "before", count } = JSON.parse(process.env.CRASH)
const { writeSync, writeFileSync } = fs
let done = 0

function die() {
  process.kill(process.pid, "SIGKILL")
}

function isNext() {
  return ++done === at
}

fs.writeSync = (file, data, ...rest) => {
  if (!isNext()) return writeSync(file, data, ...rest)
  if (how === "after") writeSync(file, data, ...rest)
  if (how === "half" && typeof data !== "string") writeSync(file, data, 0, Math.floor(data.length / 2))
  return die()
}

for (const name of [
  "fdatasyncSync",
  "fsyncSync",
  "renameSync",
  "linkSync",
  "unlinkSync",
  "rmSync",
  "mkdirSync",
  "writeFileSync",
]) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (!isNext()) return real(...args)
    if (how === "after") real(...args)
    return die()
  }
}

const { fdatasync } = fs
fs.fdatasync = (file, told) => {
  if (!isNext()) return fdatasync(file, told)
  if (how === "before") return die()
  fdatasync(file, die)
  if (how === "half") die() // while it is under way
}

const { spawn } = childProcess
childProcess.spawn = (...args) => {
  if (!isNext()) return spawn(...args)
  if (how === "before") return die()
  const child = spawn(...args)
  if (how === "half") setTimeout(die, 5)
  else die()
  return child
}

if (count) process.on("exit", () => writeFileSync(count, String(done)))
syncBuiltinESMExports()
