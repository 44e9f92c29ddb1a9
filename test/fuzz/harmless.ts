/** What servers add to a stream without meaning anything by it (D.1, D.2): the reply must stay the same. */
import type { Random } from "../random.ts"

const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

/** Anywhere, also before the first frame. */
const ANYWHERE = [
  ": OPENROUTER PROCESSING\n\n",
  ":\n",
  "event: message\nid: 7\nretry: 10\n",
  "\n\n\n",
  frame({ id: "", model: "", object: "", created: 0, choices: [], prompt_filter_results: [{ prompt_index: 0 }] }), // E1
  frame({ choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 } }] }), // E2
  frame({ choices: [] }), // E3
  frame({ choices: [{ index: 0, delta: { role: "", content: "" } }], usage: { prompt_tokens: 0, completion_tokens: 0 } }), // E7
  frame({ choices: [{ index: 0, delta: { content: null, tool_calls: [] } }], input_sensitive: false }), // E9
  frame({ choices: [{ index: 0, delta: { tool_calls: null, raw_output: null }, finish_reason: null }] }), // E14
  frame({ choices: [{ index: 1, delta: { content: "another choice" } }] }),
]

/** Behind the terminal only (T12). */
const AFTERWARDS = [
  frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  frame({ choices: [{ index: 0, delta: { content: "too late" } }] }),
  frame({
    choices: [{ index: 0, delta: { tool_calls: [{ index: 9, id: "late", function: { name: "jot", arguments: "{}" } }] } }],
  }),
  frame({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } }),
  "data: [DONE]\n\n",
]

export function withNoise(chance: Random, frames: readonly string[]): string[] {
  const result = [...frames]
  for (let count = chance.int(0, 3); count > 0; count--) result.splice(chance.int(0, result.length), 0, chance.pick(ANYWHERE))
  const isTerminal = (text: string): boolean => text.startsWith("data: [DONE]") || /"finish_reason":"/.test(text)
  if (result.some(isTerminal) && chance.chance(0.3)) result.push(chance.pick(AFTERWARDS))
  return result
}

/** T1, T2, T4: other line ends, no blank behind the colon, data over two lines, a byte order mark, a last event that nothing follows. */
export function withLineEnds(chance: Random, frames: readonly string[]): string {
  const lineEnd = chance.pick(["\n", "\n", "\r\n", "\r"])
  const blank = chance.chance(0.1) ? "" : " "
  const folded = chance.chance(0.1)
  const lines = frames.map((frame) => {
    const whole = blank === "" ? frame.replace(/^data: /, "data:") : frame
    return folded ? whole.replace('"choices":', `"choices":\ndata:${blank}`) : whole
  })
  let text = lines.join("").replaceAll("\n", lineEnd)
  if (chance.chance(0.1)) text = `\ufeff${text}`
  return chance.chance(0.1) ? text.trimEnd() : text
}
