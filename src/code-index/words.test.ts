import { describe, expect, it } from "vitest"
import { readQuestion } from "./question.ts"
import { joined, stem, withoutKeywords, wordSplitter } from "./words.ts"

const split = wordSplitter()

describe("words of code", () => {
  it.each([
    ["parseHTTPHeader2", ["pars", "http", "header", "2"]],
    ["SHA_256_hash", ["sha", "256", "hash"]],
    ["a.b(c) // x", []],
    ["größeBerechnen", ["größe", "berechnen"]],
    ["読み込み設定", ["読み", "み込", "込み", "み設", "設定"]],
    ["x".repeat(41), []],
  ])("splits %s", (text, words) => expect(split(text)).toEqual(words))

  it.each([
    ["parse parsing parsed parser parses parsers"],
    ["validate validation validating validator"],
    ["serialize serialization serialise"],
    ["query queries"],
    ["connect connection connecting connected"],
    ["indent indentation indents"],
    ["run running runs"],
    ["retry retries"],
  ])("takes as one word: %s", (words) => expect(new Set(words.split(" ").map(stem)).size).toBe(1))

  it.each([["header head"], ["folder fold"], ["order ord"], ["user us"], ["string sting"]])("keeps apart: %s", (words) =>
    expect(new Set(words.split(" ").map(stem)).size).toBe(2),
  )

  it("leaves out the words of a language, but not where they are part of a name", () => {
    expect(withoutKeywords("return importKey(class_name, new Foo)").split(/\s+/)).toEqual(["", "importKey(class_name,", "Foo)"])
  })

  it("joins a name to the one word it would be asked as", () => expect(joined("_parse-HTTP_header")).toBe("parsehttpheader"))
})

describe("a question", () => {
  it("loses the words that say nothing, and keeps what was asked beside what is looked for", () => {
    const { terms, names } = readQuestion("Where are the headers parsed?", split)
    expect(terms.map(({ word, asked }) => [word, asked])).toEqual([
      ["header", "headers"],
      ["pars", "parsed"],
    ])
    expect(names).toEqual([])
  })

  it("knows a whole name, and other words for the same", () => {
    const { terms, names } = readQuestion("removeEntry", split)
    expect(names).toEqual(["removeentry"])
    expect(terms[0]?.also).toContain(stem("delete"))
  })

  it("takes the initials of words in a row for those words", () => {
    const { terms } = readQuestion("strip the byte order mark", split)
    expect(terms.find(({ asked }) => asked === "order")?.also).toContain("bom")
  })

  it("is bounded, whatever is asked", () => {
    expect(readQuestion("word".repeat(100_000), split).terms).toEqual([])
    const many = Array.from({ length: 5000 }, (_, at) => `w${String.fromCharCode(97 + (at % 26))}${at}`).join(" ")
    expect(readQuestion(many, split).terms.length).toBeLessThanOrEqual(20)
  })
})
