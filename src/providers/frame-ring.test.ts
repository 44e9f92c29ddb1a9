/** The last raw bytes of a task: bounded, in order, without secrets on the disk. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { frameRing, keepFrames } from "./frame-ring.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const noon = () => Date.parse("2026-03-01T12:00:00Z")

it("keeps what came, byte by byte, in order, with time and length", () => {
  let now = noon()
  const ring = frameRing(() => now)
  ring.push(bytes("data: one\n\n"))
  now += 5
  ring.push(Uint8Array.of(0xc3))
  ring.push(Uint8Array.of(0xa9, 0xff))
  const expected = [
    "@@ 2026-03-01T12:00:00.000Z, 11 bytes\ndata: one\n\n\n",
    "@@ +5 ms, 1 bytes\n\xc3\n",
    "@@ +5 ms, 2 bytes\n\xa9\xff\n",
  ]
  expect(ring.bytes().toString("latin1")).toBe(expected.join(""))
})

it("lets go of the oldest, by bytes and by number", () => {
  const ring = frameRing(noon)
  for (let index = 0; index < 20_000; index++) ring.push(bytes(`frame ${index}.`))
  expect(ring.bytes().includes("frame 15000.")).toBe(false)
  expect(ring.bytes().includes("frame 19999.")).toBe(true)
  for (let index = 0; index < 100; index++) ring.push(bytes(`${index}`.padEnd(10_000, "x")))
  expect(ring.bytes().length).toBeLessThan(270_000)
  ring.push(bytes("y".repeat(1_000_000)))
  expect(ring.bytes().length).toBeLessThan(270_000)
})

it("is written for the person only, and without the values we hold", () => {
  const folder = mkdtempSync(join(tmpdir(), "joey-frames-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "frames.txt")
  const ring = frameRing(noon)
  keepFrames(ring, path)
  expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
  ring.push(bytes("the key is my-held-secret-value"))
  keepFrames(ring, path, ["my-held-secret-value"])
  expect(readFileSync(path, "utf8")).toContain("the key is ")
  expect(readFileSync(path, "utf8")).not.toContain("my-held-secret-value")
  for (const piece of ["my-held-", "secret-", "wörd"]) ring.push(bytes(`data: {"text":"${piece}"}\n\n`))
  keepFrames(ring, path, ["my-held-secret-value", "my-held-secret-wörd"])
  expect(readFileSync(path, "utf8")).toContain('{"text":"*******"}')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(() => keepFrames(ring, join(folder, "missing", "frames.txt"))).not.toThrow()
})
