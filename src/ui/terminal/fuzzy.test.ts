/** Finding by a few letters. */
import { describe, expect, it } from "vitest"
import { editorWith } from "./editor.ts"
import { fuzzyIndex } from "./fuzzy.ts"
import { key } from "./keys.ts"
import { openPicker, pick } from "./picker.ts"
import { accept, wantedAt } from "./suggest.ts"

describe("files", () => {
  const index = fuzzyIndex(["docs/card.md", "src/cart.ts", "src/cart.test.ts", "src/shopping/basket-total.ts", "charts/art.ts"])

  it.each([
    ["cart", "src/cart.ts"],
    ["bt", "src/shopping/basket-total.ts"],
    ["SRC/CART.T", "src/cart.ts"],
    ["art.ts", "charts/art.ts"],
  ])("%s finds %s first", (query, found) => expect(index.search(query, 5)[0]).toBe(found))

  it("all letters must be there, in order", () => {
    expect(index.search("zzz", 5)).toEqual([])
    expect(index.search("trac", 5)).toEqual([])
  })

  it("a query typed letter by letter, and taken back, finds what it finds at once", () => {
    const fresh = (query: string) => fuzzyIndex(["docs/card.md", "src/cart.ts", "src/cart.test.ts"]).search(query, 9)
    const typed = fuzzyIndex(["docs/card.md", "src/cart.ts", "src/cart.test.ts"])
    for (const query of ["c", "ca", "cart", "car", "card", "cart.te"]) expect(typed.search(query, 9), query).toEqual(fresh(query))
  })

  it("is there at once among 100,000 files", () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `packages/part-${at % 300}/src/deep/folder/module-${at}.ts`)
    const many = fuzzyIndex([...names, "packages/x/needle.ts"])
    many.search("n", 50)
    const started = performance.now()
    expect(many.search("needle", 50)[0]).toBe("packages/x/needle.ts")
    expect(performance.now() - started).toBeLessThan(400) // about 20 ms on a quiet machine
  })
})

describe("suggestions", () => {
  it.each([
    ["/", "command"],
    ["/mo", "command"],
    ["see @src", "file"],
    ["@", "file"],
    ["mail a@b", undefined],
    ["a /mode", undefined],
    ["@a b", undefined],
  ])("behind %j: %s", (text, kind) => expect(wantedAt(editorWith(text))?.kind).toBe(kind))

  it("what is chosen takes the place of what was typed; blanks in a path are escaped", () => {
    const editor = editorWith("see @re")
    const wanted = wantedAt(editor)
    expect(wanted && accept(editor, wanted, "docs/read me.md").text).toBe("see @/docs/read\\ me.md ")
  })
})

describe("a list", () => {
  const picker = openPicker("Mode", [
    { value: "code", label: "code" },
    { value: "ask", label: "ask", detail: "questions" },
  ])
  it("begins at what is set, narrows by typing, chooses with enter, leaves with escape", () => {
    expect(openPicker("Mode", picker.choices, "ask").at).toBe(1)
    const narrowed = pick(picker, key("text", { text: "quest" }))
    expect(narrowed.kind === "open" && pick(narrowed.picker, key("enter"))).toEqual({ kind: "chosen", value: "ask" })
    expect(pick(picker, key("escape"))).toEqual({ kind: "left" })
    expect(pick({ ...picker, query: "zzz" }, key("enter")).kind).toBe("open")
  })
})
