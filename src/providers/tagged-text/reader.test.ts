import { describe, expect, it } from "vitest"
import type { Chunk } from "../../types/chunk.ts"
import type { ToolDefinition } from "../../types/model.ts"
import { dice } from "../wire/damaged-transcript.ts"
import { readTaggedText } from "./reader.ts"
import { knownTools } from "./syntax.ts"

const tools: ToolDefinition[] = [
  {
    name: "write",
    description: "",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string" },
        content: { type: "string" },
        lines: { type: ["integer", "null"] },
        todos: { type: "array", items: { type: "string" } },
      },
    },
  },
  { name: "rest", description: "", parameters: { type: "object" } },
]

interface Read {
  text: string
  thought: string
  calls: { name: string; arguments: string; ended: boolean }[]
}

function gather(chunks: readonly Chunk[]): Read {
  const read: Read = { text: "", thought: "", calls: [] }
  for (const chunk of chunks) {
    const call = read.calls.at(-1)
    if (chunk.type === "text") read.text += chunk.text
    else if (chunk.type === "reasoning") read.thought += chunk.text
    else if (chunk.type === "tool_call_start") read.calls.push({ name: chunk.name, arguments: "", ended: false })
    else if (chunk.type === "tool_call_delta" && call) call.arguments += chunk.text
    else if (chunk.type === "tool_call_end" && call) call.ended = true
  }
  // Half a character may be an escape, where it was cut.
  for (const call of read.calls)
    call.arguments = call.arguments.replace(/(?:\\ud[89a-f]..){2}/g, (pair) => JSON.parse(`"${pair}"`))
  return read
}

function read(pieces: readonly string[]): Read {
  const reader = readTaggedText(knownTools(tools))
  return gather([...pieces.flatMap((piece) => reader.push(piece)), ...reader.halt()])
}

/** The same whole, cut in two at every character, and character by character. */
function everySplit(text: string): Read {
  const whole = read([text])
  for (let cut = 0; cut < text.length; cut++) expect(read([text.slice(0, cut), text.slice(cut)]), `cut at ${cut}`).toEqual(whole)
  expect(read(text.split("")), "character by character").toEqual(whole)
  return whole
}

const inputs = ({ calls }: Read) => calls.map(({ name, arguments: text, ended }) => [name, ended ? JSON.parse(text) : text])

