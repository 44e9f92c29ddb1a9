/** Holds how well the index answers, a little below what was measured (docs/code-search.md): what makes it worse is noticed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Corpus, openCorpus, type Placed, placeAll, recall } from "./measure.ts"
import { QUESTIONS } from "./questions.ts"

const SLOW = 240_000
let corpus: Corpus | undefined
let placed: Placed[] = []

beforeAll(async () => {
  corpus = openCorpus()
  placed = await placeAll(corpus, QUESTIONS, false)
}, SLOW)
afterAll(() => corpus?.close())

describe("questions in plain words over real packages", () => {
  it("are at least sixty", () => expect(QUESTIONS.length).toBeGreaterThanOrEqual(60))

  it.each([
    ["tuned on", false],
    ["held out", true],
  ])("S30: those %s find their file and their symbol at least as often as was measured", (_, heldOut) => {
    const part = placed.filter((one) => one.heldOut === heldOut)
    const files = part.map(({ file }) => file)
    const symbols = part.map(({ symbol }) => symbol)
    expect(recall(files, 5)).toBeGreaterThanOrEqual(0.7)
    expect(recall(files, 10)).toBeGreaterThanOrEqual(0.78)
    expect(recall(symbols, 10)).toBeGreaterThanOrEqual(0.62)
  })
})
