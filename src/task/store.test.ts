/** Where tasks live, and which one is the latest of a workspace. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { LogError } from "./log.ts"
import { createTaskFolder, joeyHome, latestTask, newTaskId } from "./store.ts"

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "joey-store-test-"))
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function task(id: string, workspace: string, more = ""): void {
  writeFileSync(createTaskFolder(home, id).log, `${JSON.stringify({ seq: 1, type: "task-started", workspace })}\n${more}`)
}

describe("home", () => {
  it("is JOEY_HOME, else a folder in the person's home", () => {
    expect(joeyHome({ JOEY_HOME: "/elsewhere" })).toBe("/elsewhere")
    expect(joeyHome({})).toBe(join(homedir(), ".joey"))
    expect(joeyHome({ JOEY_HOME: "" })).toBe(join(homedir(), ".joey"))
  })

  it("has a folder per task that only the person can read", () => {
    const { folder } = createTaskFolder(home, "one")
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(createTaskFolder(home, "one").folder).toBe(folder)
  })

  it("that cannot be written is said in one line with what to do", () => {
    writeFileSync(join(home, "tasks"), "a file")
    expect(() => createTaskFolder(home, "one")).toThrow(LogError)
    expect(() => createTaskFolder(home, "one")).toThrow(/^[^\n]*JOEY_HOME[^\n]*$/)
  })
})

describe("ids", () => {
  it("are different, fit for a folder's name, and sort by age, also within one second", () => {
    const ids = Array.from({ length: 20 }, (_, index) => newTaskId(new Date(1_750_000_000_000 + index)))
    expect(ids.toSorted()).toEqual(ids)
    expect(ids.every((id) => /^[\w-]+$/.test(id))).toBe(true)
    const now = new Date()
    expect(newTaskId(now)).not.toBe(newTaskId(now))
  })
})

describe("the latest task", () => {
  it("is the newest of this very workspace", () => {
    task("20260101-000000-a", "/here")
    task("20260102-000000-b", "/here", '{"torn')
    task("20260103-000000-c", "/elsewhere")
    expect(latestTask(home, "/here")).toBe("20260102-000000-b")
    expect(latestTask(home, "/elsewhere")).toBe("20260103-000000-c")
    expect(latestTask(home, "/nowhere")).toBeUndefined()
  })

  it("passes over folders without a readable log", () => {
    task("20260101-000000-a", "/here")
    mkdirSync(join(home, "tasks", "20260102-000000-b"))
    writeFileSync(join(home, "tasks", "stray.txt"), "")
    for (const [id, text] of [
      ["20260103-000000-c", ""],
      ["20260104-000000-d", '{"seq":1,"type":"task-st'],
      ["20260105-000000-e", "null\n"],
    ] as const) {
      writeFileSync(createTaskFolder(home, id).log, text)
    }
    expect(latestTask(home, "/here")).toBe("20260101-000000-a")
  })

  it("is none where there are no tasks at all", () => {
    expect(latestTask(join(home, "missing"), "/here")).toBeUndefined()
  })
})