describe("readTaggedText", () => {
  const families: [name: string, text: string, calls: unknown[], rest: string][] = [
    [
      "X8, S10: a tag with the tool's name and one for each parameter",
      'I write.\n<write>\n<path>a.ts</path>\n<content>\nline <b>one</b>\n  two\n</content>\n<lines>2</lines>\n<todos>["x"]</todos>\n</write>\nDone.',
      [["write", { path: "a.ts", content: "line <b>one</b>\n  two", lines: 2, todos: ["x"] }]],
      "I write.\n\nDone.",
    ],
    ["X8: behind words on the same line, and without parameters", "So:<rest>\n</rest>", [["rest", {}]], "So:"],
    [
      "X1: JSON between tags, two of them",
      '<tool_call>\n{"name": "write", "arguments": {"path": "}</tool_call>"}}\n</tool_call>\n<tool_call>{"name":"rest","arguments":{}}</tool_call>',
      [
        ["write", { path: "}</tool_call>" }],
        ["rest", {}],
      ],
      "\n\n",
    ],
    ["X1: JSON without tags", 'Now.\n{"name": "rest", "parameters": {}}\n', [["rest", {}]], "Now.\n\n"],
    [
      "X2: function and parameter tags, inside another tag",
      "<tool_call>\n<function=write>\n<parameter=path>\na.ts\n</parameter>\n<parameter=lines>\n3\n</parameter>\n</function>\n</tool_call>",
      [["write", { path: "a.ts", lines: 3 }]],
      "\n\n",
    ],
    ["X2: without the outer tag", "<function=rest></function>", [["rest", {}]], ""],
    [
      "X4: sections and tokens, the name in the id",
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|><|tool_call_begin|>rest:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
      [
        ["write", { path: "a" }],
        ["rest", {}],
      ],
      "",
    ],
    [
      "X4: the singular section, and the sanitised id",
      '<|tool_call_section_begin|><|tool_call_begin|>functions_write_12<|tool_call_argument_begin|>{"path":"a"}<|tool_call_end|>',
      [["write", { path: "a" }]],
      "",
    ],
    [
      "X5: a header of tokens",
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.write <|constrain|>json<|message|>{"path":"a"}<|call|>',
      [["write", { path: "a" }]],
      "",
    ],
    ["X5: without tokens", 'commentary to=functions.write json{"path":"a"}', [["write", { path: "a" }]], ""],
    [
      "X6: invoke and parameter, in a wrapper, behind a lone word",
      'Well.\ncount\n<function_calls>\n<invoke name="write">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>',
      [["write", { path: "a" }]],
      "Well.\n\n\n",
    ],
    ["X6: without the wrapper", '<invoke name="rest"></invoke>', [["rest", {}]], ""],
  ]
  for (const [name, text, calls, rest] of families) {
    it(name, () => {
      const got = everySplit(text)
      expect(inputs(got)).toEqual(calls)
      expect(got.text).toBe(rest)
    })
  }

  it("X5: thinking before a call is thinking", () => {
    expect(
      everySplit("<|channel|>analysis<|message|>I < think<|end|><|start|>assistant<|channel|>final<|message|>Hello"),
    ).toEqual({
      text: "Hello",
      thought: "I < think",
      calls: [],
    })
  })

  const harmless: [name: string, text: string][] = [
    [
      "X9: in a code fence",
      "See:\n```xml\n<rest>\n</rest>\n```\nand\n~~~~\n<function=rest></function>\n~~~\n<rest></rest>\n~~~~\n",
    ],
    ["X9: in inline code", "Use `<rest></rest>` or `{` here."],
    ["X9: JSON in a fence", '```json\n{"name":"rest","arguments":{}}\n```'],
    ["an unknown tool", "<delete><path>a</path></delete> and <function=delete></function>"],
    ["a tag in a sentence", "The tool <rest> takes nothing, </rest> neither."],
    ["comparisons, markup and dangling brackets", "a < b, <b>bold</b>, <!-- c -->, <|x, <| y |>, x<"],
    ["JSON that is no call, and words like the marks", '{"name": 3}\n{"names":"rest"}\ncount\nme in\ncommentary too\nassistant'],
    ["JSON of an unknown tool", '{"name":"delete","arguments":{}}'],
    ["an unknown recipient, word by word", "commentary to=functions.delete json{}"],
  ]
  for (const [name, text] of harmless) {
    it(`calls nothing: ${name}`, () => expect(everySplit(text)).toEqual({ text, thought: "", calls: [] }))
  }

  it("X9: a value may hold the same tags, whole calls and fences: it ends where the call goes on", () => {
    const content = "<write>\n<content>x</content> and </content>\n```\n<path>p</path>\n"
    const got = everySplit(`<write><content>\n${content}\n</content>\n<path>a</path></write>`)
    expect(inputs(got)).toEqual([["write", { content, path: "a" }]])
  })

  it("keeps text as it is: indentation, quotes, line ends, characters of two halves", () => {
    const content = '  "x"\\\r\n\t😀\u2028</ content> '
    expect(inputs(everySplit(`<write><content>${content}</content></write>`))).toEqual([["write", { content }]])
    expect(inputs(everySplit(`<write><content>\n\n${content}\n\n</content></write>`))).toEqual([
      ["write", { content: `\n${content}\n` }],
    ])
  })

  it("A6: what is no text is JSON where it can be, and else left to the check of types", () => {
    expect(inputs(everySplit("<write><lines> 12\n</lines><todos>one\ntwo</todos></write>"))).toEqual([
      ["write", { lines: 12, todos: "one\ntwo" }],
    ])
  })

  it("A12: a call that is cut is never ended, wherever that is", () => {
    const text = "<write>\n<path>a.ts</path>\n<content>\nsome text\n</content>\n</write>"
    for (let end = "<write>\n<".length; end < text.length; end++) {
      const { calls } = read([text.slice(0, end)])
      expect(
        calls.map(({ ended }) => ended),
        text.slice(0, end),
      ).toEqual([false])
      expect(() => JSON.parse(calls[0]?.arguments ?? ""), text.slice(0, end)).toThrow()
    }
  })

  it("S12: something else between parameters makes the call say so, and the rest is text", () => {
    const got = everySplit("<write><path>a</path><path/>oops</write> then")
    expect(() => JSON.parse(got.calls[0]?.arguments ?? "")).toThrow()
    const stray = everySplit('<tool_call>{"name":"rest","arguments":{}, "more": 1}</tool_call>')
    expect(() => JSON.parse(stray.calls[0]?.arguments ?? "")).toThrow()
  })

  it("S4, S10: a draft grows while its value is written", () => {
    const reader = readTaggedText(knownTools(tools))
    const seen = ["<write>\n<pa", "th>a.", "ts</path>\n<content>\nfirst", " second"].map((piece) => gather(reader.push(piece)))
    expect(seen.map(({ calls }) => calls.length)).toEqual([1, 0, 0, 0])
    const fresh = readTaggedText(knownTools(tools))
    const grown = ["<write><content>one", " two", " three"].map((piece) => {
      return fresh.push(piece).flatMap((chunk) => (chunk.type === "tool_call_delta" ? [chunk.text] : []))
    })
    expect(grown).toEqual([['{"content":', '"', "one"], [" two"], [" three"]])
  })

  it("never throws, loses no text and does not depend on where it is cut, whatever marks stand in whatever order", () => {
    const marks =
      "<write> </write> <path> </path> <content> </content> <rest> </rest> <tool_call> </tool_call> <function=write>".split(" ")
    marks.push(
      ...'</function> <parameter=path> </parameter> <invoke\u0001name="rest"> </invoke> <|channel|> <|message|> ``` `'.split(" "),
    )
    marks.push(
      ..."<|tool_call_begin|> rest:0 <|tool_call_argument_begin|> <|end|> analysis commentary\u0001to=functions.rest".split(" "),
    )
    marks.push("\n", "\n", " ", "{", "}", '{"name":"rest","arguments":', "{}", "x", "é😀", "<", "count\n", "12")
    for (let seed = 1; seed <= 400; seed++) {
      const roll = dice(seed)
      const text = Array.from({ length: roll(14) }, () => (marks[roll(marks.length)] ?? "").replace("\u0001", " ")).join("")
      const whole = read([text])
      const cut = roll(text.length + 1)
      if (whole.calls.length === 0 && whole.thought === "" && !/[<|]/.test(text)) expect(whole.text).toBe(text)
      for (const pieces of [[text.slice(0, cut), text.slice(cut)], text.split("")]) {
        expect(read(pieces), `seed ${seed}: ${JSON.stringify(text)}`).toEqual(whole)
      }
    }
  })

  it("reads a long value in linear time: each character a bounded number of times", () => {
    const content = "x = '</content' < 3 && '\\n        '\n".repeat(3000)
    const text = `<write><content>\n${content}\n</content></write>`
    const reader = readTaggedText(knownTools(tools))
    const chunks: Chunk[] = []
    for (let at = 0; at < text.length; at += 12) chunks.push(...reader.push(text.slice(at, at + 12)))
    expect(JSON.parse(gather(chunks).calls[0]?.arguments ?? "")).toEqual({ content })
  })
})
