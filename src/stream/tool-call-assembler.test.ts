import { describe, expect, it } from "vitest"
import type { Chunk, ToolCallPartial } from "../types/chunk.ts"
import { type Assembler, assembleToolCalls, type ToolCallChunk } from "./tool-call-assembler.ts"

const TOOLS = new Set(["read_file", "edit", "edit_file", "now"])

function assembler(keyPrefix = "7", onDiagnostic?: (text: string) => void): Assembler {
  return assembleToolCalls({ keyPrefix, isKnownTool: (name) => TOOLS.has(name), ...(onDiagnostic && { onDiagnostic }) })
}

const partial = (raw: Omit<ToolCallPartial, "type">): ToolCallPartial => ({ type: "tool_call_partial", ...raw })
const start = (key: string, id: string, name: string): ToolCallChunk => ({ type: "tool_call_start", key, id, name })
const delta = (key: string, text: string): ToolCallChunk => ({ type: "tool_call_delta", key, text })
const end = (key: string): ToolCallChunk => ({ type: "tool_call_end", key })

function run(...chunks: ToolCallChunk[]): Chunk[] {
  const { step, halt } = assembler()
  return [...chunks.flatMap(step), ...halt()]
}

/** The text of the only call, from deltas as they were handed out. */
function textOf(chunks: Chunk[]): string {
  expect(new Set(chunks.map((chunk) => "key" in chunk && chunk.key))).toEqual(new Set(["7.1"]))
  return chunks.map((chunk) => (chunk.type === "tool_call_delta" ? chunk.text : "")).join("")
}

describe("starts, deltas and ends", () => {
  it("S3: starts at once when the name is a known tool, however late its arguments come (A15)", () => {
    const { step, halt } = assembler()
    expect(step(partial({ index: 0, id: "a", name: "read_file" }))).toEqual([start("7.1", "a", "read_file")])
    expect(step(partial({ index: 0, arguments: "{}" }))).toEqual([delta("7.1", "{}")])
    expect(halt()).toEqual([end("7.1")])
  })

  it("S3, N5: holds arguments back until the name is there", () => {
    const { step } = assembler()
    expect(step(partial({ index: 0, id: "a", arguments: '{"path"' }))).toEqual([])
    expect(step(partial({ index: 0, arguments: ':"x"' }))).toEqual([])
    expect(step(partial({ index: 0, name: "read_file", arguments: "}" }))).toEqual([
      start("7.1", "a", "read_file"),
      delta("7.1", '{"path":"x"}'),
    ])
  })

  it("N1: waits with an unknown name until arguments begin", () => {
    const { step } = assembler()
    expect(step(partial({ index: 0, id: "a", name: "fl" }))).toEqual([])
    expect(step(partial({ index: 0, name: "y" }))).toEqual([])
    expect(step(partial({ index: 0, arguments: "{" }))).toEqual([start("7.1", "a", "fly"), delta("7.1", "{")])
  })

  it("N1: corrects the name when a known tool grows into a longer one", () => {
    const { step } = assembler()
    expect(step(partial({ index: 0, id: "a", name: "edit" }))).toEqual([start("7.1", "a", "edit")])
    expect(step(partial({ index: 0, name: "_file", arguments: "{" }))).toEqual([
      start("7.1", "a", "edit_file"),
      delta("7.1", "{"),
    ])
  })

  it("I14: corrects a minted id when the provider's comes after the name", () => {
    const { step } = assembler()
    expect(step(partial({ index: 0, name: "read_file" }))).toEqual([start("7.1", "call_7_1", "read_file")])
    expect(step(partial({ index: 0, id: "functions.read_file:0" }))).toEqual([start("7.1", "functions.read_file:0", "read_file")])
    expect(step(partial({ index: 0, id: "other", arguments: "{" }))).toEqual([delta("7.1", "{")])
  })

  it("I4: takes a null index as none", () => {
    const wire: ToolCallPartial[] = JSON.parse(
      '[{"type":"tool_call_partial","index":null,"id":"a","name":"now","arguments":null},' +
        '{"type":"tool_call_partial","index":null,"id":null,"name":null,"arguments":"{}"},' +
        '{"type":"tool_call_partial","index":null,"id":"b","name":"now"}]',
    )
    expect(run(...wire)).toEqual([start("7.1", "a", "now"), delta("7.1", "{}"), start("7.2", "b", "now"), end("7.1"), end("7.2")])
  })

  it("I15: keeps an id that an earlier response used, under a key of its own", () => {
    for (const turn of ["1", "2"]) {
      expect(assembler(turn).step(partial({ index: 0, id: "call_0", name: "now" }))).toEqual([
        start(`${turn}.1`, "call_0", "now"),
      ])
    }
  })

  it("never mints an id that the provider has used", () => {
    const chunks = run(partial({ index: 0, id: "call_7_2", name: "now" }), partial({ index: 1, name: "now" }))
    expect(chunks).toContainEqual(start("7.2", "call_7_2_", "now"))
  })

  it("N9: starts an unknown call without arguments before the next call begins", () => {
    const chunks = run(partial({ index: 0, id: "a", name: "fly" }), partial({ index: 1, id: "b", name: "now" }))
    expect(chunks).toEqual([start("7.1", "a", "fly"), start("7.2", "b", "now"), end("7.1"), end("7.2")])
  })

  it("ends each call once, and has nothing more to say after that", () => {
    const { step, halt } = assembler()
    step(partial({ index: 0, id: "a", name: "now" }))
    expect(halt()).toEqual([end("7.1")])
    expect(halt()).toEqual([])
  })

  it("keeps the last provider state that came with a call (R8)", () => {
    const { step, state } = assembler()
    step(partial({ index: 0, id: "a", name: "now", state: { model: "m", data: 1 } }))
    step(partial({ index: 0, arguments: "{}", state: { model: "m", data: 2 } }))
    step(partial({ index: 1, id: "b", name: "now" }))
    expect([state("7.1"), state("7.2"), state("7.3")]).toEqual([{ model: "m", data: 2 }, undefined, undefined])
  })
})

