/**
 * Raw tool-call partials in, `tool_call_start` / `tool_call_delta` / `tool_call_end` out: decides which partial belongs to
 * which call. One per response. It never throws and loses no argument text; only an entry with neither a name nor arguments
 * disappears, and that is reported.
 *
 * No single field of a partial can be trusted, so identity is inferred from all of them: index, id, name, and whether the
 * JSON so far is complete (quirks D.3–D.5). A start is sent as soon as the name is settled; a second start for the same key
 * corrects the name or the id of a call whose rest came later. Ends come from `halt`, unless the provider said them.
 */
import { append, clear, type GrowingText, growingText, whole } from "../json/growing-text.ts"
import { type LiveJson, liveJson } from "../json/live-json.ts"
import type { Chunk, ToolCallPartial } from "../types/chunk.ts"
import type { ProviderState } from "../types/message.ts"
import { cleanName, type IsKnownTool, joinName, type NamedCall } from "./tool-name.ts"

/** Start, delta and end may come from a provider too: then identity is settled, and only key, id and name become ours. */
export type ToolCallChunk = Extract<Chunk, { type: `tool_call_${string}` }>

export interface Assembler {
  step(chunk: ToolCallChunk): Chunk[]
  /** Text or reasoning comes now: a call that has a name stands before it. */
  otherContent(): Chunk[]
  /** Nothing more comes: starts what was still waiting for its name, and ends every call that is not ended yet. */
  halt(): Chunk[]
  /** The last provider state that came with a call. */
  state(key: string): ProviderState | undefined
}

export interface AssemblerOptions {
  /** Keys are `${keyPrefix}.${n}`, n from 1 in the order of the starts. */
  keyPrefix: string
  isKnownTool: IsKnownTool
  /** What was dropped, in words, for the log. */
  onDiagnostic?(text: string): void
}

interface OpenCall extends NamedCall {
  /** Empty until the start is sent. */
  key: string
  /** As sent: the provider's id, or one we minted. */
  id: string
  /** The provider's id, verbatim. Another call may have had it before. */
  wireId: string
  index: number | undefined
  /** The name came once more after the arguments were complete: those of another call may follow (I6). */
  namedAgain: boolean
  /** All argument text. Reading it while it grows would cost as much as its length each time. */
  text: GrowingText
  /** How argument text arrives; unknown until a second piece shows it. */
  flow: "unknown" | "deltas" | "snapshots"
  /** Made when somebody first asks whether the text is complete; a well-behaved stream never does. */
  json: LiveJson | undefined
  state: ProviderState | undefined
  ended: boolean
}

interface Assembly extends AssemblerOptions {
  calls: OpenCall[]
  /** The call that a partial without any identity continues. */
  last: OpenCall | undefined
  byIndex: Map<number, OpenCall>
  byId: Map<string, OpenCall>
  /** Calls the provider started itself, by its own key. */
  declared: Map<string, OpenCall>
  /** By our key. */
  started: Map<string, OpenCall>
  takenIds: Set<string>
  out: Chunk[]
}

export function assembleToolCalls(options: AssemblerOptions): Assembler {
  const assembly: Assembly = {
    ...options,
    calls: [],
    last: undefined,
    byIndex: new Map(),
    byId: new Map(),
    declared: new Map(),
    started: new Map(),
    takenIds: new Set(),
    out: [],
  }
  return {
    step(chunk) {
      if (chunk.type === "tool_call_partial") takePartial(assembly, chunk)
      else takeDeclared(assembly, chunk)
      return handOver(assembly)
    },
    otherContent() {
      const { last } = assembly
      if (last && last.key === "" && last.name !== "") start(assembly, last)
      return handOver(assembly)
    },
    halt() {
      for (const call of assembly.calls) finish(assembly, call)
      assembly.calls = []
      return handOver(assembly)
    },
    state: (key) => assembly.started.get(key)?.state,
  }
}

function handOver(assembly: Assembly): Chunk[] {
  const { out } = assembly
  assembly.out = []
  return out
}

/** A partial whose blank fields are all absent in the same way. */
interface Fields {
  index: number | undefined
  id: string
  name: string
  text: string
}

