import { describe, expect, it } from "vitest"
import { readQuestion } from "./question.ts"
import { type Candidate, FIELDS, type Field, rank } from "./rank.ts"
import { weightOf } from "./traits.ts"
import { wordSplitter } from "./words.ts"

const split = wordSplitter()

interface Sample extends Partial<Record<Field, string>> {
  path?: string
  kind?: string | null
}

/** Names in the order of their rank, best first. */
function ranked(question: string, samples: Record<string, Sample>): string[] {
  const texts = Object.entries(samples).map(([id, { path = `${id}.ts`, kind = "function", ...fields }], at) => {
    const words = Object.fromEntries(FIELDS.map((field) => [field, split(fields[field] ?? "")])) as Record<Field, string[]>
    const lengths = Object.fromEntries(FIELDS.map((field) => [field, words[field].length])) as Record<Field, number>
    const candidate: Candidate = { id: at, path, kind, name: fields.name ?? null, lengths, weight: weightOf(path) }
    return { id, words, candidate }
  })
  const averages = { name: 2, place: 2, doc: 5, body: 10 }
  const occurs = (word: string, id: number, field: Field) => texts[id]?.words[field].filter((one) => one === word).length ?? 0
  const spread = (word: string) => texts.filter(({ words }) => FIELDS.some((field) => words[field].includes(word))).length
  const found = rank(
    readQuestion(question, split),
    texts.map(({ candidate }) => candidate),
    { passages: 100, averages, spread, occurs },
  )
  return found.map(({ candidate }) => texts[candidate.id]?.id ?? "")
}

describe("ranking", () => {
  it("puts a definition before its use", () => {
    expect(
      ranked("parse header", {
        use: { name: "main", body: "parseHeader(x)" },
        definition: { name: "parseHeader", body: "x" },
      })[0],
    ).toBe("definition")
  })

  it("puts code before its tests, and both before declarations of the same", () => {
    const same = { name: "retryUpload", body: "retry upload" }
    const order = ranked("retry upload", {
      test: { ...same, path: "src/upload.test.ts" },
      code: { ...same, path: "src/upload.ts" },
      vendored: { ...same, path: "vendor/upload.test.ts" },
    })
    expect(order).toEqual(["code", "test", "vendored"])
  })

  it("prefers what speaks of the whole question to what repeats a part of it", () => {
    const order = ranked("cache expired tokens", {
      part: { body: "token token token token token" },
      whole: { body: "cache of tokens, expired ones go" },
    })
    expect(order[0]).toBe("whole")
  })

  it("finds another word for the same, behind the word itself", () => {
    expect(
      ranked("delete folder", { other: { name: "parseX" }, same: { name: "removeDirectory" }, word: { name: "deleteFolder" } }),
    ).toEqual(["word", "same", "other"])
  })

  it("takes a whole name for what is meant", () => {
    const order = ranked("where is readFile", {
      longer: { name: "readFileSyncOrFail", body: "read file" },
      exact: { name: "readFile" },
    })
    expect(order[0]).toBe("exact")
  })
})

describe("what a path says", () => {
  it.each(["a/tests/x.ts", "x_test.go", "test_x.py", "x.spec.js", "vendor/x.js", "x.d.ts", "README.md", "x.json"])(
    "counts %s less",
    (path) => expect(weightOf(path)).toBeLessThan(1),
  )
  it.each(["src/x.ts", "src/contest/x.ts", "lib/latest.py"])("counts %s whole", (path) => expect(weightOf(path)).toBe(1))
})
