/** The head of a Markdown file. */
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { readFrontMatter, wordsOf } from "./front-matter.ts"

const read = (text: string) => readFrontMatter(text, async () => parse)
const readWithoutYaml = (text: string) => readFrontMatter(text, () => Promise.reject(new Error("YAML was loaded")))

describe("front matter", () => {
  it("gives fields and body", async () => {
    const { fields, body, problem } = await read("---\nname: a\ntags: [x, y]\n---\nHello\n")
    expect(fields).toEqual({ name: "a", tags: ["x", "y"] })
    expect(body).toBe("Hello\n")
    expect(problem).toBeUndefined()
  })

  it("reads plain words without loading YAML, colons and quotes included", async () => {
    const text = `\uFEFF---\r\n# a comment\r\nname: café-tool\r\ndescription: Use when: it "breaks", e.g. a/b\r\nmode: "code"\r\nhint: 'a b'\r\n---\r\nBody`
    expect((await readWithoutYaml(text)).fields).toEqual({
      name: "café-tool",
      description: 'Use when: it "breaks", e.g. a/b',
      mode: "code",
      hint: "a b",
    })
  })

  it.each(["12", "true", "null", "~", "[a]", "{a: b}", "a # b", "- a", "*a", "&a", "!a", "|", "1.5", "'it''s'", '"a\\nb"', ""])(
    "leaves %j to YAML, as it may be more than words",
    (value) => expect(readWithoutYaml(`---\nkey: ${value}\n---\n`)).rejects.toThrow("YAML was loaded"),
  )

  it.each(["a", "a: b", "日本語", "🚀 go", "a, b", "it's", "x:y", "(a)", "/path", "a [b]", "$1"])(
    "reads %j as YAML would, or as was meant",
    async (value) => expect((await readWithoutYaml(`---\nkey: ${value}\n---\n`)).fields).toEqual({ key: value }),
  )

  it("takes values as words where they are not quite YAML", async () => {
    const head =
      "name: x\nargument-hint: [file] [line]\ndescription: Use it when: a test\n  fails: always\nlist:\n  - one\n  - two"
    const { fields, problem } = await read(`---\n${head}\n---\nBody`)
    expect(problem).toBeUndefined()
    expect(fields).toEqual({
      name: "x",
      "argument-hint": "[file] [line]",
      description: "Use it when: a test fails: always",
      list: ["one", "two"],
    })
  })

  it.each([
    ["---\nname: 'open\nother: x\n---\nBody", 3],
    ["---\nname: x\nlist:\n\t- a\n---\nBody", 4],
    ["---\nname: x\n---x", 1],
    ["---\n- a\n- b\n---\nBody", 2],
  ])("says the line of what cannot be read and keeps the text whole: %j", async (text, line) => {
    const { fields, body, problem } = await read(text)
    expect(problem?.line).toBe(line)
    expect(problem?.reason).toMatch(/^[^\n]{10,}$/)
    expect(fields).toEqual({})
    expect(body).toBe(text)
  })

  it.each(["Just text", "", "---", "---\n\nA rule, then text", "text\n---\nname: x\n---\n"])("%j has no head", async (text) => {
    expect(await read(text)).toMatchObject({ fields: {}, body: text })
    expect((await read(text)).problem).toBeUndefined()
  })

  it("knows an empty head", async () => expect(await read("---\n---\nBody")).toMatchObject({ fields: {}, body: "Body" }))

  it("knows the line of a field", async () => {
    const { lineOf } = await read("---\nname: x\n\ngroups:\n  - read\n---\n")
    expect([lineOf("name"), lineOf("groups"), lineOf("missing")]).toEqual([2, 4, 1])
  })

  it("a field's words are text that is not blank", () => {
    expect([" a ", " ", 1, null, undefined, ["a"]].map(wordsOf)).toEqual([
      "a",
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
