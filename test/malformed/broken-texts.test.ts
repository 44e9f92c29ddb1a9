/** Argument texts that are no JSON object: for each, and for each way it can arrive, what everybody is told and what is kept. */
import { describe, expect, it } from "vitest"
import { brokenTexts, textOf } from "./broken-texts.ts"
import { byName, loggedCall, messagesAgain, printedCall, rowOf, sentCalls, sentResults, startedCalls } from "./evidence.ts"
import { playEach } from "./play.ts"
import { between, DELIVERIES } from "./replies.ts"

describe.each(DELIVERIES)("%s", (delivery) => {
  const watched = delivery === "in deltas"
  const played = playEach(brokenTexts, (scenario) => between(textOf(scenario), { delivery }), { watched })

  describe.each(byName(brokenTexts))("%s", (_, scenario) => {
    const text = textOf(scenario)
    const { before, rest = "", problem, read, unfinished } = scenario

    it("S12, S13: the model is told the tool, the problem, its place, how much arrived, and how to go on", async () => {
      const { requests } = await played(scenario)
      const [, told = ""] = sentResults(requests[1])
      expect(told).toContain("write_to_file")
      expect(told).toContain(problem)
      expect(told).toContain(`character ${before.length} of ${text.length}`)
      expect(told).toMatch(/nothing was run/i)
      expect(told).toMatch(/call it again with one complete JSON object/i)
    })

    it("S3: a draft says at the delta that breaks it, and not before, that it can no longer become a call", async () => {
      const { drafts } = await played(scenario)
      for (const draft of drafts) expect(draft.problem).toBe(draft.received > before.length && rest !== "" ? problem : undefined)
      const deltas = Array.from({ length: Math.ceil(text.length / 12) }, (_, at) => Math.min((at + 1) * 12, text.length))
      if (watched) expect(drafts.map(({ received }) => received)).toEqual([0, ...deltas])
      else expect(drafts.at(-1)?.received).toBe(text.length)
    })

    if (watched)
      it("S3, S14: the passing line of a terminal says so while the call is still being written", async () => {
        const { passed } = await played(scenario)
        const lines = passed.split(/\r\u001b\[K|\n/).filter((line) => line.startsWith("… "))
        expect(lines.some((line) => line.includes(problem.slice(0, 30)))).toBe(rest !== "")
      })

    it("S14: the person sees the tool, what could be read, the unfinished argument marked, and the problem", async () => {
      const { view, replayed, printed } = await played(scenario)
      const row = rowOf(view)
      expect(row).toMatchObject({ tool: "write_to_file", status: "invalid", show: { kind: "malformed", tool: "write_to_file" } })
      expect(row.show).toMatchObject({ problem: expect.stringContaining(problem) })
      expect("input" in row.show && JSON.stringify(row.show.input)).toBe(JSON.stringify(read))
      expect("unfinished" in row.show ? row.show.unfinished : undefined).toBe(unfinished)
      expect(replayed.rows).toEqual(view.rows)
      const [head, ...lines] = printedCall(printed)
      expect(head).toContain("parse error")
      for (const [name, value] of Object.entries(read)) {
        const start = JSON.stringify(value).replace(/["\]}]+$/, "")
        expect(lines).toContainEqual(expect.stringContaining(`${name}: ${start}`))
      }
      const marked = lines.filter((line) => line.includes("unfinished")).map((line) => line.split(":")[0])
      expect(marked).toEqual(unfinished === undefined ? [] : [unfinished])
      expect(lines.join("\n")).toContain(problem)
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    })

    it("S15: the log keeps the text as it came, and a restarted task sends the same history", async () => {
      const { log, requests } = await played(scenario)
      expect(loggedCall(log)).toMatchObject({ name: "write_to_file", malformed: { raw: text, offset: before.length, problem } })
      expect(messagesAgain(requests)).toEqual(requests[1]?.messages)
    })

    it("S5, S17: the next request has an object for the call and exactly one result, and is valid", async () => {
      const { requests, problems } = await played(scenario)
      const calls = sentCalls(requests[1])
      expect(calls.map(({ id }) => id)).toEqual(["first", "second", "third"])
      expect(calls[1]?.function.arguments).toBe(JSON.stringify(read))
      expect(sentResults(requests[1])).toHaveLength(3)
      expect(problems).toEqual([])
    })

    it("S12: the call did not run, the others of the same reply did, and the task went on to its end", async () => {
      const { files, log, exit } = await played(scenario)
      expect(files).toEqual({ "before.txt": "before", "after.txt": "after" })
      expect(startedCalls(log)).toEqual(["1.1", "1.3", "2.1"])
      expect(exit).toBe(0)
    })
  })
})