describe("calls without a name", () => {
  it("I9: drops a phantom with a word about it", () => {
    const words: string[] = []
    const { step, halt } = assembler("7", (text) => words.push(text))
    expect([...step(partial({ id: "", arguments: "" })), ...halt()]).toEqual([])
    expect(words).toEqual(['a tool call without a name and without arguments was dropped (id "")'])
  })

  it("I9: lets a phantom become the call that follows it", () => {
    expect(run(partial({ id: "" }), partial({ id: "a", name: "now" }))).toEqual([start("7.1", "a", "now"), end("7.1")])
  })

  it("starts a call without a name at the end if it has arguments, so that the model is told", () => {
    expect(run(partial({ index: 0, id: "a", arguments: "{}" }))).toEqual([start("7.1", "a", ""), delta("7.1", "{}"), end("7.1")])
  })
})

describe("snapshots (A8)", () => {
  const text = '{"path":"hello.txt","file_text":"Hello {\\"x\\"} World"}'
  const snapshots = (...ends: number[]) =>
    run(...ends.map((length) => partial({ index: 0, id: "a", name: "edit", arguments: text.slice(0, length) })))

  it("S2, A8: hands out only what is new, for every pair of lengths", () => {
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        if (first === 1 && second === 1) continue // a lone brace twice: see below
        expect(textOf(snapshots(first, second, text.length)), `${first}, ${second}`).toBe(text)
      }
    }
  })

  it("N1: a name in three pieces whose first is another tool stays one call, where the id says so", () => {
    const pieces = ["edit", "_fi", "le"].map((name) => partial({ index: 0, id: "a", name }))
    const chunks = run(...pieces, partial({ index: 0, id: "a", arguments: "{}" }))
    const starts = chunks.filter((chunk) => chunk.type === "tool_call_start")
    expect(new Set(starts.map((chunk) => chunk.key)).size).toBe(1)
    expect(starts.at(-1)).toMatchObject({ name: "edit_file" })
    expect(textOf(chunks)).toBe("{}")
  })

  it("a doubled brace is no snapshot: nothing the model sent vanishes", () => {
    const pieces = ["{", "{", '"a"', ":1", "}"].map((piece) => partial({ index: 0, id: "c", name: "read", arguments: piece }))
    expect(textOf(run(...pieces))).toBe('{{"a":1}')
  })

  it("A8: takes a repeated snapshot once", () => {
    expect(textOf(snapshots(9, 9, 20, 20, text.length, text.length))).toBe(text)
    const withoutId = [9, text.length, text.length].map((length) => partial({ name: "edit", arguments: text.slice(0, length) }))
    expect(textOf(run(...withoutId))).toBe(text)
  })

  it("A8: takes a complete text repeated after its deltas once", () => {
    const chunks = ['{"path":', '"x"}', '{"path":"x"}'].map((piece) =>
      partial({ index: 0, name: "edit", id: "a", arguments: piece }),
    )
    expect(textOf(run(...chunks))).toBe('{"path":"x"}')
  })

  it("A8, A10: follows snapshots whose JSON is broken", () => {
    const broken = '{"path":"a "quoted" name"}'
    const chunks = [5, 12, 20, broken.length].map((length) =>
      partial({ index: 0, name: "edit", arguments: broken.slice(0, length) }),
    )
    expect(textOf(run(...chunks))).toBe(broken)
  })

  it("A8: appends where only appending makes sense", () => {
    const pieces = ['{"a":', '{"a":1}}'].map((piece) => partial({ index: 0, name: "edit", arguments: piece }))
    expect(textOf(run(...pieces))).toBe('{"a":{"a":1}}')
  })

  it("A8: appends a nested repetition once deltas are known to be deltas", () => {
    const pieces = ['{"', 'a":', '{"a":1', "}}"].map((piece) => partial({ index: 0, name: "edit", arguments: piece }))
    expect(textOf(run(...pieces))).toBe('{"a":{"a":1}}')
  })
})

