import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

describe("habits", () => {
  it("S56: a whole task talks to its model and to nobody else", async () => {
    const model = await startScriptedModel([
      reply(call("write_to_file", { path: "a.txt", content: "x" }), call("execute_command", { command: "cat a.txt" })),
      reply(call("attempt_completion", { result: "Done." })),
    ])
    const here = place()
    const watched = join(here.home, "..", "connections.txt")
    const { code } = await here.run(["--base-url", model.url, "--model", "m", "--yes", "write"], {
      node: ["--import", fileURLToPath(new URL("watch-network.mjs", import.meta.url))],
      env: { WATCH_FILE: watched },
    })
    await model.close()
    expect(code).toBe(0)
    expect(existsSync(watched)).toBe(true)
    const connections = new Set(readFileSync(watched, "utf8").trim().split("\n"))
    expect([...connections]).toEqual([new URL(model.url).host])
  })

  it("S58: one test file can be run by itself", () => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "src/text/truncate.test.ts", "--reporter=json"]
    const report = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    expect(report.testResults.map((file: { name: string }) => file.name)).toEqual([
      expect.stringMatching(/src\/text\/truncate\.test\.ts$/),
    ])
    expect(report.numPassedTests).toBeGreaterThan(0)
  })
})
