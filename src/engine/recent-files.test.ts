/** Files changed behind the model's back are told once; its own changes are not. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { fingerprint } from "../loop/known-files.ts"
import type { TaskState } from "../types/state.ts"
import { recentFiles } from "./recent-files.ts"

it("tells each change by somebody else once, latest first, and none of the model's own", () => {
  const folder = mkdtempSync(join(tmpdir(), "joey-recent-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [a, b] = [join(folder, "a"), join(folder, "b")]
  for (const path of [a, b]) writeFileSync(path, "one")
  const known = new Map([
    [a, fingerprint("one")],
    [b, fingerprint("one")],
  ])
  const state = { known } as unknown as TaskState
  const recent = recentFiles(folder)
  expect(recent.changed(state)).toEqual([])
  utimesSync(a, 1, 1_000)
  utimesSync(b, 1, 2_000)
  expect(recent.changed(state)).toEqual(["b", "a"])
  expect(recent.changed(state)).toEqual([])
  utimesSync(a, 1, 3_000)
  known.set(a, "2") // the model wrote it, or read it again
  expect(recent.changed(state)).toEqual([])
})

it("tells what somebody changed between two runs of a task", () => {
  const folder = mkdtempSync(join(tmpdir(), "joey-recent-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ["same", "other"]) writeFileSync(join(folder, name), "two")
  const known = new Map([
    [join(folder, "same"), fingerprint("two")],
    [join(folder, "other"), fingerprint("one")],
    [join(folder, "gone"), fingerprint("one")],
  ])
  const recent = recentFiles(folder)
  expect(recent.changed({ known } as unknown as TaskState)).toEqual(["other", "gone"])
  expect(recent.changed({ known } as unknown as TaskState)).toEqual([])
})
