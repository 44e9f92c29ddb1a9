/** Large texts beside the log: taken out when an event is written, put back when it is read. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import type { DurableEvent } from "../types/event.ts"
import type { Content } from "../types/message.ts"
import { LARGE } from "./blobs.ts"
import { openLog, readLog } from "./log.ts"

const LONG = "é 😀 word ".repeat(LARGE / 8)
const IMAGE = "QUJD".repeat(LARGE / 2)

function place(): { path: string; blobs(): string[]; blob(name?: string): string } {
  const folder = mkdtempSync(join(tmpdir(), "joey-blobs-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const blobs = () => readdirSync(join(folder, "blobs"))
  return { path: join(folder, "log.jsonl"), blobs, blob: (name = blobs()[0] ?? "") => join(folder, "blobs", name) }
}

function append(path: string, ...events: DurableEvent[]) {
  const { log } = openLog(path)
  const recorded = events.map((event) => log.append(event))
  log.close()
  return recorded
}

const result = (...content: Content[]): DurableEvent => ({
  type: "call-finished",
  callKey: "1.1",
  tool: "look",
  result: "done",
  content,
  show: { kind: "command", command: "x", output: LONG },
})
const text = (words: string): Content => ({ type: "text", text: words })
const image: Content = { type: "image", mediaType: "image/png", data: IMAGE }

it("a large result stands in a file named by its hash, once, and is read back as it was", () => {
  const { path, blobs, blob } = place()
  const recorded = append(path, result(text("short"), text(LONG), image), result(text(LONG)))
  expect(recorded[0]).toMatchObject({ content: [text("short"), text(LONG), image] })
  expect(statSync(path).size).toBeLessThan(2_000)
  expect(blobs()).toHaveLength(2)
  expect(blobs().every((name) => /^[0-9a-f]{64}$/.test(name))).toBe(true)
  expect(
    blobs()
      .map((name) => readFileSync(blob(name), "utf8"))
      .toSorted(),
  ).toEqual([IMAGE, LONG].toSorted())
  expect(readLog(path)).toMatchObject({ events: recorded, missing: 0 })
  expect(JSON.stringify(openLog(path).events)).not.toContain('"blobs"')
})

it("only the person who works can read it", () => {
  const { path, blob } = place()
  append(path, result(text(LONG)))
  expect(statSync(blob()).mode & 0o777).toBe(0o600)
})

it("words of the person stay in their line, their images do not", () => {
  const { path, blobs } = place()
  const recorded = append(path, { type: "said", by: "person", content: [text(LONG), image] })
  expect(readFileSync(path, "utf8")).toContain(JSON.stringify(LONG))
  expect(blobs()).toHaveLength(1)
  expect(readLog(path).events).toEqual(recorded)
})

it("small events, and what the model wrote, stay in their line", () => {
  const { path, blobs } = place()
  const message = { role: "assistant", parts: [{ type: "text", text: LONG }], model: "m" } as const
  append(
    path,
    { type: "notice", text: "small" },
    { type: "replied", turn: 1, message: { ...message, parts: [...message.parts] }, end: "stop" },
  )
  expect(blobs).toThrow(/ENOENT/)
  expect(readFileSync(path, "utf8")).toContain(JSON.stringify(LONG))
})

it("a text with half a character stays in its line, where it survives", () => {
  const { path } = place()
  const half = `${LONG}\ud83d`
  const recorded = append(path, { type: "notice", text: half })
  expect(readLog(path).events).toEqual(recorded)
})

it("a missing or shortened file is told in its place, an image as text, and nothing else is lost", () => {
  const { path, blobs, blob } = place()
  append(path, result(text(LONG), image))
  for (const name of blobs()) writeFileSync(blob(name), "half")
  const { events, missing } = readLog(path)
  expect(missing).toBe(3)
  expect(events[0]).toMatchObject({
    content: [
      { type: "text", text: expect.stringMatching(/text of \d+ bytes is gone: the file blobs\/[0-9a-f]{64}/) },
      { type: "text", text: expect.stringMatching(/image of \d+ bytes is gone/) },
    ],
    show: { kind: "command", command: "x", output: expect.stringContaining("is gone") },
  })
})

it.each([
  ["a name that leads elsewhere", { at: ["text"], sha256: "../../secret", bytes: 1 }],
  ["a way that is not there", { at: ["content", 9, "text"], sha256: "a".repeat(64), bytes: 1 }],
  ["a way into what all objects have", { at: ["__proto__", "polluted"], sha256: "a".repeat(64), bytes: 1 }],
  ["no reference at all", null],
])("a reference that cannot be meant changes nothing: %s", (_, reference) => {
  const { path } = place()
  writeFileSync(path, `${JSON.stringify({ seq: 1, at: "2026", type: "notice", text: "x", blobs: [reference] })}\n`)
  expect(readLog(path).events).toEqual([{ seq: 1, at: "2026", type: "notice", text: "x" }])
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
})

it("is written anew when a killed process left half of it", () => {
  const { path, blob } = place()
  append(path, result(text(LONG)))
  writeFileSync(blob(), "half")
  append(path, result(text(LONG)))
  expect(readFileSync(blob(), "utf8")).toBe(LONG)
})
