import { describe, expect, it } from "vitest"
import { binaryKind } from "./binary-kind.ts"

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe("binaryKind", () => {
  it("takes text for text", () => {
    for (const text of ["", "hello", "GIF", "%PD", "PK are letters", "\xef\xbb\xbfwith a mark", "caf\xc3\xa9"]) {
      expect(binaryKind(bytes(text))).toBeUndefined()
    }
  })

  it("names what it knows, and calls anything else with a zero byte binary", () => {
    expect(binaryKind(bytes("\x89PNG\r\n\x1a\n"))).toBe("PNG image")
    expect(binaryKind(bytes("RIFF\x01\x02\x03\x04WEBPVP8 "))).toBe("WebP image")
    expect(binaryKind(bytes("%PDF-1.7"))).toBe("PDF document")
    expect(binaryKind(bytes("\x7fELF\x02"))).toBe("ELF program")
    expect(binaryKind(bytes("\xff\xfea\x00"))).toBe("UTF-16 text")
    expect(binaryKind(bytes("abc\x00def"))).toBe("binary file")
  })
})