function takePartial(assembly: Assembly, partial: ToolCallPartial): void {
  const fields: Fields = {
    index: partial.index ?? undefined, // I4: null
    id: partial.id?.trim() ? partial.id : "", // I9, I10
    name: partial.name?.trim() ? partial.name : "", // N3
    text: partial.arguments ?? "", // A2, A3
  }
  const candidate = findCandidate(assembly, fields)
  const another = candidate === undefined || beginsAnother(assembly, candidate, fields)
  if (another && candidate?.namedAgain && fields.name === "" && !hasOtherId(candidate, fields.id)) fields.name = candidate.written
  const call = another ? open(assembly) : candidate
  assembly.last = call
  if (partial.state) call.state = partial.state
  if (fields.text === "" && fields.name !== "" && call.written !== "" && isComplete(call)) call.namedAgain = true
  const corrected = identify(assembly, call, fields)
  const rest = fields.text === "" ? "" : takeText(call, fields.text)
  announce(assembly, call, { corrected, rest })
}

/** The call this partial most likely belongs to. An id beats an index only where the two do not contradict each other. */
function findCandidate({ byIndex, byId, last }: Assembly, { index, id, name }: Fields): OpenCall | undefined {
  const sameId = id === "" ? undefined : byId.get(id)
  if (index === undefined) return sameId ?? last
  if (sameId && (sameId.index === undefined || sameId.index === index)) return sameId
  const sameIndex = byIndex.get(index)
  if (sameIndex) return sameIndex
  // The index is new. A name begins a call with it; without one, it may be an index that came late (I3).
  if (name !== "") return undefined
  if (sameId) return sameId
  return id === "" && last?.index === undefined ? last : undefined
}

function beginsAnother(assembly: Assembly, call: OpenCall, { index, id, name, text }: Fields): boolean {
  if (hasOtherId(call, id) && (index === undefined || name !== "" || isComplete(call))) return true
  if (name === "") return call.namedAgain && beginsAfresh(call, id, text)
  return joinName(call, name, assembly.isKnownTool, text === "") === undefined || beginsAfresh(call, id, text)
}

function hasOtherId(call: OpenCall, id: string): boolean {
  return id !== "" && call.wireId !== "" && id !== call.wireId
}

