import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { finished, recorded, said, started, turn } from "../../test/sample-task.ts"
import type { DurableEvent } from "../types/event.ts"
import { taskFiles } from "./store.ts"
import { rootOf, wokenFor } from "./tree.ts"

function homeWith(tasks: Record<string, { parent?: string; ends?: boolean }>): string {
  const home = mkdtempSync(join(tmpdir(), "joey-tree-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [task, { parent, ends }] of Object.entries(tasks)) {
    const { folder, log } = taskFiles(home, task)
    mkdirSync(folder, { recursive: true })
    const start = { ...started(task), ...(parent && { parent: { task: parent, callKey: "1.1" } }) } as DurableEvent
    const end = ends ? [finished("done", { inputTokens: 0, outputTokens: 0 })] : []
    const events = recorded([start, said("go"), ...turn(1, "hm", { key: "1.1", name: "look" }), ...end])
    writeFileSync(log, events.map((event) => `${JSON.stringify(event)}\n`).join(""))
  }
  return home
}

it("the top of a tree is found from any depth, and is the task itself where nobody waits for it or its parent is gone", () => {
  const home = homeWith({ top: {}, middle: { parent: "top" }, bottom: { parent: "middle" }, orphan: { parent: "nobody" } })
  expect(["top", "middle", "bottom", "orphan", "unknown"].map((task) => rootOf(home, task))).toEqual([
    "top",
    "top",
    "top",
    "orphan",
    "unknown",
  ])
})

it("logs that name each other as parents lead nowhere, but not for ever", () => {
  const home = homeWith({ one: { parent: "two" }, two: { parent: "one" }, self: { parent: "self" } })
  expect(["one", "two"]).toContain(rootOf(home, "one"))
  expect(rootOf(home, "self")).toBe("self")
})

it("a subtask whose tree has ended goes on by itself", () => {
  const home = homeWith({ open: {}, child: { parent: "open" }, ended: { ends: true }, left: { parent: "ended" } })
  expect(wokenFor(home, "child")).toBe("open")
  expect(wokenFor(home, "left")).toBe("left")
  expect(wokenFor(home, "open")).toBe("open")
})
