import { describe, expect, it } from "vitest"
import { boundedFetch } from "./bounded-fetch.ts"
import { lineReader } from "./stdio-transport.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("lines of a server", () => {
  it("are whole however the bytes are split", () => {
    const text = '{"a":"ä天"}\n\n{"b":1}\r\nrest'
    const whole = bytes(text)
    for (let size = 1; size <= whole.length; size++) {
      const lines: string[] = []
      const read = lineReader(
        (line) => lines.push(line),
        () => {},
      )
      for (let from = 0; from < whole.length; from += size) read(whole.subarray(from, from + size))
      expect(lines).toEqual(['{"a":"ä天"}', "", '{"b":1}\r'])
    }
  })

  it("end when one grows past the bound, and nothing of it is kept", () => {
    const lines: string[] = []
    let tooLong = 0
    const read = lineReader(
      (line) => lines.push(line),
      () => tooLong++,
      10,
    )
    read(bytes("short\n"))
    for (let count = 0; count < 100; count++) read(bytes("12345"))
    read(bytes("\nlater\n"))
    expect([lines, tooLong]).toEqual([["short"], 1])
  })
})

describe("answers over HTTP", () => {
  const answering = (text: string, type: string) => async () => new Response(text, { headers: { "content-type": type } })

  it("are broken off when they grow past the bound", async () => {
    const response = await boundedFetch(answering("x".repeat(101), "application/json"), 100)("http://a.example")
    await expect(response.text()).rejects.toThrow("at once")
  })

  it("a stream of events may go on for ever, one event may not", async () => {
    const event = `data: ${"x".repeat(50)}\n\n`
    const fine = await boundedFetch(answering(event.repeat(100), "text/event-stream"), 100)("http://a.example")
    expect((await fine.text()).length).toBe(event.length * 100)
    const grown = await boundedFetch(answering(`data: x\n`.repeat(100), "text/event-stream"), 100)("http://a.example")
    await expect(grown.text()).rejects.toThrow("at once")
  })
})
