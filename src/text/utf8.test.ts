import { describe, expect, it } from "vitest"
import { decodeUtf8 } from "./utf8.ts"

describe("decodeUtf8", () => {
  it("sets a byte order mark aside", () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toEqual({ mark: "\uFEFF", text: "a" })
    expect(decodeUtf8(new TextEncoder().encode("añ"))).toEqual({ mark: "", text: "añ" })
  })

  it("refuses bytes that are not UTF-8 rather than losing them", () => {
    expect(decodeUtf8(new Uint8Array([0x61, 0xe9, 0x62]))).toBeUndefined()
  })
})
