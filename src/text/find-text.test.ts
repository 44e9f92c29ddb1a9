import { describe, expect, it } from "vitest"
import { findAgain, findText } from "./find-text.ts"
import { findWords as findIn, squeeze } from "./find-words.ts"

const findWords = (text: string, wanted: string, most: number) => findIn(squeeze(text), wanted, most)

describe("findText", () => {
  it("finds every place without overlap, or as many as wanted", () => {
    expect(findText("abcabcab", "abc")).toEqual([0, 3])
    expect(findText("aaaa", "aa")).toEqual([0, 2])
    expect(findText("aaaa", "a", 2)).toEqual([0, 1])
    expect(findText("a", "")).toEqual([])
    expect(findText("a", "ab")).toEqual([])
    expect(findAgain("aaa", "aa", 0)).toBe(1)
    expect(findAgain("aab", "aa", 0)).toBe(-1)
  })

  it("finds the same by its own search as the engine does", () => {
    const piece = "ab".repeat(40)
    const text = `${"ab".repeat(700_000)}x${piece}y`
    expect(findText(text, `x${piece}`)).toEqual([1_400_000])
    expect(findText(text, `${piece}y`)).toEqual([1_400_001])
    expect(findText(text, `${piece}z`)).toEqual([])
    expect(findText(text, "ab".repeat(350_000))).toEqual([0, 700_000])
    expect(findText(`${text}${text}`, `${piece}y`)).toEqual([1_400_001, 2_800_083])
  })

  it("is not slowed down by long texts that repeat themselves", () => {
    const text = "a".repeat(4_000_000)
    expect(findText(text, `b${"a".repeat(2_000_000)}`)).toEqual([])
    expect(findText(text, `${"a".repeat(2_000_000)}b`)).toEqual([])
  })
})

describe("findWords", () => {
  it("takes any white space for any other, and typographic variants for plain ones", () => {
    expect(findWords("if (a  &&\n\tb) {", "if (a && b) {", 9)).toEqual([{ start: 0, end: 15 }])
    expect(findWords("say(“hi” …)", '  say("hi" ...)\n', 9)).toEqual([{ start: 0, end: 11 }])
  })

  it("never begins or ends inside a word", () => {
    expect(findWords("total to tal", "tal", 9)).toEqual([{ start: 9, end: 12 }])
    expect(findWords("a b c", " \n ", 9)).toEqual([])
    expect(findWords("x y x y", "x y", 1)).toHaveLength(1)
  })
})
