import { describe, expect, it } from "vitest"
import { foreignEdits } from "./foreign-edits.ts"

const block = (search: string, replace: string) => `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`

describe("foreignEdits", () => {
  it("S51: gives hooks of other agents the old and the new text of an edit by blocks", () => {
    expect(foreignEdits({ diff: block("a", "b\nc") })).toMatchObject({ old_string: "a", new_string: "b\nc" })
    expect(foreignEdits({ diff: `${block("a", "b")}\n${block("x", "y")}` })).toEqual({
      old_string: "a\nx",
      new_string: "b\ny",
      edits: [
        { old_string: "a", new_string: "b" },
        { old_string: "x", new_string: "y" },
      ],
    })
  })

  it("adds nothing where there are no blocks to be read", () => {
    for (const diff of [5, null, "", "words", "<<<<<<< SEARCH\na"]) expect(foreignEdits({ diff })).toEqual({})
  })
})
