/** The measured side of the code index: builds, updates and asks an index in a process of its own, and prints what it took as JSON. */
import { appendFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openCodeIndex } from "../../src/code-index/code-index.ts"
import { guardHost } from "../../src/host/guarded.ts"
import { localHost } from "../../src/host/local.ts"

export interface CodeIndexMeasured {
  files: number
  passages: number
  bytes: number
  cold: Spent
  /** The longest time in which nothing else in the process could run. */
  pauseMs: number
  peakMb: number
  unchanged: Spent[]
  update: Spent[]
  query: Spent[]
}

export interface Spent {
  ms: number
  /** Of the whole process, its threads included. */
  cpuMs: number
}

const [tree = "", file = "", rounds = "5"] = process.argv.slice(2)
const host = guardHost(localHost(tree), [tree])([])
const index = openCodeIndex({ host, file, patienceMs: 1_000_000 })
const caller = { signal: new AbortController().signal, onProgress() {} }
const QUESTIONS = ["where is the retry delay computed", "parse the header of a response", "remove expired entries from the cache"]

let pauseMs = 0
let last = performance.now()
const watch = setInterval(() => {
  const now = performance.now()
  pauseMs = Math.max(pauseMs, now - last - 5)
  last = now
}, 5)
const cold = await timed(() => index.refresh(caller))
clearInterval(watch)
const { files, passages } = await index.status()
const unchanged: Spent[] = []
const update: Spent[] = []
const query: Spent[] = []
for (let round = 0; round < Number(rounds); round++) {
  unchanged.push(await timed(() => index.refresh(caller)))
  appendFileSync(join(tree, "folder-1/1.ts"), `\nexport function added${round}() {\n  return ${round}\n}\n`)
  update.push(await timed(() => index.refresh(caller)))
  for (const question of QUESTIONS) query.push(await timed(() => index.search(question, { most: 10, ...caller })))
}
await index.close()
const measured: CodeIndexMeasured = {
  files,
  passages,
  bytes: statSync(file).size,
  cold,
  pauseMs,
  peakMb: process.resourceUsage().maxRSS / 1024,
  unchanged,
  update,
  query,
}
process.stdout.write(JSON.stringify(measured))

async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const before = process.cpuUsage()
  const started = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - started, cpuMs: (user + system) / 1000 }
}
