import { describe, expect, it } from "vitest"
import { readEditable, writeBack } from "./write-back.ts"

const bytes = (...values: number[]) => new Uint8Array(values)

describe("readEditable", () => {
  it("reads what can be written back byte by byte, and says how", () => {
    expect(readEditable(Buffer.from("\uFEFFä\n"))).toEqual({ mark: "\uFEFF", text: "ä\n", encoding: "UTF-8" })
    expect(readEditable(bytes(0x63, 0xe9, 0x80))).toEqual({ mark: "", text: "cé€", encoding: "Windows-1252" })
    expect(readEditable(bytes(0xff, 0xfe, 0x61, 0, 0x0a, 0))).toEqual({ mark: "\uFEFF", text: "a\n", encoding: "UTF-16LE" })
    expect(readEditable(bytes(0xfe, 0xff, 0, 0x61))).toEqual({ mark: "\uFEFF", text: "a", encoding: "UTF-16BE" })
  })

  it("does not take binary data, or text that is damaged, for text", () => {
    expect(readEditable(bytes(0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff))).toBeUndefined()
    expect(readEditable(bytes(0xff, 0xfe, 0x61, 0, 0x0a))).toBeUndefined()
    expect(readEditable(Buffer.concat([Buffer.from("ä ö ü ß é"), bytes(0xff)]))).toBeUndefined()
  })
})

describe("writeBack", () => {
  it("writes each encoding, and names a character that is not in it", () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index).filter((byte) => byte !== 0)
    const read = readEditable(all)
    expect(read && writeBack(read.text, read.encoding)).toEqual(all)
    expect(writeBack("a𝄞", "UTF-16LE")).toEqual(new Uint8Array(Buffer.from("a𝄞", "utf16le")))
    expect(writeBack("a✓", "Windows-1252")).toEqual({ lacks: "✓" })
    expect(writeBack("a✓", "UTF-8")).toBe("a✓")
  })
})
