import { describe, expect, it } from "vitest"
import type { JsonEvents } from "./events.ts"
import { endingOf, jsonReader, read } from "./reader.ts"

/** One word per event. */
const NOTES: JsonEvents<string[]> = {
  openObject: (notes) => void notes.push("{"),
  openArray: (notes) => void notes.push("["),
  close: (notes) => void notes.push("close"),
  key: (notes, name) => void notes.push(`key ${name}`),
  scalar: (notes, value) => void notes.push(`scalar ${value}`),
  openString: (notes) => void notes.push("open"),
  text: (notes, piece) => void notes.push(`text ${piece}`),
  closeString: (notes) => void notes.push("end"),
}

function eventsOf(...deltas: string[]): string[] {
  const notes: string[] = []
  const reader = jsonReader(NOTES, notes)
  for (const delta of deltas) read(reader, delta)
  return notes
}

describe("events", () => {
  it("name structure, keys, scalars and text in the order of the text", () => {
    expect(eventsOf(' { "a" : [ 1 , true , null ] , "b" : "x" } ')).toEqual([
      "{",
      "key a",
      "[",
      "scalar 1",
      "scalar true",
      "scalar null",
      "close",
      "key b",
      "open",
      "text x",
      "end",
      "close",
    ])
  })

  it("S4: give the text of a string as it arrives, and keys, numbers and words only when whole", () => {
    expect(eventsOf('{"pa', 'th": "hel')).toEqual(["{", "key path", "open", "text hel"])
    expect(eventsOf("[12", "3")).toEqual(["["])
    expect(eventsOf("[12", "3,")).toEqual(["[", "scalar 123"])
    expect(eventsOf("[tr", "u")).toEqual(["["])
    expect(eventsOf("[tr", "ue")).toEqual(["[", "scalar true"])
  })

  it("hold back half an escape, and nothing before it", () => {
    expect(eventsOf('"ab\\')).toEqual(["open", "text ab"])
    expect(eventsOf('"ab\\', "n")).toEqual(["open", "text ab", "text \n"])
    expect(eventsOf('"\\u00', "e", "4x")).toEqual(["open", "text äx"])
  })

  it("hold back half a surrogate pair, written plainly or as an escape, until its other half or something else comes", () => {
    expect(eventsOf('"a\ud83d')).toEqual(["open", "text a"])
    expect(eventsOf('"a\ud83d', '\ude00"')).toEqual(["open", "text a", "text 😀", "end"])
    expect(eventsOf('"a\\ud83d', "\\ude00")).toEqual(["open", "text a", "text 😀"])
    expect(eventsOf('"a\\ud83d', "x")).toEqual(["open", "text a", "text \ud83dx"])
    expect(eventsOf('"a\\ud83d', '"')).toEqual(["open", "text a", "text \ud83d", "end"])
  })

  it("come once per string and delta, escapes and all", () => {
    expect(eventsOf('"a\\tb\\u0063\\"d')).toEqual(["open", 'text a\tbc"d'])
  })

  it("know an empty string and an empty key", () => {
    expect(eventsOf('{"":""}')).toEqual(["{", "key ", "open", "end", "close"])
  })

  it("stop where the text stops being JSON", () => {
    expect(eventsOf('["a\nb", 1]', "[2]")).toEqual(["[", "open", "text a"])
  })

  it("end a number at the character after it", () => {
    expect(eventsOf("-0 ")).toEqual(["scalar 0"])
    expect(eventsOf("[-1.5e+3,0,10E-1]")).toEqual(["[", "scalar -1500", "scalar 0", "scalar 1", "close"])
  })
})

describe("the reader", () => {
  it("knows where it stands", () => {
    const reader = jsonReader(NOTES, [])
    const stands = (delta: string): (string | number)[] => {
      read(reader, delta)
      return [...reader.path]
    }
    expect(stands('{"edits":[')).toEqual(["edits", 0])
    expect(stands('{"search":"a"')).toEqual(["edits", 0, "search"])
    expect(stands('},{"search":"b",')).toEqual(["edits", 1, "search"])
    expect(stands('"replace')).toEqual(["edits", 1, "search"])
    expect(stands('":"')).toEqual(["edits", 1, "replace"])
    expect(stands('"}]}')).toEqual([])
  })

  it("keeps no text once it was handed out", () => {
    const reader = jsonReader(NOTES, [])
    for (const delta of ['{"content":"', "some text ", "and \\n", "more"]) read(reader, delta)
    expect(reader).toMatchObject({ pending: "", state: "open" })
  })

  it.each(["[1]", '"a"', "true", "{}"])("is complete when the value is, and stays so through white space: %s", (text) => {
    const reader = jsonReader(NOTES, [])
    read(reader, text)
    expect(reader.state).toBe("complete")
    read(reader, " \n")
    expect(reader.state).toBe("complete")
    expect(endingOf(reader)).toBeUndefined()
  })

  it("holds a number at the root for whole only when something follows, or when nothing more comes", () => {
    const reader = jsonReader(NOTES, [])
    read(reader, "12")
    expect(reader.state).toBe("open")
    expect(endingOf(reader)).toBeUndefined()
    read(reader, "e")
    expect(endingOf(reader)).toEqual({ problem: "the text ends inside a number", offset: 3 })
    read(reader, "1 ")
    expect(reader.state).toBe("complete")
  })

  it("reads nothing after its problem", () => {
    const reader = jsonReader(NOTES, [])
    read(reader, "[x")
    const { problem } = reader
    read(reader, "]")
    expect(reader.problem).toBe(problem)
    expect(reader.state).toBe("broken")
    expect(endingOf(reader)).toBe(problem)
  })
})
