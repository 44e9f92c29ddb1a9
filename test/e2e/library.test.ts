/** The engine as a library: the example of the examples folder, as somebody would run it, against a scripted model on a real port. */
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { call, reply, say } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

it("the example talks to a task by commands and events, and leaves its log behind", async () => {
  const model = await startScriptedModel([
    reply(say("Let me look."), call("list_files", { path: "." })),
    reply(call("write_to_file", { path: "no.txt", content: "refused" })),
    reply(call("attempt_completion", { result: "A file and nothing else." })),
  ])
  onTestFinished(() => model.close())
  const { workspace, home, log } = place({ "only.txt": "1\n" })
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [resolve("examples/library/ask.mjs"), model.url, "What is here?"],
    {
      cwd: workspace,
      env: { PATH: process.env["PATH"], JOEY_HOME: home },
    },
  )
  expect(stdout).toContain("Let me look.")
  expect(stdout).toContain("[list_files: done]")
  expect(stdout).toContain("[write_to_file: denied]")
  expect(stdout).toContain("A file and nothing else.")
  expect(log().at(-1)).toMatchObject({ type: "task-finished", ending: { reason: "accepted" } })
  expect(model.problems).toEqual([])
})
