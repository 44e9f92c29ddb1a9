import { describe, expect, it } from "vitest"
import { finished, recorded, said, started, turn } from "../../test/sample-task.ts"
import { LogError } from "../task/log.ts"
import type { Recorded } from "../types/event.ts"
import { exportTask } from "./export-task.ts"
import { redactEvents } from "./redact-events.ts"

const USAGE = { inputTokens: 10, outputTokens: 2 }
const made = { key: "1.1", name: "jot", input: { path: "a" }, says: "written" }
const events = recorded([started(), said("Repair it"), ...turn(1, "I will.", made, USAGE), finished("ok", USAGE)])

describe("an export", () => {
  it("as JSON has everything, in a form with a number", () => {
    expect(JSON.parse(exportTask({ events }, "json"))).toMatchObject({
      v: 1,
      type: "task",
      title: "Repair it",
      usage: USAGE,
      entries: [
        { kind: "said" },
        {
          kind: "reply",
          turn: 1,
          usage: USAGE,
          parts: [{ type: "text" }, { type: "call", input: { path: "a" }, status: "done" }],
        },
        { kind: "ending" },
      ],
    })
  })

  it("as Markdown reads from top to bottom", () => {
    const text = exportTask({ events }, "md")
    expect(text).toMatch(
      /^# Repair it\n.*## You\n\n> Repair it\n.*## Turn 1 · 10 in · 2 out.*\n\nI will\.\n.*<summary>✓ jot a<\/summary>.*written.*Done/s,
    )
  })

  it("of a log that holds no task, or events of no known shape, is refused in one line", () => {
    const broken = [...events.slice(0, 2), { seq: 3, at: "", type: "replied" } as Recorded]
    for (const wrong of [[], events.slice(1), broken]) {
      expect(() => exportTask({ events: wrong }, "html")).toThrow(LogError)
      expect(() => exportTask({ events: wrong }, "html")).toThrow(/^The task's log .* It was left as it is\.$/)
    }
  })

  it("of a log with events nobody knows leaves them out", () => {
    const future = { seq: 99, at: "2026-03-01T12:00:00.000Z", type: "invented-later" } as unknown as Recorded
    expect(exportTask({ events: [...events, future] }, "md")).toContain("I will.")
  })
})

describe("events without secrets", () => {
  it("are the same where there are none", () => expect(redactEvents(events, [])).toEqual(events))

  it("stay events, also when a key ends in a backslash", () => {
    const key = "meadow-and-brook\\"
    const [event] = redactEvents(recorded([said(`it is ${key}" said he`)]), [key])
    expect(event).toMatchObject({ type: "said" })
    expect(JSON.stringify(event)).not.toContain("meadow")
  })
})
