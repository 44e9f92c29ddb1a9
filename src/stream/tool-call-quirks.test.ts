import { describe, expect, it } from "vitest"
import type { ToolCallPartial } from "../types/chunk.ts"
import { assembleToolCalls } from "./tool-call-assembler.ts"

const TOOLS = new Set(["read_file", "write_to_file", "edit", "edit_file", "edit_existing_file", "now"])

type Raw = Omit<ToolCallPartial, "type">
interface Assembled {
  id: string
  name: string
  text: string
}

/** Runs the deltas and puts the chunks together as a consumer does, held to the contract on the way. */
function assemble(raws: readonly Raw[]): Assembled[] {
  const { step, halt } = assembleToolCalls({ keyPrefix: "7", isKnownTool: (name) => TOOLS.has(name) })
  const chunks = [...raws.flatMap((raw) => step({ type: "tool_call_partial", ...raw })), ...halt()]
  const open = new Map<string, Assembled>()
  const ended = new Map<string, Assembled>()
  for (const chunk of chunks) {
    if (!("key" in chunk) || ended.has(chunk.key)) throw new Error(`not expected: ${JSON.stringify(chunk)}`)
    const known = open.get(chunk.key)
    if (chunk.type === "tool_call_start") {
      if (!known && chunk.key !== `7.${open.size + 1}`) throw new Error(`key out of order: ${chunk.key}`)
      open.set(chunk.key, { text: known?.text ?? "", id: chunk.id, name: chunk.name })
    } else if (!known) throw new Error(`not started: ${JSON.stringify(chunk)}`)
    else if (chunk.type === "tool_call_end") ended.set(chunk.key, known)
    else known.text += chunk.text
  }
  if (ended.size !== open.size) throw new Error("a call was not ended")
  return [...open.values()]
}

const A = '{"path":"a.txt"}'
const B = '{"path":"b.txt","note":"{\\"x\\": [1]}"}'
const call = (id: string, name: string, text: string): Assembled => ({ id, name, text })
const read = (text: string, id = "a") => call(id, "read_file", text)
const minted = (number: number) => `call_7_${number}`

/** One delta in short, "index id name": - is absent, '' is empty, _ is white space. */
function tc(fields: string, text?: string): Raw {
  const [index, id, name] = fields
    .split(" ")
    .map((field) => (field === "-" ? undefined : field === "_" ? " \n" : field.replace("''", "")))
  return { index: index === undefined ? undefined : Number(index), id, name, arguments: text }
}

/** How a server goes on with a call whose argument text it splits once more. */
const GOES_ON = {
  bare: ({ index }: Raw): Raw => ({ index }),
  id: ({ index, id }: Raw): Raw => ({ index, id }),
  whole: (raw: Raw): Raw => raw,
} as const

interface Quirk {
  title: string
  raws: Raw[]
  calls: Assembled[]
  goesOn: readonly (keyof typeof GOES_ON)[]
}

function quirk(title: string, goesOn: Quirk["goesOn"], raws: Raw[], calls: Assembled[]): Quirk {
  return { title, goesOn, raws, calls }
}

const half = A.slice(0, 7)
const rest = A.slice(7)

