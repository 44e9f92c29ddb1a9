/** Argument texts that are JSON although they look odd: those that do not fit the tool are told so, the others run. */
import { describe, expect, it } from "vitest"
import { byName, loggedCall, messagesAgain, printedCall, rowOf, sentCalls, sentResults, startedCalls } from "./evidence.ts"
import { playEach } from "./play.ts"
import { between, DELIVERIES } from "./replies.ts"
import { fitting, misfits } from "./whole-texts.ts"

describe.each(DELIVERIES)("%s", (delivery) => {
  const watched = delivery === "in deltas"
  const playedMisfit = playEach(misfits, ({ text }) => between(text, { delivery }), { watched })
  const playedFitting = playEach(fitting, ({ text }) => between(text, { delivery }), { watched })

  describe.each(byName(misfits))("%s", (_, scenario) => {
    const { text, input, problems } = scenario

    it("S12, S16: the model is told what was expected and what came, each argument as it wrote it", async () => {
      const { requests } = await playedMisfit(scenario)
      const [, told = ""] = sentResults(requests[1])
      expect(told).toMatch(/^write_to_file was not run/)
      for (const problem of problems) expect(told).toContain(problem)
      expect(told).toMatch(/again/)
    })

    it("S14: the person sees the tool, its arguments and every problem; no draft was called broken", async () => {
      const { view, replayed, printed, drafts } = await playedMisfit(scenario)
      const { status, show } = rowOf(view)
      expect(status).toBe("invalid")
      expect(JSON.stringify(show)).toBe(JSON.stringify({ kind: "input", tool: "write_to_file", input }))
      expect(replayed.rows).toEqual(view.rows)
      const shown = printedCall(printed).join("\n")
      for (const part of [...Object.keys(input), ...problems]) expect(shown).toContain(part)
      expect(drafts.at(-1)?.received).toBe(text.length)
      expect(drafts.filter(({ problem }) => problem)).toEqual([])
    })

    it("S17: the log has the arguments, the next request repeats them with one result, before and after a restart", async () => {
      const { log, requests, problems: refused } = await playedMisfit(scenario)
      expect(JSON.stringify(loggedCall(log).input)).toBe(JSON.stringify(input))
      expect(sentCalls(requests[1])[1]?.function.arguments).toBe(JSON.stringify(input))
      expect(sentResults(requests[1])).toHaveLength(3)
      expect(messagesAgain(requests)).toEqual(requests[1]?.messages)
      expect(refused).toEqual([])
    })

    it("S12: the call did not run, the others of the same reply did, and the task went on to its end", async () => {
      const { files, log, exit } = await playedMisfit(scenario)
      expect(files).toEqual({ "before.txt": "before", "after.txt": "after" })
      expect(startedCalls(log)).toEqual(["1.1", "1.3", "2.1"])
      expect(exit).toBe(0)
    })
  })

  describe.each(byName(fitting))("%s", (_, scenario) => {
    const { input, content, sent = input } = scenario

    it("S5: is a call and runs, exactly as it is written", async () => {
      const { files, log, exit } = await playedFitting(scenario)
      expect(files).toEqual({ "before.txt": "before", "b.txt": content, "after.txt": "after" })
      expect(startedCalls(log)).toEqual(["1.1", "1.2", "1.3", "2.1"])
      expect(exit).toBe(0)
    })

    it("S5, S6: is shown, logged and sent again as that call, and nobody calls it broken", async () => {
      const { view, log, requests, problems, drafts } = await playedFitting(scenario)
      expect(rowOf(view)).toMatchObject({ status: "done", show: { kind: "diff", path: "b.txt" } })
      expect(drafts.filter(({ problem }) => problem)).toEqual([])
      expect(JSON.stringify(loggedCall(log))).toBe(JSON.stringify({ key: "1.2", id: "second", name: "write_to_file", input }))
      expect(sentCalls(requests[1])[1]?.function.arguments).toBe(JSON.stringify(sent))
      expect(messagesAgain(requests)).toEqual(requests[1]?.messages)
      expect(problems).toEqual([])
    })
  })
})
