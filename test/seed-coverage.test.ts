/** The list of points and the page made from it, from a results file of the shape vitest writes. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const project = join(import.meta.dirname, "..")
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-seeds-test-"))
  cpSync(join(project, "scripts/seeds.mjs"), join(folder, "scripts/seeds.mjs"))
  cpSync(join(project, "docs/seed-points.json"), join(folder, "docs/seed-points.json"))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe("seed coverage", () => {
  it("lists each of the sixty points once, in order", () => {
    const sections: unknown = JSON.parse(readFileSync(join(project, "docs/seed-points.json"), "utf8"))
    const numbers = [...JSON.stringify(sections).matchAll(/"(S\d+)":/g)].map((match) => match[1])
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, index) => `S${index + 1}`))
  })

  it("counts a point as passed, failed or open by the tests that name it, ranges and lists included", () => {
    const page = coverage([
      ["S1–S3: a range", "passed"],
      ["S4, S5: a list", "passed"],
      ["S5: broken", "failed"],
      ["S6: left out", "skipped"],
      ["ES2023 is not a point, nor is S99", "passed"],
    ])
    const state = (number: string) => new RegExp(`^\\| ${number} \\|.*\\| (\\w+) \\| \\d* \\|$`, "m").exec(page)?.[1]
    expect(["S1", "S2", "S3", "S4", "S5", "S6", "S20"].map(state)).toEqual([
      "passed",
      "passed",
      "passed",
      "passed",
      "failed",
      "open",
      "open",
    ])
    expect(page).toContain("60 points, 4 passed, 1 failed, 55 open")
    expect(page).toContain("- `src/a.test.ts`: FAILED: S5: broken · S4, S5: a list")
  })

  it("takes a number from a describe around the test as well", () => {
    const page = coverage([["S8 aliases > resolve", "passed"]])
    expect(page).toMatch(/^\| S8 \|.*\| passed \| 1 \|$/m)
    expect(page).toContain("- `src/a.test.ts`: resolve")
  })

  it("writes the same bytes for the same results and names no place on this machine", () => {
    const tests: [string, string][] = [
      ["S1: b", "passed"],
      ["S1: a", "passed"],
    ]
    const page = coverage(tests)
    expect(coverage([...tests].reverse())).toBe(page)
    expect(page).not.toContain(folder)
  })
})

function coverage(tests: [string, string][]): string {
  const assertionResults = tests.map(([fullName, status]) => ({ fullName, title: fullName.split(" > ").at(-1), status }))
  const results = { testResults: [{ name: join(folder, "src/a.test.ts"), assertionResults }] }
  writeFileSync(join(folder, "results.json"), JSON.stringify(results))
  const run = spawnSync(process.execPath, ["scripts/seeds.mjs", "results.json"], { cwd: folder, encoding: "utf8" })
  expect(run.stderr).toBe("")
  return readFileSync(join(folder, "docs/seed-coverage.md"), "utf8")
}
