import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { CHECKPOINTS, clean, cleaningOnceADay } from "./clean.ts"
import { scene } from "./test-scene.ts"

function tasksOf(root: string, sizes: Record<string, number>): string {
  const tasks = join(root, "tasks")
  for (const [id, total] of Object.entries(sizes)) {
    const folder = join(tasks, id, CHECKPOINTS)
    mkdirSync(join(folder, "objects"), { recursive: true })
    const line = { type: "before", key: id, files: [], total }
    writeFileSync(join(folder, "index.jsonl"), `${JSON.stringify(line)}\n`)
  }
  return tasks
}

describe("cleaning", () => {
  it("deletes the oldest tasks' checkpoints first, only as many as needed, and nothing else of them", async () => {
    const { root } = scene()
    const tasks = tasksOf(root, { "2024-a": 40, "2024-b": 40, "2024-c": 40 })
    writeFileSync(join(tasks, "2024-a", "log.jsonl"), "{}\n")
    expect(await clean({ tasks, bytes: 100 })).toEqual({ tasks: 1, bytes: 40 })
    expect(existsSync(join(tasks, "2024-a", CHECKPOINTS))).toBe(false)
    expect(existsSync(join(tasks, "2024-a", "log.jsonl"))).toBe(true)
    expect(existsSync(join(tasks, "2024-b", CHECKPOINTS))).toBe(true)
    expect(await clean({ tasks, bytes: 100 })).toEqual({ tasks: 0, bytes: 0 })
  })

  it("never takes those of a task that is open, but those of one whose process is gone", async () => {
    const { root } = scene()
    const tasks = tasksOf(root, { "2024-a": 40, "2024-b": 40, "2024-c": 40 })
    writeFileSync(join(tasks, "2024-a", "lock"), JSON.stringify({ pid: process.pid }))
    writeFileSync(join(tasks, "2024-b", "lock"), JSON.stringify({ pid: 2 ** 22 + 1 }))
    expect(await clean({ tasks, bytes: 50 })).toEqual({ tasks: 2, bytes: 80 })
    expect(existsSync(join(tasks, "2024-a", CHECKPOINTS))).toBe(true)
  })

  it("happens once a day, beside the work, and tells once", async () => {
    const { root } = scene()
    const tasks = tasksOf(root, { "2024-a": 2e6, "2024-b": 1e6 })
    const cleaning = cleaningOnceADay({ tasks, bytes: 2.5e6 })
    const told = await vi.waitFor(() => {
      const news = cleaning.news()
      expect(news).toHaveLength(1)
      return news
    })
    expect(told[0]).toContain("those of the 1 oldest task were deleted (2.0 MB)")
    expect(cleaning.news()).toEqual([])
    tasksOf(root, { "2024-c": 9e6 })
    cleaningOnceADay({ tasks, bytes: 1 })
    await new Promise((done) => setTimeout(done, 50))
    expect(existsSync(join(tasks, "2024-c", CHECKPOINTS))).toBe(true)
  })
})
