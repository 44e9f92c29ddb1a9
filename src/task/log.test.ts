/** The journal: written before it returns, whole lines only, and never touched when it is damaged. */
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type DurableEvent, LOG_VERSION } from "../types/event.ts"
import { LogError, type OpenedLog, openLog } from "./log.ts"

let folder: string
let path: string
const opened: OpenedLog[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-log-test-"))
  path = join(folder, "log.jsonl")
})

afterEach(() => {
  for (const { log } of opened.splice(0)) log.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(): OpenedLog {
  const log = openLog(path)
  opened.push(log)
  return log
}

const notice = (text: string): DurableEvent => ({ type: "notice", text })
const started = (version: number): string =>
  `${JSON.stringify({ seq: 1, at: "2026-01-01T00:00:00.000Z", type: "task-started", version, task: "t", workspace: "/w", mode: "code", model: "m", protocol: "native" })}\n`

describe("writing", () => {
  it("numbers events from 1 and has them in the file, one line each, when it returns", () => {
    const { log, events, torn } = open()
    expect({ events, torn, lastSeq: log.lastSeq }).toEqual({ events: [], torn: false, lastSeq: 0 })
    const first = log.append(notice("one\ntwo"))
    expect(first).toMatchObject({ seq: 1, type: "notice", text: "one\ntwo", at: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(first)}\n`)
    log.append(notice("é 😀"))
    expect(log.lastSeq).toBe(2)
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(3)
  })

  it("goes on numbering where the file ends", () => {
    open().log.append(notice("one"))
    const again = open()
    expect(again.events).toMatchObject([{ seq: 1, text: "one" }])
    expect(again.log.append(notice("two")).seq).toBe(2)
  })

  it("reads everything after a number, also while it is written", async () => {
    const { log } = open()
    for (const text of ["one", "two", "three"]) log.append(notice(text))
    expect(log.read(1).map((event) => event.type === "notice" && event.text)).toEqual(["two", "three"])
    expect(log.read(3)).toEqual([])
    await log.sync()
    log.append(notice("four"))
    expect(log.read(3)).toHaveLength(1)
  })

  it("can be closed twice, and synced after it was closed", async () => {
    const { log } = open()
    log.append(notice("one"))
    log.close()
    log.close()
    await expect(log.sync()).resolves.toBeUndefined()
  })
})

describe("a torn last line", () => {
  it.each([
    ["half an event", '{"seq":3,"at":"2026'],
    ["a whole event without its line end", '{"seq":3,"at":"2026","type":"notice","text":"three"}'],
    ["half a character", Buffer.from('{"seq":3,"text":"é').subarray(0, -1)],
    ["zeros from a power failure", "\0\0\0\0"],
  ])("is dropped and said so: %s", (_, tail) => {
    const { log } = open()
    log.append(notice("one é"))
    log.append(notice("two"))
    log.close()
    const whole = readFileSync(path)
    appendFileSync(path, tail)
    const again = open()
    expect(again.torn).toBe(true)
    expect(again.events.map(({ seq }) => seq)).toEqual([1, 2])
    expect(readFileSync(path)).toEqual(whole)
    expect(again.log.append(notice("three")).seq).toBe(3)
    expect(open().events).toHaveLength(3)
  })

  it("of an empty log leaves an empty log", () => {
    writeFileSync(path, '{"seq":1')
    const { events, torn, log } = open()
    expect({ events, torn, lastSeq: log.lastSeq }).toEqual({ events: [], torn: true, lastSeq: 0 })
  })
})

describe("damage", () => {
  it.each(['{"seq":2,"at', "garbage", "", "null", "5", '"text"', "[]"])(
    "a damaged line before the last is reported with its number, and nothing is touched: %j",
    (line) => {
      const text = `${started(LOG_VERSION)}${line}\n{"seq":3,"at":"2026","type":"notice","text":"x"}\n{"torn`
      writeFileSync(path, text)
      expect(() => openLog(path)).toThrow(LogError)
      expect(() => openLog(path)).toThrow(/damaged at line 2.*log\.jsonl/)
      expect(readFileSync(path, "utf8")).toBe(text)
    },
  )

  it("a log of a newer version is not opened, and says what to do", () => {
    const text = `${started(LOG_VERSION + 1)}{"torn`
    writeFileSync(path, text)
    expect(() => openLog(path)).toThrow(LogError)
    expect(() => openLog(path)).toThrow(/newer.*[Uu]pdate/)
    expect(readFileSync(path, "utf8")).toBe(text)
  })

  it("a place that cannot be read or written is reported in one line", () => {
    mkdirSync(path)
    expect(() => openLog(path)).toThrow(LogError)
    expect(() => openLog(join(folder, "missing", "log.jsonl"))).toThrow(LogError)
    expect(() => openLog(join(folder, "missing", "log.jsonl"))).toThrow(/^[^\n]*missing[^\n]*$/)
  })
})

describe("a full disk", () => {
  it("takes half a line back, says what to do, and goes on when there is room again", () => {
    const script = join(folder, "fill.mjs")
    const bundled = buildSync({
      stdin: { contents: FILL, resolveDir: import.meta.dirname, loader: "ts" },
      bundle: true,
      platform: "node",
      format: "esm",
      write: false,
    })
    writeFileSync(script, bundled.outputFiles[0]?.text ?? "")
    // A file may not grow beyond 8 blocks: to the process that is a disk that is full in the middle of a line.
    const output = execFileSync("sh", ["-c", `ulimit -f 8; exec "${process.execPath}" "${script}" "${path}"`], {
      encoding: "utf8",
    })
    const { name, kind, message, wrote, lastSeq } = JSON.parse(output)
    expect({ name, kind }).toEqual({ name: "LogError", kind: "storage" })
    expect(message).toMatch(/cannot be written.*log\.jsonl.*continue the task/)
    expect(wrote).toBeGreaterThan(5)
    expect(lastSeq).toBe(wrote)
    const { events, torn, log } = open()
    expect(torn).toBe(false)
    expect(events).toHaveLength(wrote)
    expect(log.append(notice("there is room again")).seq).toBe(wrote + 1)
  })
})

const FILL = `
import { openLog } from "./log.ts"
const { log } = openLog(process.argv[2])
let wrote = 0
try {
  for (; wrote < 1000; wrote++) log.append({ type: "notice", text: "word ".repeat(20) })
} catch ({ name, message, fault }) {
  process.stdout.write(JSON.stringify({ name, message, kind: fault?.kind, wrote, lastSeq: log.lastSeq }))
}
`
