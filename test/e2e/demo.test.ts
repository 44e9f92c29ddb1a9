import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { place } from "./joey.ts"

describe("the embedded default", () => {
  it("S19 S23 S25: repairs the sample project with real tools, without a key, a model or a terminal", async () => {
    const started = performance.now()
    const { code, stdout, stderr } = await place().run([])
    expect(stderr).toBe("")
    expect(code).toBe(0)
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(stdout).toContain("the model is a script")
    for (const step of ["Todo", "Read src/basket.js", "Search ", "Edit src/basket.js", "$ node --test (exit 0)", "Result"]) {
      expect(stdout).toContain(step)
    }
    expect(stdout).toContain("-    sum += count > ENOUGH ? discounted(full) : full")
    expect(stdout).toContain("+    sum += count >= ENOUGH ? discounted(full) : full")
    expect(stdout).toMatch(/node --test says 5 passed, 0 failed/)
    expect(stdout).toContain("To use a real model")
    const [, folder = ""] = /Sample project: (\S+)/.exec(stdout) ?? []
    expect(existsSync(folder)).toBe(true)
  })

  it("takes no arguments and says so", async () => {
    const { code, stderr } = await place().run(["demo", "please"])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "joey: joey demo takes no arguments; it brings its own project and task.\n",
    })
  })
})
