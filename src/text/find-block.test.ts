import { describe, expect, it } from "vitest"
import { fileIndex } from "./file-index.ts"
import { allPlaces, findBlock } from "./find-block.ts"

const find = (file: readonly string[], block: readonly string[], near?: number) => findBlock(fileIndex(file), block, { near })

describe("findBlock", () => {
  it("finds a block as it is", () => {
    expect(find(["a", "b", "c"], ["b", "c"])).toEqual({ kind: "found", start: 1, tolerance: "exact" })
    expect(find(["a"], ["a", "b"])).toEqual({ kind: "missing" })
    expect(find(["a"], [])).toEqual({ kind: "missing" })
    expect(find([], ["a"])).toEqual({ kind: "missing" })
  })

  it("overlooks no more than it must", () => {
    expect(find(["a  ", "b"], ["a", "b"])).toMatchObject({ tolerance: "line-tails" })
    expect(find(["\ta", "  b = 1"], ["  a", "b  =  1"])).toMatchObject({ tolerance: "white-space" })
    expect(find(["say(“yes” – it’s…)"], ['say("yes" - it\'s...)'])).toMatchObject({ tolerance: "punctuation" })
    expect(find(["a\u00a0b", "c\u200bd"], ["a b", "cd"])).toMatchObject({ kind: "found", tolerance: "punctuation" })
    expect(find(["caf\u00e9"], ["cafe\u0301"])).toMatchObject({ kind: "found", tolerance: "punctuation" })
  })

  it("prefers an exact place to a similar one, wherever it stands", () => {
    expect(find(["  x", "y", "x"], ["x"], 0)).toEqual({ kind: "found", start: 2, tolerance: "exact" })
  })

  it("does not choose between equal places without a hint", () => {
    expect(find(["x", "y", "x"], ["x"])).toEqual({ kind: "ambiguous", count: 2, starts: [0, 2], tolerance: "exact" })
  })

  it("takes the place nearest to the hint, unless two are equally near", () => {
    const file = ["x", "1", "2", "3", "x", "5", "x"]
    expect(find(file, ["x"], 3)).toMatchObject({ start: 4 })
    expect(find(file, ["x"], 100)).toMatchObject({ start: 6 })
    expect(find(file, ["x"], 2)).toMatchObject({ kind: "ambiguous", starts: [0, 4, 6] })
  })

  it("does not take different words for the same", () => {
    expect(find(["ab"], ["a b"])).toEqual({ kind: "missing" })
    expect(find(["a", "", "b"], ["a", "b"])).toEqual({ kind: "missing" })
  })

  it("survives a block that fits everywhere in a large file", () => {
    const file = Array.from({ length: 200_000 }, () => "")
    expect(find(file, [""], 77)).toEqual({ kind: "found", start: 77, tolerance: "exact" })
    expect(find(file, [""])).toMatchObject({ kind: "ambiguous", count: 200_000, starts: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] })
  })

  it("looks no further up than told, and overlooks no more than allowed", () => {
    const index = fileIndex(["x", "y", "x", "  z"])
    expect(findBlock(index, ["x"], { from: 1 })).toMatchObject({ kind: "found", start: 2 })
    expect(findBlock(index, ["z"], { upTo: "line-tails" })).toEqual({ kind: "missing" })
    expect(findBlock(index, ["z"], { upTo: "white-space" })).toMatchObject({ kind: "found", start: 3 })
    expect(allPlaces(index, ["x"], "exact")).toEqual({ starts: Int32Array.of(0, 2), tolerance: "exact" })
    expect(allPlaces(index, ["q"], "exact").starts).toHaveLength(0)
  })

  it("finds overlapping places of a block that repeats itself, each line looked at once", () => {
    const file = Array.from({ length: 100_000 }, () => "same")
    const block = file.slice(0, 50_000)
    expect(find(file, block)).toMatchObject({ kind: "ambiguous", count: 50_001 })
    expect(find(file, block, 70_000)).toMatchObject({ kind: "found", start: 50_000 })
    expect(find(file, [...block, "other"])).toEqual({ kind: "missing" })
    const waves = ["a", "b", "a", "b", "a", "c", "a", "b", "a"]
    expect(find([...waves, ...waves], ["a", "b", "a", "b", "a", "c"])).toMatchObject({ count: 2, starts: [0, 9] })
    expect(find(["a", "a", "b", "a", "a", "a", "b"], ["a", "a", "b"])).toMatchObject({ starts: [0, 4] })
  })
})
