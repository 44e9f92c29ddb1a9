/** One writer per task: a living owner keeps it, a dead one loses it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { lockTask, TaskBusyError } from "./lock.ts"
import { LogError } from "./log.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-lock-test-"))
  path = join(folder, "lock")
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Its lock, as a living process would have written it. */
async function lockOfAnother(): Promise<{ text: string; pid: number; die(): Promise<void> }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  await once(child, "spawn")
  const pid = child.pid ?? 0
  const stat = existsSync("/proc") ? readFileSync(`/proc/${pid}/stat`, "utf8") : ""
  const born = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
  return {
    pid,
    text: JSON.stringify({ pid, born }),
    async die() {
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
    },
  }
}

it("is held by one, refused to a second, and free after release", () => {
  const release = lockTask(path, "task-1")
  expect(() => lockTask(path, "task-1")).toThrow(TaskBusyError)
  expect(() => lockTask(path, "task-1")).toThrow(/task-1.*\d+/)
  release()
  expect(existsSync(path)).toBe(false)
  lockTask(path, "task-1")()
  expect(readdirSync(folder)).toEqual([])
})

it("is refused while another process that holds it lives, and taken over when that was killed", async () => {
  const other = await lockOfAnother()
  try {
    writeFileSync(path, other.text)
    expect(() => lockTask(path, "task-1")).toThrow(new RegExp(String(other.pid)))
    expect(readFileSync(path, "utf8")).toBe(other.text)
  } finally {
    await other.die()
  }
  const release = lockTask(path, "task-1")
  expect(readFileSync(path, "utf8")).toContain(String(process.pid))
  release()
  expect(readdirSync(folder)).toEqual([])
})

it("is taken over from a dead process whose number was given to another", () => {
  writeFileSync(path, JSON.stringify({ pid: process.pid, born: "1" }))
  lockTask(path, "task-1")()
  expect(existsSync(path)).toBe(false)
})

it.each(["", "garbage", "{}", '{"pid":-1}', "null"])("is taken over when it names nobody: %j", (text) => {
  writeFileSync(path, text)
  lockTask(path, "task-1")()
  expect(readdirSync(folder)).toEqual([])
})

it("is not removed by one who no longer owns it", () => {
  const release = lockTask(path, "task-1")
  const stolen = JSON.stringify({ pid: 1, born: "" })
  writeFileSync(path, stolen)
  release()
  expect(readFileSync(path, "utf8")).toBe(stolen)
})

it("in a place that cannot be written says so in one line, as a matter of storage", () => {
  expect(() => lockTask(join(folder, "missing", "lock"), "task-1")).toThrow(LogError)
  expect(() => lockTask(join(folder, "missing", "lock"), "task-1")).toThrow(/^[^\n]*missing[^\n]*$/)
})