describe("calls the provider has told apart itself", () => {
  it("S2: pass with our key, and end where the provider ends them", () => {
    const { step, halt } = assembler()
    expect(step(start("block-0", "a", "read_file"))).toEqual([start("7.1", "a", "read_file")])
    expect(step(start("block-1", "b", "now"))).toEqual([start("7.2", "b", "now")])
    expect(step(delta("block-0", '{"a":'))).toEqual([delta("7.1", '{"a":')])
    expect(step(delta("block-0", '{"a":1}}'))).toEqual([delta("7.1", '{"a":1}}')])
    expect(step(end("block-0"))).toEqual([end("7.1")])
    expect(step(end("block-0"))).toEqual([])
    expect(halt()).toEqual([end("7.2")])
  })

  it("A.5: ignore a second start, mint a missing or repeated id, and clean the name", () => {
    const chunks = run(
      start("0", "a", "default_api:now"),
      start("0", "z", "edit"),
      start("1", "a", "now"),
      start("2", " ", "now"),
    )
    expect(chunks.slice(0, 3)).toEqual([
      start("7.1", "a", "now"),
      start("7.2", "call_7_2", "now"),
      start("7.3", "call_7_3", "now"),
    ])
  })

  it("never lose text that came before its start", () => {
    expect(run(delta("0", "{"), start("0", "a", "now"), delta("0", "}"))).toEqual([
      start("7.1", "call_7_1", ""),
      delta("7.1", "{}"),
      end("7.1"),
    ])
  })

  it("share the numbering with raw partials", () => {
    const chunks = run(start("0", "a", "now"), partial({ index: 0, id: "b", name: "now" }), start("7.2", "c", "now"))
    expect(chunks.slice(0, 3)).toEqual([start("7.1", "a", "now"), start("7.2", "b", "now"), start("7.3", "c", "now")])
  })
})
