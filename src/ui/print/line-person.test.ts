/** A person who types lines: only a plain yes is a yes, and what is typed unasked approves nothing. */
import { PassThrough } from "node:stream"
import { describe, expect, it } from "vitest"
import type { Answer, Question } from "../../types/question.ts"
import { linePerson, readAnswer } from "./line-person.ts"

const usage = { inputTokens: 0, outputTokens: 0 }
const QUESTIONS = {
  approve: {
    kind: "approve",
    callKey: "k",
    tool: "jot",
    digest: "d",
    reason: "it changes files",
    show: { kind: "title", text: "t" },
    always: { covers: "jot", grant: "g" },
  },
  followup: {
    kind: "followup",
    callKey: "k",
    question: "Which?",
    suggestions: [{ text: "the blue one" }, { text: "the red one" }],
  },
  completion: { kind: "completion", callKey: "k", result: "r", usage, tools: {} },
  limit: { kind: "limit", limit: "turns", reason: "enough" },
} satisfies Record<string, Question>

const YES: Answer = { kind: "yes" }
const NO: Answer = { kind: "no" }
const words = (text: string): Answer => ({ kind: "words", content: [{ type: "text", text }] })

describe("reading an answer", () => {
  it.each(["approve", "completion", "limit"] as const)(
    "S28: to %s, a plain yes is a yes and a plain no is a no, in any case",
    (kind) => {
      for (const line of ["y", "yes", "Y", "YES", "Yes"]) expect(readAnswer(QUESTIONS[kind], line)).toEqual(YES)
      for (const line of ["n", "no", "N", "No"]) expect(readAnswer(QUESTIONS[kind], line)).toEqual(NO)
    },
  )

  it.each(["approve", "limit"] as const)("S28: to %s, an empty line is a no", (kind) => {
    expect(readAnswer(QUESTIONS[kind], "")).toEqual(NO)
  })

  it.each(["approve", "completion", "limit"] as const)("S28: to %s, anything else is words, never a yes", (kind) => {
    for (const line of ["yes please", "ok", "yep", "sure", "1", "yes, but not there", "why?"]) {
      expect(readAnswer(QUESTIONS[kind], line)).toEqual(words(line))
    }
  })

  it("S28: an approval takes some hunks, an edited call, or counts in this folder; anything almost so is words", () => {
    const { approve } = QUESTIONS
    expect(readAnswer(approve, "hunks 1, 3")).toEqual({ kind: "yes", hunks: [0, 2] })
    expect(readAnswer(approve, 'edit {"path":"b"}')).toEqual({ kind: "yes", input: { path: "b" } })
    expect(readAnswer(approve, "project")).toEqual({ kind: "yes", always: "project" })
    for (const line of ["edit {", "edit [1]", "hunks one", "project it is"])
      expect(readAnswer(approve, line)).toEqual(words(line))
    expect(readAnswer(QUESTIONS.completion, "hunks 1")).toEqual(words("hunks 1"))
  })

  it("S28: always is an answer to an approval only", () => {
    for (const line of ["a", "always", "Always"])
      expect(readAnswer(QUESTIONS.approve, line)).toEqual({ kind: "yes", always: "task" })
    expect(readAnswer(QUESTIONS.completion, "always")).toEqual(words("always"))
    expect(readAnswer(QUESTIONS.limit, "a")).toEqual(words("a"))
  })

  it("a follow-up takes a number of the list, or the words themselves", () => {
    expect(readAnswer(QUESTIONS.followup, "2")).toEqual(words("the red one"))
    for (const line of ["3", "0", "yes", "no", "green"]) expect(readAnswer(QUESTIONS.followup, line)).toEqual(words(line))
  })
})

describe("at the terminal", () => {
  function person() {
    const input = new PassThrough()
    const heard: string[] = []
    const person = linePerson(input)
    person.hear((text) => heard.push(text))
    return { input, heard, ...person }
  }
  const soon = () => new Promise((resolve) => setImmediate(resolve))

  it("S28: what is typed while nothing is asked are words for the task; the next question waits for a new line", async () => {
    const { input, heard, answer } = person()
    input.write("yes\nstop that\n")
    await soon()
    expect(heard).toEqual(["yes", "stop that"])
    const answered = answer(QUESTIONS.approve)
    await soon()
    input.write("no\n")
    expect(await answered).toEqual(NO)
    expect(heard).toHaveLength(2)
  })

  it("empty lines say nothing, and lines are trimmed as answers", async () => {
    const { input, heard, answer } = person()
    input.write("\n   \n")
    await soon()
    expect(heard).toEqual([])
    const answered = answer(QUESTIONS.approve)
    input.write("  yes \n")
    expect(await answered).toEqual(YES)
  })

  it("a person who leaves while asked, or before, gives no answer", async () => {
    const { input, answer, more } = person()
    const answered = answer(QUESTIONS.approve)
    input.end()
    expect(await answered).toBeUndefined()
    expect(await answer(QUESTIONS.limit)).toBeUndefined()
    expect(await more()).toBeUndefined()
  })

  it("more words after an end, or nothing to leave", async () => {
    const { input, more, close } = person()
    const first = more()
    input.write(" and now this \n")
    expect(await first).toBe("and now this")
    const second = more()
    input.write("\n")
    expect(await second).toBeUndefined()
    const third = more()
    close()
    expect(await third).toBeUndefined()
  })
})
