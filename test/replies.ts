/** Replies for a model that plays a script in this process: what it says, thinks and calls, chunk by chunk, as a provider would yield it. */
import type { Chunk, EndReason } from "../src/types/chunk.ts"
import type { Fault, FaultKind } from "../src/types/fault.ts"
import type { JsonObject } from "../src/types/json.ts"
import type { Message } from "../src/types/message.ts"
import type { Model, ModelRequest } from "../src/types/model.ts"
import { historyProblems } from "./history-problems.ts"

/** One element per network read. `index` is the step's place in its reply: calls are told apart by it. */
export type Step = ((index: number) => (readonly Chunk[])[]) | Hold
export type Reply = readonly Step[]

/** A pause in the stream, until it is released or the request is cancelled. */
export interface Hold {
  /** Resolves when the stream has come to this point. */
  reached: Promise<void>
  release(): void
  /** For the model that plays the reply. */
  pause(signal: AbortSignal): Promise<void>
}

const PIECE = 7

export const words =
  (text: string): Step =>
  () =>
    pieces(text).map((piece) => [{ type: "text", text: piece }])

export const thoughts =
  (text: string): Step =>
  () =>
    pieces(text).map((piece) => [{ type: "reasoning", text: piece }])

export function call(name: string, input: JsonObject, id?: string): Step {
  return rawCall(name, JSON.stringify(input), id)
}

/** With argument text of any kind. */
export function rawCall(name: string, text: string, id?: string): Step {
  return (index) => [
    [{ type: "tool_call_partial", index, id: id ?? `call_${index}`, name }],
    ...pieces(text).map((piece) => [{ type: "tool_call_partial", index, arguments: piece } as const]),
  ]
}

/** Chunks as they are, in one network read. */
export const chunks =
  (...all: Chunk[]): Step =>
  () => [all]

export const used = (inputTokens: number, outputTokens: number, cost?: number): Step =>
  chunks({ type: "usage", usage: { inputTokens, outputTokens, ...(cost !== undefined && { cost }) } })

export const ends = (reason: EndReason): Step => chunks({ type: "end", reason })

export const fails = (kind: FaultKind, more: Partial<Fault> = {}): Step => chunks({ type: "fail", fault: fault(kind, more) })

/** The connection closes without a word about the end. */
export const breaksOff: Step = () => []

export function fault(kind: FaultKind, more: Partial<Fault> = {}): Fault {
  return { kind, message: `it failed: ${kind}`, retryable: true, ...more }
}

export function hold(): Hold {
  const reached = signpost()
  const released = signpost()
  return {
    reached: reached.passed,
    release: released.pass,
    pause(signal) {
      reached.pass()
      signal.addEventListener("abort", () => released.pass(), { once: true })
      return released.passed
    },
  }
}

/** A reply that says how it ends, unless its last step does so already. */
export function reply(...steps: Step[]): Reply {
  const played = steps.flatMap((step, index) => (typeof step === "function" ? step(index).flat() : []))
  const ended = steps.at(-1) === breaksOff || played.some((chunk) => chunk.type === "end" || chunk.type === "fail")
  const called = played.some((chunk) => chunk.type === "tool_call_partial" || chunk.type === "tool_call_start")
  return ended ? steps : [...steps, ends(called ? "tool-calls" : "stop")]
}

export type Script = readonly Reply[] | ((request: ModelRequest) => Reply)

export interface ScriptModel extends Model {
  /** What it was sent, each as it was at that moment. */
  readonly requests: { system: string; messages: Message[]; tools: string[] }[]
  /** What was wrong with the histories it was sent: must stay empty. */
  readonly problems: string[]
}

/** Plays one reply after the other, or the one that fits the request. Past the end of its script it fails for good. */
export function scriptModel(script: Script, { endsSilently = false } = {}): ScriptModel {
  const requests: ScriptModel["requests"] = []
  const problems: string[] = []
  let next = 0
  const replyTo = (request: ModelRequest) =>
    (typeof script === "function" ? script(request) : script[next++]) ?? [
      fails("bad-request", { message: "the script is over", retryable: false }),
    ]
  return {
    id: "script/one",
    facts: { known: false, window: 32_768, images: true, edits: "blocks" },
    endsSilently,
    requests,
    problems,
    async *stream(request, signal) {
      const { system, messages, tools } = request
      requests.push(structuredClone({ system, messages: [...messages], tools: tools.map(({ name }) => name) }))
      problems.push(...historyProblems(messages))
      for (const [index, step] of replyTo(request).entries()) {
        if (typeof step !== "function") await step.pause(signal)
        for (const read of typeof step === "function" ? step(index) : []) {
          await Promise.resolve()
          if (signal.aborted) return
          yield read
        }
        if (signal.aborted) return
      }
    },
  }
}

/** A promise and the function that fulfils it. */
export function signpost(): { passed: Promise<void>; pass(): void } {
  let pass = () => {}
  const passed = new Promise<void>((resolve) => {
    pass = resolve
  })
  return { passed, pass: () => pass() }
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, "g")) ?? []
}
