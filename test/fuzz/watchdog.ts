/**
 * Notices a case that never comes back. Such a case holds the only thread, so no timer of that thread can help: a second thread
 * looks on, says which case it was, and ends the process.
 */
import { Worker } from "node:worker_threads"

export interface Watchdog {
  /** This begins now; what was watched before is over. */
  watch(what: string): void
  /** Nothing is being watched. */
  rest(): void
  stop(): Promise<void>
}

const LONGEST_NAME = 1_000

/** Shared with the looker-on: how often something began (0: nothing runs), the length of its name, and the name. */
const LOOKER_ON = `
const { workerData } = require("node:worker_threads")
const { writeSync } = require("node:fs")
const state = new Int32Array(workerData.shared, 0, 2)
const name = Buffer.from(workerData.shared, 8)
let last = 0
setInterval(() => {
  const count = Atomics.load(state, 0)
  if (count !== 0 && count === last) {
    writeSync(2, "hangs: " + name.toString("utf8", 0, Atomics.load(state, 1)) + "\\n")
    process.kill(process.pid, "SIGKILL")
  }
  last = count
}, workerData.patienceMs)
`

export function watchdog(patienceMs: number): Watchdog {
  const shared = new SharedArrayBuffer(8 + LONGEST_NAME)
  const state = new Int32Array(shared, 0, 2)
  const name = Buffer.from(shared, 8)
  const worker = new Worker(LOOKER_ON, { eval: true, workerData: { shared, patienceMs }, execArgv: [] })
  worker.unref()
  let count = 0
  return {
    watch(what) {
      count = (count % 1_000_000) + 1
      Atomics.store(state, 1, name.write(what, 0, LONGEST_NAME))
      Atomics.store(state, 0, count)
    },
    rest: () => void Atomics.store(state, 0, 0),
    stop: async () => void (await worker.terminate()),
  }
}
