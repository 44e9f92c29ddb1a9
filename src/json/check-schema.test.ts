import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../types/json.ts"
import { checkSchema } from "./check-schema.ts"

const schema: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: {
    name: { type: "string", pattern: "^[a-z]+$", examples: ["joey"] },
    word: { type: "string", minLength: 1 },
    level: { type: "string", enum: ["low", "high"] },
    count: { type: "integer", minimum: 1, maximum: 9 },
    share: { type: ["number", "null"] },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true },
    flags: { type: "object", propertyNames: { type: "string", pattern: "^[a-z]+$" }, additionalProperties: { type: "boolean" } },
  },
}

/** One line per problem. */
function problems(value: unknown): string[] {
  return checkSchema(value, schema).map((problem) => {
    const detail = problem.kind === "wrong" ? `${problem.expected} / ${problem.got}` : ""
    return `${problem.kind} ${problem.path.join(".")} ${detail}`.trim()
  })
}

describe("checkSchema", () => {
  it("finds nothing wrong with a value that fits", () => {
    expect(problems({ name: "joey", level: "low", count: 9, share: null, tags: ["a", "b"], flags: { on: true } })).toEqual([])
  })

  it.each([
    [{ name: "Joey" }, 'wrong name string like "joey" / "Joey"'],
    [{ name: 5 }, 'wrong name string like "joey" / 5'],
    [{ name: "a", word: "" }, 'wrong word string of at least 1 characters / ""'],
    [{ name: "a", level: "middle" }, 'wrong level one of "low", "high" / "middle"'],
    [{ name: "a", count: 0 }, "wrong count integer of at least 1 and at most 9 / 0"],
    [{ name: "a", count: 10 }, "wrong count integer of at least 1 and at most 9 / 10"],
    [{ name: "a", count: 1.5 }, "wrong count integer of at least 1 and at most 9 / 1.5"],
    [{ name: "a", share: Number.POSITIVE_INFINITY }, "wrong share number or null / Infinity"],
    [{ name: "a", share: "1" }, 'wrong share number or null / "1"'],
    [{ name: "a", tags: "x" }, 'wrong tags array / "x"'],
    [{ name: "a", tags: ["x", 2] }, "wrong tags.1 string / 2"],
    [{ name: "a", tags: ["x", "x"] }, 'wrong tags.1 each value once / "x" again'],
    [{ name: "a", flags: [] }, "wrong flags object / a list"],
    [{ name: "a", flags: { on: 1 } }, "wrong flags.on boolean / 1"],
    [{ name: "a", flags: { O: true } }, 'wrong flags.O a name like string matching ^[a-z]+$ / "O"'],
    [{ name: "a", other: 1 }, "unknown other"],
    [{}, "missing name"],
    [[], "wrong  object / a list"],
    [null, "wrong  object / null"],
  ])("says what is wrong with %j", (value, problem) => expect(problems(value)).toEqual([problem]))

  it("reports every problem, each with its path", () => {
    expect(problems({ level: 1, tags: [1, "a", 2] })).toHaveLength(4)
  })

  it("takes members that an object only inherits for absent", () => {
    const value: unknown = JSON.parse('{"name": "a", "__proto__": 1, "constructor": 2}')
    expect(problems(value)).toEqual(["unknown __proto__", "unknown constructor"])
  })

  it("takes undefined members for absent", () => {
    expect(problems({ name: "a", count: undefined, other: undefined })).toEqual([])
  })

  it("cuts long values in what it says", () => {
    expect(problems({ name: "X".repeat(500) })[0]?.length).toBeLessThan(100)
  })

  it("throws for a keyword it does not know, so that no rule goes unchecked", () => {
    expect(() => checkSchema("a", { type: "string", maxLength: 3 })).toThrow("maxLength")
  })
})
