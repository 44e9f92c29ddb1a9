/**
 * The onion of hooks around a tool's run, the first one outermost. The tool runs at most once, and what it did is never lost:
 * a hook that breaks is told as a notice, and then what lies inside it decides.
 */
import { FaultError } from "../types/fault.ts"
import type { HookedCall } from "../types/hooks.ts"
import { ToolError, type ToolOutput } from "../types/tool.ts"
import { messageOf, type Notice, tell } from "./guarded.ts"
import { DEFAULT_TIMEOUT_MS, type Hook } from "./hook.ts"

const LONGEST_TIMER_MS = 2 ** 31 - 1
const AFTER_CANCEL_MS = 1000

export type Wrapping = Pick<Hook, "name" | "timeoutMs"> & Required<Pick<Hook, "wrap">>

export interface Wrapped {
  call: HookedCall
  signal: AbortSignal
  notice: Notice
}

export function wrapped(hooks: readonly Wrapping[], run: () => Promise<ToolOutput>, context: Wrapped): () => Promise<ToolOutput> {
  return hooks.reduceRight((inner, hook) => once(() => around(hook, inner, context)), once(run))
}

/** Who asks again gets the same output. */
function once(run: () => Promise<ToolOutput>): () => Promise<ToolOutput> {
  let output: Promise<ToolOutput> | undefined
  return () => {
    output ??= run()
    return output
  }
}

async function around(hook: Wrapping, inner: () => Promise<ToolOutput>, { call, signal, notice }: Wrapped): Promise<ToolOutput> {
  const patience = patienceOf(hook.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal)
  let started = false
  const next = () => {
    started = true
    patience.hold()
    const output = inner()
    output.then(patience.resume, patience.resume)
    return output
  }
  const answered = new Promise<ToolOutput>((resolve) => resolve(hook.wrap(call, next, signal)))
  answered.catch(() => {}) // if it is given up first, nobody else listens
  try {
    const output: unknown = await Promise.race([answered, patience.over])
    if (!isOutput(output)) throw new Error("it returned no output")
    return output
  } catch (error) {
    if (error instanceof ToolError || error instanceof FaultError) throw error
    if (signal.aborted && !started) throw error
    // The tool's own error, if it ran and failed, comes out of `inner` again and is no defect of the hook.
    const own = await inner().then(
      () => true,
      (failure) => failure !== error,
    )
    if (own) tell(notice, `The hook ${hook.name} failed (around a call): ${messageOf(error)}`)
    return inner()
  } finally {
    patience.end()
  }
}

/** Counts the hook's own time, not that of what it waits for. After a cancel there is little of it left. */
function patienceOf(timeoutMs: number, signal: AbortSignal) {
  let left = timeoutMs
  let since = 0
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let giveUp: (error: Error) => void = () => {}
  const over = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  over.catch(() => {})
  const resume = () => {
    if (signal.aborted) left = Math.min(left, AFTER_CANCEL_MS)
    if (ended || timer || left > LONGEST_TIMER_MS) return
    since = performance.now()
    timer = setTimeout(() => giveUp(new Error(`no answer within ${timeoutMs / 1000} seconds`)), Math.max(left, 0))
  }
  const hold = () => {
    if (!timer) return
    clearTimeout(timer)
    timer = undefined
    left -= performance.now() - since
  }
  const hurry = () => {
    if (timer) hold()
    else if (left <= LONGEST_TIMER_MS) return // it waits for the tool, which has its own way to end
    resume()
  }
  signal.addEventListener("abort", hurry)
  resume()
  return {
    over,
    hold,
    resume,
    end() {
      signal.removeEventListener("abort", hurry)
      hold()
      ended = true
    },
  }
}

function isOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && "say" in value
}
