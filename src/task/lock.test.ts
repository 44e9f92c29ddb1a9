/** One writer per task: a living owner keeps it, a dead one loses it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { afterEach, beforeEach, expect, it } from "vitest"
import { lockTask, ownerOf, TaskBusyError } from "./lock.ts"
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

it("names its owner as long as it is held", () => {
  expect(ownerOf(path)).toBeUndefined()
  const release = lockTask(path, "task-1")
  expect(ownerOf(path)?.pid).toBe(process.pid)
  release()
  expect(ownerOf(path)).toBeUndefined()
  writeFileSync(path, JSON.stringify({ pid: process.pid, born: "1", id: "dead" }))
  expect(ownerOf(path)).toBeUndefined()
})

it("is taken over from one who was killed while taking over", () => {
  writeFileSync(path, JSON.stringify({ pid: process.pid, born: "1", id: "first" }))
  writeFileSync(`${path}.after-first`, JSON.stringify({ pid: process.pid, born: "1", id: "second" }))
  writeFileSync(`${path}.after-second`, JSON.stringify({ pid: process.pid, born: "1", id: "third" }))
  const release = lockTask(path, "task-1")
  expect(ownerOf(path)?.pid).toBe(process.pid)
  expect(readdirSync(folder)).toEqual(["lock"])
  release()
  expect(readdirSync(folder)).toEqual([])
})

it("belongs to one who is just taking over", () => {
  const { pid } = process
  writeFileSync(path, JSON.stringify({ pid, born: "1", id: "first" }))
  writeFileSync(`${path}.after-first`, JSON.stringify({ pid, born: "", id: "second" }))
  expect(() => lockTask(path, "task-1")).toThrow(TaskBusyError)
})

it("of a dead owner goes to exactly one of many who want it at the same time", async () => {
  const rounds = 40
  for (let round = 0; round < rounds; round++)
    writeFileSync(`${path}-${round}`, JSON.stringify({ pid: process.pid, born: "1", id: "dead" }))
  const script = join(folder, "grab.mjs")
  const contents = GRAB.replace("ROUNDS", String(rounds))
  const stdin = { contents, resolveDir: import.meta.dirname, loader: "ts" } as const
  buildSync({ stdin, bundle: true, platform: "node", format: "esm", outfile: script })
  const children = [1, 2, 3, 4].map(() => spawn(process.execPath, [script, path], { stdio: ["pipe", "pipe", "inherit"] }))
  const wins = await Promise.all(children.map(async ({ stdout }) => JSON.parse(String((await once(stdout, "data"))[0]))))
  for (const { stdin } of children) stdin.end()
  expect(wins.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: rounds }, (_, round) => round))
})

/** Holds what it got until everybody has tried. */
const GRAB = `
import { lockTask } from "./lock.ts"
const won = []
for (let round = 0; round < ROUNDS; round++) {
  try {
    lockTask(process.argv[2] + "-" + round, "task")
    won.push(round)
  } catch {}
}
process.stdout.write(JSON.stringify(won))
process.stdin.resume()
`
