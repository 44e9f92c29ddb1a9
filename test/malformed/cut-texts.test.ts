/** Calls cut off by the model's output limit: told as what they are, never run, and after three in a row a person is asked. */
import { describe, expect, it } from "vitest"
import { call, rawCall, say } from "../../src/scripted-model/scenario.ts"
import { loggedCall, printedCall, rowOf, sentCalls, sentResults, startedCalls } from "./evidence.ts"
import { play } from "./play.ts"
import { arriving, between, complete, DELIVERIES, type Delivery, threeCalls } from "./replies.ts"

const CUT = '{"path": "b.txt", "content": "a very long te'

/** A good call, then one that the output limit cuts. */
const cut = (delivery: Delivery, turn: number) =>
  arriving(
    {
      pieces: [
        say("I write."),
        call("write_to_file", { path: `note-${turn}.txt`, content: "note" }, `good-${turn}`),
        rawCall("write_to_file", CUT, `cut-${turn}`),
      ],
      finish: "length",
    },
    delivery,
  )

describe.each(DELIVERIES)("%s", (delivery) => {
  it("A12, S13: the model is told after how many characters its call was cut, and what to do about it", async () => {
    const { requests, problems } = await play([cut(delivery, 1), complete("Done."), complete("Done again.")])
    const [good, told = ""] = sentResults(requests[1])
    expect(good).toMatch(/^Created note-1.txt/)
    expect(told).toMatch(/write_to_file was cut off by the output limit after \d+ characters/)
    expect(told).toContain(`after ${CUT.length} characters (the text ends inside a string)`)
    expect(told).toMatch(/nothing was run/i)
    expect(told).toMatch(/less at once|smaller/)
    expect(sentCalls(requests[1])[1]?.function.arguments).toBe('{"path":"b.txt","content":"a very long te"}')
    expect(problems).toEqual([])
  })

  it("A12, S14: the person sees what arrived of it, and that it was cut off; the log keeps the text", async () => {
    const { view, printed, log, files } = await play([cut(delivery, 1), complete("Done."), complete("Done again.")])
    const input = { path: "b.txt", content: "a very long te" }
    expect(rowOf(view)).toMatchObject({ status: "invalid", show: { kind: "malformed", input, unfinished: "content" } })
    const [, ...lines] = printedCall(printed)
    expect(lines).toContainEqual(expect.stringMatching(/^content: "a very long te.*unfinished/))
    expect(lines.join("\n")).toMatch(/cut off/)
    expect(loggedCall(log)).toMatchObject({ malformed: { raw: CUT, offset: CUT.length, cut: true } })
    expect(files).toEqual({ "note-1.txt": "note" })
  })

  it("A12: three in a row pause the task; what was whole has run, and with new words it goes on", async () => {
    const { exit, view, log, files, requests, problems } = await play([
      cut(delivery, 1),
      cut(delivery, 2),
      cut(delivery, 3),
      complete("Done again."),
    ])
    expect(exit).toBe(4)
    expect(view.ending).toMatchObject({
      reason: "limit",
      limit: "cuts",
      message: expect.stringMatching(/3 replies in a row were cut off/),
    })
    expect(startedCalls(log)).toEqual(["1.1", "2.1", "3.1"])
    expect(files).toEqual({ "note-1.txt": "note", "note-2.txt": "note", "note-3.txt": "note" })
    expect(requests).toHaveLength(4) // the last one after the pause
    for (const turn of [1, 2, 3]) expect(sentResults(requests[3], turn)[1]).toContain("was cut off by the output limit")
    expect(problems).toEqual([])
  })
})

it("A12: a whole reply in between starts the count again", async () => {
  const cuts = [1, 2, 3, 4].map((turn) => cut("in deltas", turn))
  const whole = threeCalls('{"path": "b.txt", "content": "B"}', { delivery: "in deltas" })
  const { exit, files } = await play([...cuts.slice(0, 2), whole, ...cuts.slice(2), complete("Done."), complete("Done again.")])
  expect(exit).toBe(0)
  expect(Object.keys(files)).toHaveLength(7)
})

describe("at the output limit", () => {
  it("E11: a call that is whole runs", async () => {
    const { files } = await play(between('{"path": "b.txt", "content": "B"}', { delivery: "in deltas", finish: "length" }))
    expect(files).toEqual({ "before.txt": "before", "b.txt": "B", "after.txt": "after" })
  })

  it("S12: a text that was broken before is told as broken, not as cut", async () => {
    const { requests } = await play(between('{"path": "b.txt", content', { delivery: "in deltas", finish: "length" }))
    const [, told] = sentResults(requests[1])
    expect(told).toContain("not valid JSON: a key in double quotes was expected, got c, at character 18 of 25")
  })
})
