import { describe, expect, it } from "vitest"
import { hideHeld, hidingStream } from "./hide-held.ts"

const KEY = "quiet-meadow-under-seven-bridges"

describe("values we hold", () => {
  it("S15: are hidden wherever they stand in an event, names of members included", () => {
    const event = { type: "said", content: [{ text: `it is ${KEY}, ${KEY}` }], [`x${KEY}`]: 1, count: 3, none: null }
    expect(hideHeld(event, [KEY])).toEqual({
      type: "said",
      content: [{ text: "it is [redacted], [redacted]" }],
      "x[redacted]": 1,
      count: 3,
      none: null,
    })
  })

  it("leave everything else as it is, not even copied, also what only looks secret", () => {
    const event = { a: ["sk-0123456789abcdef0123"], b: { c: "words" } }
    expect(hideHeld(event, [KEY])).toBe(event)
    expect(hideHeld(event, [])).toBe(event)
    expect(hideHeld(event, ["words"])).toBe(event) // too short to be told from a word
  })

  it("are found with quotes and backslashes in them", () => {
    const odd = 'a"b\\c"d\\e'
    expect(hideHeld({ text: `x ${odd} y` }, [odd])).toEqual({ text: "x [redacted] y" })
  })

  it("leave no tail when one begins like another", () => {
    expect(hideHeld("abcdefgh", ["abcdef", "abcdefgh"])).toBe("[redacted]")
  })
})

describe("a stream of text", () => {
  it("S15: hides a value however it is cut, and gives everything else", () => {
    const text = `before ${KEY} quiet-mea ${KEY}${KEY}. quiet-`
    for (let size = 1; size <= text.length; size++) {
      const stream = hidingStream([KEY, "another-secret"])
      const pieces: string[] = []
      for (let at = 0; at < text.length; at += size) pieces.push(stream.push(text.slice(at, at + size)))
      expect(pieces.join("") + stream.end()).toBe("before [redacted] quiet-mea [redacted][redacted]. quiet-")
    }
  })

  it("waits only for what may still become a value", () => {
    const stream = hidingStream([KEY])
    expect(stream.push("all is q")).toBe("all is ")
    expect(stream.push("uick")).toBe("quick")
    expect(stream.end()).toBe("")
    expect(hidingStream([]).push("q")).toBe("q")
  })
})
