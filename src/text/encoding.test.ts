import { describe, expect, it } from "vitest"
import { readText, readWindows1252, wideEncoding } from "./encoding.ts"

const bytes = (...values: number[]) => new Uint8Array(values)
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"))
const swapped = (text: string) => new Uint8Array(Buffer.from(text, "utf16le").swap16())

describe("reading text of any encoding", () => {
  it("reads UTF-8 and drops its mark", () => {
    expect(readText(Buffer.from("\uFEFFgrün ✓"))).toEqual({ text: "grün ✓", encoding: "UTF-8", damaged: false })
    expect(readText(bytes())).toEqual({ text: "", encoding: "UTF-8", damaged: false })
  })

  it("reads UTF-16 of either order, with a mark or by where its zeros stand", () => {
    const text = "one\r\ntwo ü\r\n"
    expect(readText(utf16(`\uFEFF${text}`))).toEqual({ text, encoding: "UTF-16LE", damaged: false })
    expect(readText(swapped(`\uFEFF${text}`))).toEqual({ text, encoding: "UTF-16BE", damaged: false })
    expect(readText(utf16(text))).toEqual({ text, encoding: "UTF-16LE", damaged: false })
    expect(readText(swapped(text))).toEqual({ text, encoding: "UTF-16BE", damaged: false })
  })

  it("does not take programs, zeros or UTF-32 for UTF-16", () => {
    expect(wideEncoding(bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0))).toBeUndefined()
    expect(wideEncoding(new Uint8Array(64))).toBeUndefined()
    expect(wideEncoding(bytes(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0))).toBeUndefined()
    expect(wideEncoding(bytes(0x41, 0))).toBeUndefined()
  })

  it("reads what is neither as Windows-1252, quotes and the euro sign included", () => {
    expect(readText(Buffer.from("caf\xe9 \x80 \x93x\x94", "latin1"))).toEqual({
      text: "café € “x”",
      encoding: "Windows-1252",
      damaged: false,
    })
    const all = readWindows1252(Uint8Array.from({ length: 20_000 }, (_, index) => index % 256))
    expect(all).toHaveLength(20_000)
    expect(all.slice(0x80, 0x85)).toBe("€\u0081‚ƒ„")
  })

  it("keeps UTF-8 with a broken byte as UTF-8, and knows U+FFFD itself from damage", () => {
    const broken = Buffer.concat([Buffer.from("äöü ÄÖÜ ß "), Buffer.from([0xff]), Buffer.from(" ok")])
    expect(readText(broken)).toEqual({ text: "äöü ÄÖÜ ß \uFFFD ok", encoding: "UTF-8", damaged: true })
    expect(readText(Buffer.from("a \uFFFD b"))).toEqual({ text: "a \uFFFD b", encoding: "UTF-8", damaged: false })
  })
})
