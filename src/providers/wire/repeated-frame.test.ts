import { describe, expect, it } from "vitest"
import { repeatedFrame } from "./repeated-frame.ts"

const frame = (text: string) => JSON.stringify({ id: "chat-1", choices: [{ index: 0, delta: { content: text } }] })

describe("repeatedFrame", () => {
  it("reads the one string in which a frame differs from the one learnt, whatever it holds", () => {
    const repeated = repeatedFrame()
    expect(repeated.read(frame("first"))).toBeUndefined()
    repeated.learn(frame("first"), "first")
    for (const text of [
      "",
      "x",
      'a "quoted" word',
      "back\\slash",
      "line\nend",
      "é 🦘",
      "a text that is longer than twelve characters",
    ]) {
      expect(repeated.read(frame(text))).toBe(text)
    }
  })

  it("leaves every other frame to the parser", () => {
    const repeated = repeatedFrame()
    repeated.learn(frame("first"), "first")
    expect(repeated.read(frame("x").replace("chat-1", "chat-2"))).toBeUndefined()
    expect(repeated.read(frame("x").replace("]}", '],"usage":{}}'))).toBeUndefined()
    expect(repeated.read(frame('X","role":"Y').replaceAll('\\"', '"'))).toBeUndefined()
    expect(repeated.read(frame("TAB").replace("TAB", "\t"))).toBeUndefined()
    expect(repeated.read(frame("OPEN").replace("OPEN", "\\"))).toBeUndefined()
    expect(repeated.read("[DONE]")).toBeUndefined()
  })

  it("learns nothing where the string could stand in two places, and keeps what it knew", () => {
    const repeated = repeatedFrame()
    expect(repeated.learn(frame("chat-1"), "chat-1")).toBe(false)
    expect(repeated.read(frame("x"))).toBeUndefined()
    repeated.learn(frame("first"), "first")
    repeated.learn(frame("content"), "content")
    expect(repeated.read(frame("x"))).toBe("x")
  })

  it("reads a frame whose surroundings overlap as nothing", () => {
    const repeated = repeatedFrame()
    repeated.learn('{"a":"b"}', "b")
    expect(repeated.read('{"a":"}')).toBeUndefined()
    expect(repeated.read('{"a":""}')).toBe("")
  })

  it("gives up where no frame is like the one before", () => {
    const repeated = repeatedFrame()
    const padded = (text: string, pad: number) => frame(text).replace("chat-1", `pad-${pad}`)
    const learnt = Array.from({ length: 50 }, (_, pad) => repeated.learn(padded("first", pad), "first"))
    expect(learnt.filter(Boolean).length).toBeLessThan(25)
    expect(repeated.read(padded("x", 49))).toBeUndefined()
  })
})
