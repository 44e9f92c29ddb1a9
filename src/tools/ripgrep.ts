/** Runs ripgrep, hands over its output record by record, and stops it as soon as there is enough. */
import type { Host } from "../types/host.ts"
import { ToolError } from "../types/tool.ts"

const TIMEOUT_MS = 60_000
const LONGEST_COMPLAINT = 2000
/** A record is one name or one matching line; of a longer one only the beginning is kept. */
const LONGEST_RECORD = 1_000_000

export interface RipgrepRun {
  args: readonly string[]
  /** Default: the workspace. */
  cwd?: string
  signal: AbortSignal
  separator: "\0" | "\n"
  /** `cut`: only its beginning. Returning "enough" ends the run. */
  onRecord(record: string, cut: boolean): "enough" | undefined
  /** What it says on its error stream, a line at a time. */
  onRemark?(line: string): void
}

export interface RipgrepEnd {
  /** null when it was stopped. */
  exitCode: number | null
  timedOut: boolean
  /** The beginning of its error stream. */
  complaint: string
}

/** Exit code 2 says that something went wrong: a fault in the arguments, or files that could not be read. */
export async function runRipgrep(host: Host, run: RipgrepRun): Promise<RipgrepEnd> {
  const stop = new AbortController()
  let enough = false
  let complaint = ""
  const output = records(run.separator, (record, cut) => {
    if (enough || run.onRecord(record, cut) !== "enough") return
    enough = true
    stop.abort()
  })
  const remarks = records("\n", (line) => run.onRemark?.(line))
  const { exitCode, signal, ending } = await host.run(
    { program: await host.ripgrep(), args: ["--no-config", ...run.args] },
    {
      ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
      signal: AbortSignal.any([run.signal, stop.signal]),
      timeoutMs: TIMEOUT_MS,
      onOutput(text, stream) {
        if (stream === "stdout") return output(text)
        if (complaint.length < LONGEST_COMPLAINT) complaint += text.slice(0, LONGEST_COMPLAINT)
        remarks(text)
      },
    },
  )
  run.signal.throwIfAborted()
  if (signal !== undefined && ending === "exited")
    throw new ToolError(`ripgrep was ended by ${signal} before it was done. Try a smaller folder.`)
  return { exitCode: enough ? null : exitCode, timedOut: ending === "timed-out", complaint }
}

/** Cuts a stream of text into records. Each character is looked at once. */
function records(separator: string, onRecord: (record: string, cut: boolean) => void): (text: string) => void {
  let begun = ""
  let cut = false
  const extend = (part: string) => {
    const room = LONGEST_RECORD - begun.length
    cut ||= part.length > room
    begun += cut ? part.slice(0, room) : part
  }
  return (text) => {
    let start = 0
    for (let end = text.indexOf(separator); end !== -1; end = text.indexOf(separator, start)) {
      extend(text.slice(start, end))
      onRecord(begun, cut)
      begun = ""
      cut = false
      start = end + 1
    }
    extend(text.slice(start))
  }
}