const OBJECT = /^\s*\{/

/** I6: the same name once more is another call if the one before is complete and an object begins. */
function beginsAfresh(call: OpenCall, id: string, text: string): boolean {
  if (!OBJECT.test(text) || !isComplete(call)) return false
  const repeats = (id !== "" || call.flow === "snapshots") && text.length >= call.received && text.startsWith(whole(call.text))
  return !repeats
}

function open(assembly: Assembly): OpenCall {
  const before = assembly.last
  // The start of a call comes before the start of the next, as far as its name allows.
  if (before && before.key === "" && before.name !== "") start(assembly, before)
  const call: OpenCall = {
    key: "",
    id: "",
    wireId: "",
    index: undefined,
    written: "",
    name: "",
    namedAgain: false,
    received: 0,
    text: growingText(),
    flow: "unknown",
    json: undefined,
    state: undefined,
    ended: false,
  }
  assembly.calls.push(call)
  return call
}

/** Notes what the partial says about its call. Answers whether a start already sent is no longer right. */
function identify(assembly: Assembly, call: OpenCall, { index, id, name, text }: Fields): boolean {
  const { byIndex, byId, isKnownTool } = assembly
  let corrected = false
  if (index !== undefined) {
    call.index ??= index
    byIndex.set(index, call)
  }
  if (id !== "" && call.wireId === "") {
    call.wireId = id
    byId.set(id, call)
    if (call.key !== "" && takeId(assembly, id)) {
      call.id = id
      corrected = true
    }
  }
  if (name !== "" && name !== call.written) {
    const before = call.name
    call.written = joinName(call, name, isKnownTool, text === "") ?? call.written
    call.name = cleanName(call.written, isKnownTool)
    corrected ||= call.key !== "" && call.name !== before
  }
  return corrected
}

/** Adds a piece of argument text and answers what of it is new. */
function takeText(call: OpenCall, piece: string): string {
  const snapshot = isSnapshot(call, piece)
  if (call.received > 0) call.flow = snapshot ? "snapshots" : "deltas"
  const rest = snapshot ? piece.slice(call.received) : piece
  if (snapshot) clear(call.text)
  append(call.text, piece)
  call.received += rest.length
  call.json?.push(rest)
  return rest
}

/**
 * A8: some servers send everything so far each time. The lengths are compared first, so the text is read only against a
 * piece that is as long: linear in what was received. A nested object can repeat the text before it (`{"a":` + `{"a":1}}`),
 * so where appending the piece makes sense too, the better of the two readings is taken.
 */
function isSnapshot(call: OpenCall, piece: string): boolean {
  const { received, flow } = call
  if (received === 0 || piece.length < received) return false
  const text = whole(call.text)
  if (!piece.startsWith(text)) return false
  if (flow === "snapshots") return true
  if (jsonOf(call).state === "broken" || (piece.length === received && LONE_BRACE.test(piece))) return false
  if (breaks(text, piece)) return true
  return flow === "unknown" && OBJECT.test(text) && !breaks(piece)
}

/** Twice the same brace is a slip of the model rather than a snapshot: it must not vanish, or something guessed would run. */
const LONE_BRACE = /^\s*\{\s*$/

function breaks(...pieces: string[]): boolean {
  const json = liveJson()
  for (const piece of pieces) json.push(piece)
  return json.state === "broken"
}

function jsonOf(call: OpenCall): LiveJson {
  if (call.json === undefined) {
    call.json = liveJson()
    call.json.push(whole(call.text))
  }
  return call.json
}

function isComplete(call: OpenCall): boolean {
  return call.received > 0 && jsonOf(call).state === "complete"
}

function announce(assembly: Assembly, call: OpenCall, { corrected, rest }: { corrected: boolean; rest: string }): void {
  const { key, id, name } = call
  if (key === "") {
    const settled = name !== "" && (call.received > 0 || assembly.isKnownTool(name))
    if (settled) start(assembly, call)
    return
  }
  if (corrected) assembly.out.push({ type: "tool_call_start", key, id, name })
  if (rest !== "") assembly.out.push({ type: "tool_call_delta", key, text: rest })
}

function start(assembly: Assembly, call: OpenCall): void {
  const { name, wireId } = call
  const key = `${assembly.keyPrefix}.${assembly.started.size + 1}`
  assembly.started.set(key, call)
  call.key = key
  call.id = wireId !== "" && takeId(assembly, wireId) ? wireId : mintId(assembly, key)
  assembly.out.push({ type: "tool_call_start", key, id: call.id, name })
  if (call.received > 0) assembly.out.push({ type: "tool_call_delta", key, text: whole(call.text) })
}

/** Two calls of one response never share an id: the first to be started with it keeps it. */
function takeId({ takenIds }: Assembly, id: string): boolean {
  const free = !takenIds.has(id)
  takenIds.add(id)
  return free
}

function mintId(assembly: Assembly, key: string): string {
  let id = `call_${key.replace(/[^A-Za-z0-9]/g, "_")}`
  while (!takeId(assembly, id)) id += "_"
  return id
}

/** Chunks of a call that the provider has already told apart: its text is taken as it comes. */
function takeDeclared(assembly: Assembly, chunk: Exclude<ToolCallChunk, ToolCallPartial>): void {
  const known = assembly.declared.get(chunk.key)
  if (known && chunk.type === "tool_call_start") return
  const call = known ?? open(assembly)
  assembly.declared.set(chunk.key, call)
  if (chunk.type === "tool_call_start") {
    call.written = chunk.name
    call.name = cleanName(chunk.name, assembly.isKnownTool)
    call.wireId = chunk.id.trim() ? chunk.id : ""
    if (call.name !== "") start(assembly, call)
  } else if (chunk.type === "tool_call_delta") {
    if (call.key === "") {
      append(call.text, chunk.text)
      call.received += chunk.text.length
    } else announce(assembly, call, { corrected: false, rest: chunk.text })
  } else if (call.key !== "") end(assembly, call)
}

function finish(assembly: Assembly, call: OpenCall): void {
  if (call.key === "") {
    if (call.name === "" && whole(call.text).trim() === "") {
      assembly.onDiagnostic?.(`a tool call without a name and without arguments was dropped (id ${JSON.stringify(call.wireId)})`)
      return
    }
    start(assembly, call)
  }
  end(assembly, call)
}

function end(assembly: Assembly, call: OpenCall): void {
  if (!call.ended) assembly.out.push({ type: "tool_call_end", key: call.key })
  call.ended = true
}