const QUIRKS: Quirk[] = [
  quirk(
    "S3: a conformant call",
    ["bare", "id", "whole"],
    [tc("0 a read_file", ""), tc("0 - -", half), tc("0 - -", rest)],
    [read(A)],
  ),
  quirk(
    "I1: no index, an id on the first delta only",
    ["bare", "id", "whole"],
    [tc("- a read_file", half), tc("- - -", rest), tc("- b read_file", B)],
    [read(A), read(B, "b")],
  ),
  quirk(
    "I2: no index, an id on every delta, arguments before the name, calls interleaved",
    ["id"],
    [tc("- a -", half), tc("- b -", B), tc("- a -", rest), tc("- b write_to_file"), tc("- a read_file")],
    [call("b", "write_to_file", B), read(A)],
  ),
  quirk(
    "I3: some deltas with an index, some without",
    ["bare", "id", "whole"],
    [tc("- a read_file", half), tc("0 a -", rest), tc("1 b read_file"), tc("- - -", B)],
    [read(A), read(B, "b")],
  ),
  quirk(
    "I3: an index that comes late and alone",
    ["bare"],
    [tc("- - read_file", half), tc("0 - -", rest), tc("1 - read_file", B)],
    [read(A, minted(1)), read(B, minted(2))],
  ),
  quirk(
    "I3: an id without an index first, then with one and the name again",
    ["id", "whole"],
    [tc("- a read_file", half), tc("0 a read_file", rest)],
    [read(A)],
  ),
  quirk("I3: an index that counts deltas", ["id"], [tc("0 a read_file", half), tc("1 a -", rest)], [read(A)]),
  quirk(
    "I3: a call with an index after half a call without one",
    ["id"],
    [tc("- a read_file", half), tc("0 b -", B), tc("0 b read_file")],
    [read(half), read(B, "b")],
  ),
  quirk(
    "I5: every call at index 0 with its own id, complete in one delta",
    ["bare", "id", "whole"],
    [tc("0 a read_file", A), tc("0 b read_file", A), tc("0 c edit", B)],
    [read(A), read(A, "b"), call("c", "edit", B)],
  ),
  quirk(
    "I5: every call at index 0 with its own id, interleaved",
    ["id"],
    [tc("0 a read_file", half), tc("0 b read_file", B), tc("0 a -", rest)],
    [read(A), read(B, "b")],
  ),
  quirk(
    "I5, N5: every call at index 0 with its own id, arguments before the name",
    ["bare", "id"],
    [tc("0 a -", A), tc("0 - read_file"), tc("0 b -", B), tc("0 b read_file")],
    [read(A), read(B, "b")],
  ),
  quirk(
    "I5, N5: every call at index 0 with its own id, the second named last",
    ["bare", "id"],
    [tc("0 a read_file", A), tc("0 b -", B), tc("0 b edit")],
    [read(A), call("b", "edit", B)],
  ),
  quirk(
    "I5, I11, N5: the same after the first was named again",
    ["id"],
    [tc("0 a -", A), tc("0 a read_file"), tc("0 a read_file"), tc("0 b -", B), tc("0 b edit")],
    [read(A), call("b", "edit", B)],
  ),
  quirk(
    "I5, A2: every call at index 0 with its own id, no arguments",
    ["bare"],
    [tc("0 a now"), tc("0 b now"), tc("0 c now", "{}")],
    [call("a", "now", ""), call("b", "now", ""), call("c", "now", "{}")],
  ),
  quirk(
    "I5: a new call at index 0 after half a call",
    ["bare", "id"],
    [tc("0 a read_file", half), tc("0 b read_file", B)],
    [read(half), read(B, "b")],
  ),
  quirk(
    "I6: the same call twice at index 0, no ids",
    ["bare", "whole"],
    [tc("0 - read_file", A), tc("0 - read_file", A)],
    [read(A, minted(1)), read(A, minted(2))],
  ),
  quirk(
    "I6: every call at index 0, no ids, the same name twice",
    ["bare", "whole"],
    [tc("0 - read_file", A), tc("0 - read_file", B), tc("0 - edit", B)],
    [read(A, minted(1)), read(B, minted(2)), call(minted(3), "edit", B)],
  ),
  quirk(
    "I6: the same, with no index at all",
    ["bare", "whole"],
    [tc("- - read_file", A), tc("- - read_file", B), tc("- - edit", B)],
    [read(A, minted(1)), read(B, minted(2)), call(minted(3), "edit", B)],
  ),
  quirk(
    "I6, N5: an object that nothing names is not given a name",
    ["bare"],
    [tc("0 - -", A), tc("0 - read_file"), tc("0 - -", B), tc("0 - edit")],
    [read(A + B, minted(1)), call(minted(2), "edit", "")],
  ),
  quirk(
    "I8: no id throughout",
    ["bare", "whole"],
    [tc("0 - read_file", A), tc("1 - read_file", B)],
    [read(A, minted(1)), read(B, minted(2))],
  ),
  quirk(
    "I9: a blank id throughout",
    ["bare", "id", "whole"],
    [tc("0 '' read_file", A), tc("1 '' read_file", B)],
    [read(A, minted(1)), read(B, minted(2))],
  ),
  quirk(
    "I10: continuations with an id of white space",
    ["bare", "whole"],
    [tc("0 a read_file", half), tc("0 _ -", rest), tc("- _ -")],
    [read(A)],
  ),
  quirk(
    "I11, N2: id and name repeated in every delta",
    ["bare", "id", "whole"],
    [tc("0 a read_file", half), tc("0 a read_file", rest), tc("0 a read_file", ""), tc("1 b read_file", A)],
    [read(A), read(A, "b")],
  ),
  quirk(
    "I14: only an index first, then id and name",
    ["bare", "id", "whole"],
    [tc("0 - -"), tc("1 - -"), tc("0 a read_file"), tc("0 - -", A), tc("1 b read_file", B)],
    [read(A), read(B, "b")],
  ),
  quirk(
    "I14, N5: only an index and arguments first",
    ["bare"],
    [tc("0 a read_file", half), tc("1 - -", B), tc("1 b read_file")],
    [read(half), read(B, "b")],
  ),
  quirk(
    "I16: two calls interleaved by index, an id on the first delta of each",
    ["bare"],
    [tc("0 a read_file", ""), tc("1 b read_file", ""), tc("1 - -", half), tc("0 - -", B), tc("1 - -", rest)],
    [read(B), read(A, "b")],
  ),
  quirk(
    "I18: ids in any format, verbatim",
    ["bare", "id", "whole"],
    [tc("0 functions.read_file:0 read_file", A), tc("1 123456789 read_file", A), { ...tc("2 - read_file", A), id: " padded " }],
    [read(A, "functions.read_file:0"), read(A, "123456789"), read(A, " padded ")],
  ),
  quirk(
    "A.5: an id used again by a call at another index",
    ["bare", "id", "whole"],
    [tc("0 a read_file", half), tc("1 a read_file", B), tc("0 a -", rest)],
    [read(A), read(B, minted(2))],
  ),
  quirk(
    "A.5: an id used again at the same index by a really new call",
    ["bare", "id", "whole"],
    [tc("0 a read_file", A), tc("0 a read_file", B)],
    [read(A), read(B, minted(2))],
  ),
  quirk(
    "N1: the name in two pieces",
    ["bare", "id"],
    [tc("0 a edit_ex"), tc("0 - isting_file"), tc("0 - -", A)],
    [call("a", "edit_existing_file", A)],
  ),
  quirk(
    "N1: the second piece together with arguments",
    ["bare", "id"],
    [tc("0 a edit_ex", ""), tc("0 - isting_file", A)],
    [call("a", "edit_existing_file", A)],
  ),
  quirk(
    "N1: a piece that is a known tool by itself",
    ["bare", "id"],
    [tc("0 a edit"), tc("0 - _file"), tc("0 - -", A)],
    [call("a", "edit_file", A)],
  ),
  quirk("N3: an empty name on continuations", ["bare", "id"], [tc("0 a read_file", half), tc("0 - ''", rest)], [read(A)]),
  quirk(
    "N5: arguments first, the name in a later delta",
    ["bare", "id"],
    [tc("0 a -", A), tc("0 - read_file"), tc("1 b -", B), tc("1 b read_file")],
    [read(A), read(B, "b")],
  ),
  quirk(
    "N7: control tokens glued on",
    ["bare", "id", "whole"],
    [tc("0 a functions.read_file<|channel|>commentary", A)],
    [read(A)],
  ),
  quirk("N8: a namespace glued on", ["bare", "id", "whole"], [tc("0 a default_api:read_file", A)], [read(A)]),
  quirk(
    "S8, N9: an unknown tool keeps its name",
    ["bare", "id", "whole"],
    [tc("0 a fly", A), tc("1 b swim")],
    [call("a", "fly", A), call("b", "swim", "")],
  ),
  quirk(
    "A1, A2: empty and missing arguments",
    ["bare"],
    [tc("0 a now", ""), tc("1 b now")],
    [call("a", "now", ""), call("b", "now", "")],
  ),
  quirk(
    "A5: arguments encoded twice",
    ["bare", "id", "whole"],
    [tc("0 a read_file", JSON.stringify(A))],
    [read(JSON.stringify(A))],
  ),
  quirk("S12: an extra brace stays with its call", ["bare", "id", "whole"], [tc("0 a read_file", `${A}}`)], [read(`${A}}`)]),
  quirk(
    "S12: random text stays as it is",
    ["bare", "id", "whole"],
    [tc("0 a read_file", "aaaa aaaa {{ 1111")],
    [read("aaaa aaaa {{ 1111")],
  ),
  quirk("S12: a number of equal digits stays as it is", ["bare", "id", "whole"], [tc("0 a read_file", "1111")], [read("1111")]),
  quirk(
    "A8: an object that repeats the text before it is no snapshot",
    ["bare", "id", "whole"],
    [tc("0 a read_file", '{"a":{"a":{"a":1}}}')],
    [read('{"a":{"a":{"a":1}}}')],
  ),
]

