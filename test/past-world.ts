/** A task's past without a task: events made by hand, the state they fold into, and a condenser over both with a scripted model. */
import { type CondensePorts, createCondenser, type SeeingCondenser } from "../src/context/condense.ts"
import { foldLog } from "../src/task/fold.ts"
import { livingEvents } from "../src/task/rewind.ts"
import type { DurableEvent, Recorded } from "../src/types/event.ts"
import type { Content, Message } from "../src/types/message.ts"
import type { Model, ModelFacts, ToolDefinition } from "../src/types/model.ts"
import type { Show } from "../src/types/show.ts"
import type { TaskState } from "../src/types/state.ts"
import type { CondenseRequest, Condensing } from "../src/types/stations.ts"
import type { Effect } from "../src/types/tool.ts"
import type { Usage } from "../src/types/usage.ts"
import { historyProblems } from "./history-problems.ts"
import { type Script, type ScriptModel, scriptModel } from "./replies.ts"

export interface PastOptions {
  script?: Script
  facts?: Partial<ModelFacts>
  ports?: Partial<CondensePorts>
  system?: string
  tools?: readonly ToolDefinition[]
}

export interface Turn {
  text?: string
  result?: string
  content?: Content[]
  input?: Record<string, string>
  show?: Show
  effect?: Effect
  learned?: Record<string, string>
  usage?: Usage
}

export interface PastWorld {
  readonly model: ScriptModel
  readonly condenser: SeeingCondenser
  readonly events: Recorded[]
  /** Texts that were written down. */
  readonly kept: string[]
  record(event: DurableEvent): Recorded
  /** Said by the person, and heard with the next turn. */
  say(text: string): void
  /** A whole turn: a reply with one call, and its result. */
  turn(turn?: Turn): string
  /** A turn that has begun: the request comes next. */
  begin(brought?: Content[]): void
  state(): TaskState
  condense(by?: CondenseRequest["by"], more?: Partial<CondenseRequest>, signal?: AbortSignal): Promise<Condensing>
  /** Condenses and records. Fails when there is nothing to record. */
  condensed(by?: CondenseRequest["by"], more?: Partial<CondenseRequest>): Promise<DurableEvent & { type: "condensed" }>
}

export function pastWorld({ script = [], facts, ports, system = "the system prompt", tools = [] }: PastOptions = {}): PastWorld {
  const scripted = scriptModel(script)
  const model: ScriptModel = { ...scripted, facts: { ...scripted.facts, window: 20_000, output: 2_000, ...facts } }
  const events: Recorded[] = []
  const kept: string[] = []
  const condenser = createCondenser({
    settings: () => ({ threshold: 0.8 }),
    summariser: () => undefined,
    events: () => livingEvents(events),
    describe: async () => undefined,
    async keep(text) {
      kept.push(text)
      return `/kept/${kept.length}.txt`
    },
    sleep: async () => {},
    ...ports,
  })
  let turns = 0
  function record(event: DurableEvent): Recorded {
    const recorded = { ...event, seq: events.length + 1, at: "2026-01-01T00:00:00.000Z" }
    events.push(recorded)
    condenser.see(recorded)
    return recorded
  }
  record({
    type: "task-started",
    version: 1,
    task: "t",
    workspace: "/project",
    mode: "code",
    model: model.id,
    protocol: "native",
  })
  const state = () => foldLog(events)
  const begin = (brought?: Content[]) => void record({ type: "turn-started", turn: ++turns, ...(brought && { brought }) })
  const request = (by: CondenseRequest["by"], more: Partial<CondenseRequest>): CondenseRequest => {
    return { state: state(), model, system, tools, by, notes: async () => [], ...more }
  }
  const condense: PastWorld["condense"] = async (by = "threshold", more = {}, signal = new AbortController().signal) => {
    const condensing = await condenser.condense(request(by, more), signal)
    if (condensing.kind === "condensed") checkHistory(condensing.event.messages)
    return condensing
  }
  return {
    model,
    condenser,
    events,
    kept,
    record,
    state,
    begin,
    condense,
    say: (text) => void record({ type: "said", by: "person", content: [{ type: "text", text }] }),
    turn({ text = "I look.", result = "found", input = { path: "a.ts" }, effect = "read", ...more } = {}) {
      begin()
      const key = `${turns}.1`
      const call = { key, id: `call_${turns}`, name: "look", input }
      const parts = [
        { type: "text" as const, text },
        { type: "call" as const, call },
      ]
      const { usage } = more
      record({
        type: "replied",
        turn: turns,
        end: "tool-calls",
        message: { role: "assistant", model: model.id, parts },
        ...(usage && { usage }),
      })
      record({ type: "call-started", callKey: key, tool: "look", effect })
      const { content = [{ type: "text", text: result }], show, learned } = more
      record({
        type: "call-finished",
        callKey: key,
        tool: "look",
        result: "done",
        content,
        ...(show && { show }),
        ...(learned && { learned }),
      })
      return key
    },
    async condensed(by, more) {
      const condensing = await condense(by, more)
      if (condensing.kind !== "condensed") throw new Error(`not condensed: ${JSON.stringify(condensing)}`)
      record(condensing.event)
      return condensing.event
    },
  }
}

function checkHistory(messages: readonly Message[]): void {
  const problems = historyProblems(messages)
  if (problems.length > 0) throw new Error(`the condensed history is not valid: ${problems.join("; ")}`)
  if (messages[0]?.role !== "user") throw new Error("the condensed history does not begin with words")
}

/** All words of all messages. */
export function allText(messages: readonly Message[]): string {
  const texts = messages.flatMap((message) => {
    if (message.role === "assistant")
      return message.parts.map((part) => (part.type === "call" ? JSON.stringify(part.call.input) : part.text))
    return message.content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
  })
  return texts.join("\n")
}

/** Words enough for so many tokens, about. */
export function filler(tokens: number, word = "alpha"): string {
  return Array.from({ length: tokens }, (_, at) => (at % 10 === 9 ? `${word}\n` : word)).join(" ")
}

export type { Model }
