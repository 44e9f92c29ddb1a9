/**
 * Loaded into the real command with `node --import`: kills the process with SIGKILL at one exact point of its journal.
 * KILL_AT is JSON: the event's type, which occurrence, and whether before, after, or in the middle of writing its line.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { type, nth = 1, when } = JSON.parse(process.env.KILL_AT)
const writeSync = fs.writeSync
let seen = 0

fs.writeSync = (file, data, ...rest) => {
  const isEvent = Buffer.isBuffer(data) && data.includes(`"type":"${type}"`) && data.includes('"seq":')
  if (!isEvent || ++seen !== nth) return writeSync(file, data, ...rest)
  if (when === "after") writeSync(file, data, ...rest)
  if (when === "half") writeSync(file, data, 0, Math.floor(data.length / 2))
  process.kill(process.pid, "SIGKILL")
}
syncBuiltinESMExports()
