/** Malformed calls to tools under other names: an alias, and a name that no tool has. */
import { describe, expect, it } from "vitest"
import { loggedCall, rowOf, sentCalls, sentResults } from "./evidence.ts"
import { play } from "./play.ts"
import { between, DELIVERIES } from "./replies.ts"

const BROKEN = '{"path": "b.txt", "content": "B"'
const SOUND = `${BROKEN}}`
const FILES = { "before.txt": "before", "after.txt": "after" }

describe.each(DELIVERIES)("%s", (delivery) => {
  it("S6, S8: an alias is told under the name the model used, counted under the tool's own, and sent again as it was", async () => {
    const { requests, log, view, files, problems } = await play(between(BROKEN, { delivery, tool: "write_file" }))
    expect(sentResults(requests[1])[1]).toContain("The arguments of write_file are not valid JSON")
    expect(loggedCall(log).name).toBe("write_file")
    expect(log.find((event) => event.type === "call-finished" && event.callKey === "1.2")).toMatchObject({
      tool: "write_to_file",
    })
    expect(rowOf(view)).toMatchObject({ tool: "write_to_file", show: { tool: "write_file" } })
    expect(sentCalls(requests[1])[1]?.function.name).toBe("write_file")
    expect({ files, problems }).toEqual({ files: FILES, problems: [] })
  })

  it("S6, S8: an alias with whole arguments runs", async () => {
    const { files, log } = await play(between(SOUND, { delivery, tool: "write_file" }))
    expect(files).toEqual({ ...FILES, "b.txt": "B" })
    expect(log.find((event) => event.type === "call-started" && event.callKey === "1.2")).toMatchObject({ tool: "write_to_file" })
  })

  it.each([
    ["whole", SOUND],
    ["broken", BROKEN],
  ])(
    "S8: a tool that does not exist, with %s arguments, is told at once with the name that was probably meant",
    async (_, text) => {
      const { requests, view, files, problems } = await play(between(text, { delivery, tool: "write_to_fill" }))
      const [, told] = sentResults(requests[1])
      expect(told).toMatch(/There is no tool named "write_to_fill"\. Did you mean write_to_file\b/)
      expect(rowOf(view)).toMatchObject({ tool: "write_to_fill", status: "invalid" })
      expect(sentCalls(requests[1])[1]?.function.name).toBe("write_to_fill")
      expect({ files, problems }).toEqual({ files: FILES, problems: [] })
    },
  )
})
