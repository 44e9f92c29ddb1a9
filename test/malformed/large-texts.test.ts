/** Argument texts without measure: nothing stalls, nothing overflows, and nobody is buried in them. */
import { describe, expect, it } from "vitest"
import { loggedCall, messagesAgain, printedCall, rowOf, sentCalls, sentResults } from "./evidence.ts"
import { play } from "./play.ts"
import { between, DELIVERIES } from "./replies.ts"

const FIVE_MEGABYTES = 5 * 1024 * 1024
const FILES = { "before.txt": "before", "after.txt": "after" }

describe.each(DELIVERIES)("%s", (delivery) => {
  it("S12–S17: 5 MB of a string without an end are told, shown and logged within bounds, and nothing runs", async () => {
    const start = '{"path": "b.txt", "content": "'
    const text = start + "x".repeat(FIVE_MEGABYTES)
    const { requests, problems, view, printed, log, files, exit } = await play(between(text, { delivery, chunkSize: 1_200 }))
    const [, told = ""] = sentResults(requests[1])
    expect(told).toContain(`the text ends inside a string, at character ${text.length} of ${text.length}`)
    expect(told.length).toBeLessThan(1_000)
    expect(rowOf(view)).toMatchObject({ status: "invalid", show: { kind: "malformed", unfinished: "content" } })
    expect(JSON.stringify(rowOf(view)).length).toBeLessThan(20_000)
    expect(printed.length).toBeLessThan(10_000)
    expect(printedCall(printed)).toContainEqual(expect.stringMatching(/^content: "x+….*unfinished/))
    const logged = loggedCall(log)
    expect("malformed" in logged && logged.malformed.raw === text).toBe(true)
    expect(JSON.stringify(log).length).toBeLessThan(2.5 * text.length)
    expect(sentCalls(requests[1])[1]?.function.arguments.length).toBe(text.length - 3 + '"}'.length) // without three spaces
    expect(messagesAgain(requests)?.length).toBe(requests[1]?.messages.length)
    expect({ problems, files, exit }).toEqual({ problems: [], files: FILES, exit: 0 })
  })

  it("A1: 5 MB of spaces are no arguments, and the model is told which are missing", async () => {
    const { requests, problems, files, exit, drafts } = await play(
      between(" ".repeat(FIVE_MEGABYTES), { delivery, chunkSize: 1_200 }),
    )
    expect(sentResults(requests[1])[1]).toMatch(/`path`: expected string, got nothing\n- `content`: expected string, got nothing/)
    expect(drafts.at(-1)).toMatchObject({ received: FIVE_MEGABYTES })
    expect(sentCalls(requests[1])[1]?.function.arguments).toBe("{}")
    expect({ problems, files, exit }).toEqual({ problems: [], files: FILES, exit: 0 })
  })

  it.each([
    ["lists that are never closed", '{"path": "b.txt", "content": ', "[".repeat(10_000)],
    ["lists that are all closed", '{"path": "b.txt", "content": ', `${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["objects", "", '{"content":'.repeat(10_000)],
  ])("S12, S13: 10,000 nested %s are refused where they pass the depth that is read", async (_, start, nested) => {
    const text = start + nested
    const { requests, problems, view, printed, log, files, exit } = await play(between(text, { delivery }))
    const offset = start === "" ? 512 * '{"content":'.length : start.length + 511
    const [, told = ""] = sentResults(requests[1])
    expect(told).toContain(`nested more than 512 deep, at character ${offset} of ${text.length}`)
    expect(rowOf(view)).toMatchObject({ status: "invalid", show: { kind: "malformed", unfinished: "content" } })
    expect(printed.length).toBeLessThan(10_000)
    expect(loggedCall(log)).toMatchObject({ malformed: { raw: text, offset } })
    expect(messagesAgain(requests)).toEqual(requests[1]?.messages)
    expect({ problems, files, exit }).toEqual({ problems: [], files: FILES, exit: 0 })
  })
})

const MANY = Array.from({ length: 20_000 }, (_, at) => `"argument ${at}": ${at}`)

const LIST_OF_TEXTS = `[${`"${"text ".repeat(20)}", `.repeat(40)} ""], `

it.each([
  ["a long list", `{"path": "b.txt", "content": [${"1,".repeat(100_000)}`],
  ["a list of lists of texts", `{"path": "b.txt", "content": [${LIST_OF_TEXTS.repeat(40)}`],
  ["a long key", `{"path": "b.txt", "${"k".repeat(500_000)}`],
  ["half the value of a long key", `{"path": "b.txt", "${"k".repeat(500_000)}": "v`],
  ["an object of very many arguments", `{"path": "b.txt", ${MANY.join(", ")}`],
])("S14: %s does not bury the person", async (_, text) => {
  const { view, printed, requests, problems } = await play(between(text, { delivery: "in one document" }))
  expect(rowOf(view)).toMatchObject({ status: "invalid", show: { kind: "malformed" } })
  expect(JSON.stringify(rowOf(view)).length).toBeLessThan(20_000)
  expect(printed.length).toBeLessThan(10_000)
  expect(sentResults(requests[1])[1]?.length).toBeLessThan(1_000)
  expect(problems).toEqual([])
})

it("S14: with more arguments than are printed, the problem still is", async () => {
  const { printed } = await play(between(`{${MANY.slice(0, 30).join(", ")},`, { delivery: "in one document" }))
  expect(printedCall(printed).join("\n")).toContain("the text ends after a comma")
})
