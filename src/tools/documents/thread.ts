/** Runs the reader of a PDF or Word document in a thread, and stops it when it takes too long, too much memory, or nobody waits. */
import { ToolError } from "../../types/tool.ts"

export interface ThreadJob {
  kind: "pdf" | "word"
  bytes: Uint8Array
  limits: { pages: number; characters: number }
}

export interface ThreadAnswer {
  text: string
  pages?: number
  read?: number
}

const TIMEOUT_MS = 30_000
/** Buffers are no part of a thread's own limit, so the process is watched as well. */
const MOST_MEMORY_MB = 600
const LOOK_EVERY_MS = 100

export async function inThread(job: ThreadJob, signal: AbortSignal): Promise<ThreadAnswer> {
  signal.throwIfAborted()
  const { Worker } = await import("node:worker_threads")
  const worker = new Worker(new URL("./document-thread.js", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    env: {},
    stdin: false,
    stdout: true, // its library prints warnings
    stderr: true,
  })
  const before = process.memoryUsage.rss()
  const began = Date.now()
  let watch: NodeJS.Timeout | undefined
  let cancel = () => {}
  try {
    return await new Promise<ThreadAnswer>((resolve, reject) => {
      cancel = () => reject(signal.reason)
      signal.addEventListener("abort", cancel)
      watch = setInterval(() => {
        if (Date.now() - began > TIMEOUT_MS) reject(new ToolError("it takes too long to read"))
        if (process.memoryUsage.rss() - before > MOST_MEMORY_MB * 1024 * 1024) reject(tooMuch())
      }, LOOK_EVERY_MS)
      worker.once("message", (answer: ThreadAnswer | { problem: string }) => {
        if ("problem" in answer) reject(new ToolError(answer.problem))
        else resolve(answer)
      })
      worker.once("error", (error: Error & { code?: string }) => {
        reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuch() : new ToolError(error.message))
      })
      worker.once("exit", () => reject(new ToolError("its reader ended without a word")))
    })
  } finally {
    clearInterval(watch)
    signal.removeEventListener("abort", cancel)
    await worker.terminate()
  }
}

function tooMuch(): ToolError {
  return new ToolError("it takes too much memory to read")
}
