/** A key that a model says is not shown, however its text is cut. */
import { expect, it } from "vitest"
import type { LiveEvent } from "../types/event.ts"
import { hidingLive } from "./hiding-live.ts"

it("hides a held value in text, reasoning and previews, also across pieces", () => {
  const shown: LiveEvent[] = []
  const emit = hidingLive(["sk-secret-1234"], (event) => shown.push(event))
  for (const text of ["the key is sk-sec", "ret-12", "34, really"]) emit({ type: "text", text })
  emit({ type: "reasoning", text: "sk-secret-1234" })
  emit({ type: "draft", callKey: "1", tool: "t", received: 1, show: { kind: "title", text: "Write sk-secret-1234" } })
  expect(JSON.stringify(shown)).not.toContain("sk-secret")
  expect(shown.map((event) => ("text" in event ? event.text : "")).join("")).toContain("the key is [redacted], really")
})

it("without any value nothing is looked at", () => {
  const tell = () => {}
  expect(hidingLive([], tell)).toBe(tell)
})
