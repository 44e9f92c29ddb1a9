import { describe, expect, it } from "vitest"
import { parseJson } from "./parse-json.ts"

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("parseJson", () => {
  it("reads JSON, and nothing else", () => {
    expect(parseJson('{"a":[1,null]}')).toEqual({ a: [1, null] })
    for (const text of ["", "[DONE]", "{", '{"a":}', "<html>"]) expect(parseJson(text)).toBeUndefined()
  })

  it("refuses what could not be written again", () => {
    expect(parseJson(nested(500))).toBeDefined()
    expect(parseJson(nested(513))).toBeUndefined()
    expect(parseJson(nested(100_000))).toBeUndefined()
    expect(parseJson(`{"text":"\\\\","deep":${nested(600)}}`)).toBeUndefined()
  })

  it("does not count brackets inside strings", () => {
    const text = JSON.stringify({ text: `"${"[{".repeat(2_000)}\\`, more: ["\\\\", '\\"[', "["] })
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })
})
