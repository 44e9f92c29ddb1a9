/** `joey doctor` through the built command. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { place } from "./joey.ts"

describe("joey doctor", () => {
  it("says one line for each thing, names of keys and never keys, and fails only for what is needed", async () => {
    const here = place()
    const { code, stdout, stderr } = await here.run(["doctor"], { env: { OPENROUTER_API_KEY: "sk-or-quiet-meadow-123" } })
    expect([code, stderr]).toEqual([0, ""])
    const lines = stdout.trimEnd().split("\n")
    expect(
      lines.every((line) => /^[✓✗] \S/.test(line)),
      stdout,
    ).toBe(true)
    for (const name of ["Node", "Joey's folder", "Model", "ripgrep", "git", "Terminals", "SQLite", "Sandbox", "Browser"]) {
      expect(
        lines.filter((line) => line.slice(2).startsWith(name)),
        name,
      ).toHaveLength(1)
    }
    expect(stdout).toContain("keys in OPENROUTER_API_KEY")
    expect(stdout).not.toContain("quiet-meadow")
  })

  it("says what is wrong and how to mend it, and is read by scripts", async () => {
    const here = place({ ".joey/settings.json": '{ "nonsense": 1, "shell": "/bin/evil" }' })
    const { code, stdout } = await here.run(["doctor", "--output-format", "json"], { env: { JOEY_BROWSER: "/no/such" } })
    const { checks } = JSON.parse(stdout)
    const byName = Object.fromEntries(checks.map((check: { name: string }) => [check.name, check]))
    expect(code).toBe(0)
    expect(byName.Browser).toMatchObject({
      ok: false,
      words: "JOEY_BROWSER is /no/such, which is not the full path of a program.",
    })
    expect(byName.Settings.ok).toBe(false)
  })

  it("fails where Joey's folder cannot be written", async () => {
    const here = place()
    mkdirSync(here.home)
    writeFileSync(join(here.home, "file"), "")
    const { code, stdout } = await here.run(["doctor"], { env: { JOEY_HOME: join(here.home, "file", "home") } })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ Joey's folder .* cannot be written/)
  })
})