describe("each quirk of identity, names and arguments", () => {
  for (const { title, raws, calls, goesOn } of QUIRKS) {
    it(title, () => expect(assemble(raws)).toEqual(calls))

    it.each(goesOn)(`${title}: split at every position, going on with %s deltas`, (style) => {
      for (const [at, raw] of raws.entries()) {
        const text = raw.arguments ?? ""
        for (let cut = 0; cut <= text.length; cut++) {
          const first = { ...raw, arguments: text.slice(0, cut) }
          const second = { ...GOES_ON[style](raw), arguments: text.slice(cut) }
          expect(assemble(raws.toSpliced(at, 1, first, second)), `cut at ${cut} of ${text}`).toEqual(calls)
        }
      }
    })
  }
})

describe("quirks in combination", () => {
  const wanted = [call("a", "read_file", A), call("b", "read_file", B), call("c", "edit", B)]
  const shapes = {
    index: ["counted", "absent", "always 0"],
    id: ["first", "every", "absent", "empty", "blank later"],
    name: ["first", "every", "empty later"],
    text: ["deltas", "snapshots"],
    begins: ["with text", "without text"],
  } as const
  type Shape = { [Key in keyof typeof shapes]: (typeof shapes)[Key][number] }

  /** What a server of this shape sends for the calls above, so many characters at a time. */
  function transcript(shape: Shape, size: number): Raw[] {
    return wanted.flatMap(({ id, name, text }, index) => {
      const ends = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => Math.min(text.length, (at + 1) * size))
      const pieces = ends.map((end, at) => text.slice(shape.text === "snapshots" ? 0 : (ends[at - 1] ?? 0), end))
      if (shape.begins === "without text") pieces.unshift("")
      return pieces.map((piece, at): Raw => {
        const later = at > 0
        return {
          ...(shape.index !== "absent" && { index: shape.index === "counted" ? index : 0 }),
          ...((shape.id === "every" || (shape.id !== "absent" && !later)) && { id: shape.id === "empty" ? "" : id }),
          ...(shape.id === "blank later" && later && { id: " " }),
          ...((shape.name === "every" || !later) && { name }),
          ...(shape.name === "empty later" && later && { name: "" }),
          arguments: piece,
        }
      })
    })
  }

  const all = shapes.index.flatMap((index) =>
    shapes.id.flatMap((id) =>
      shapes.name.flatMap((name) =>
        shapes.text.flatMap((text) => shapes.begins.map((begins): Shape => ({ index, id, name, text, begins }))),
      ),
    ),
  )
  const titled = all.map((shape): [string, Shape] => {
    return [`index ${shape.index}, id ${shape.id}, name ${shape.name}, ${shape.text}, beginning ${shape.begins}`, shape]
  })
  it.each(titled)("I1–I11, N2, N3, A8: %s", (_, shape) => {
    const named = shape.id !== "absent" && shape.id !== "empty"
    const expected = wanted.map((call, index) => ({ ...call, id: named ? call.id : minted(index + 1) }))
    for (const size of [1, 2, 5, 9, 16, 64]) expect(assemble(transcript(shape, size)), `size ${size}`).toEqual(expected)
  })
})
