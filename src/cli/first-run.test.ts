/** The first start: what is found, and that a choice is remembered without touching what a person wrote. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { firstRun } from "./first-run.ts"

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-first-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

it("offers a model for each key that is set, and the demo last", async () => {
  const setUp = await firstRun(home(), { ANTHROPIC_API_KEY: "k", UNRELATED: "x" }, async () => 0)
  expect(setUp.found).toContain("ANTHROPIC_API_KEY is set")
  expect(setUp.choices[0]).toMatchObject({ value: expect.stringMatching(/^anthropic\//) })
  expect(setUp.choices.at(-1)).toMatchObject({ value: "", label: "See the demo" })
  expect(JSON.stringify(setUp)).not.toContain('"k"')
})

it("a choice counts at once and is kept, beside what the settings hold already", async () => {
  const folder = home()
  const file = join(folder, "settings.json")
  writeFileSync(file, '{ "mode": "ask" }')
  const env: NodeJS.ProcessEnv = {}
  expect(await (await firstRun(folder, env, async () => 7)).choose("ollama/qwen3")).toBeUndefined()
  expect(env["JOEY_MODEL"]).toBe("ollama/qwen3")
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ mode: "ask", model: "ollama/qwen3" })
})

it("a new settings file is the person's alone; one with comments stays as it is", async () => {
  const fresh = home()
  await (await firstRun(fresh, {}, async () => 0)).choose("a/b")
  expect(statSync(join(fresh, "settings.json")).mode & 0o077).toBe(0)
  const own = home()
  writeFileSync(join(own, "settings.json"), "{ // mine\n}")
  await (await firstRun(own, {}, async () => 0)).choose("a/b")
  expect(readFileSync(join(own, "settings.json"), "utf8")).toBe("{ // mine\n}")
})

it("the demo ends the start with its own code", async () => {
  expect(await (await firstRun(home(), {}, async () => 7)).choose("")).toBe(7)
})
