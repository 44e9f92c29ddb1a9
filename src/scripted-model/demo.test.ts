import { execFile } from "node:child_process"
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ChatMessage } from "./chat-request.ts"
import { demoProjectFolder, demoScenario, demoTask } from "./demo.ts"
import { startScriptedModel } from "./server.ts"
import { assemble, send } from "./test-client.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "joey-demo-"))
  await cp(demoProjectFolder(), folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

type Tools = Record<string, (input: Record<string, string>) => Promise<string> | string>

/** The least that can stand in for real tools: they touch real files and start a real process. */
const tools: Tools = {
  update_todo_list: () => "The list is updated.",
  read_file: async ({ path = "" }) => {
    const lines = (await readFile(join(folder, path), "utf8")).split("\n")
    return lines.map((line, index) => `${String(index + 1).padStart(3)} | ${line}`).join("\n")
  },
  search_files: async ({ regex = "" }) => {
    const lines = (await readFile(join(folder, "README.md"), "utf8")).split("\n")
    return lines.filter((line) => new RegExp(regex).test(line)).join("\n")
  },
  apply_diff: async ({ path = "", diff = "" }) => {
    const block = /^<<<<<<< SEARCH\n:start_line:(\d+)\n-------\n(.*)\n=======\n(.*)\n>>>>>>> REPLACE$/s.exec(diff)
    const lines = (await readFile(join(folder, path), "utf8")).split("\n")
    if (!block || lines[Number(block[1]) - 1] !== block[2]) return "The block does not match."
    lines.splice(Number(block[1]) - 1, 1, String(block[3]))
    await writeFile(join(folder, path), lines.join("\n"))
    return "1 block applied."
  },
  execute_command: ({ command = "" }) =>
    new Promise((resolve) => {
      execFile("/bin/sh", ["-c", command], { cwd: folder }, (_, stdout, stderr) => resolve(stdout + stderr))
    }),
  attempt_completion: () => "Accepted.",
}

const SCRIPT = [
  "update_todo_list",
  "read_file",
  "search_files",
  "apply_diff",
  "execute_command",
  "update_todo_list",
  "attempt_completion",
]

interface Run {
  /** Names of the calls, in order. */
  called: string[]
  todos: string[]
  /** What attempt_completion said, if it came to that. */
  completed?: string
  /** Plain words that ended the run, if it came to that. */
  said?: string
  problems: readonly string[]
  /** How long the script itself took its time. */
  pacedMs: number
}

/** A small loop over a real socket, until the model completes or answers with words alone. */
async function runDemo(available: Tools = tools): Promise<Run> {
  const model = await startScriptedModel(demoScenario)
  const messages: ChatMessage[] = [{ role: "user", content: demoTask }]
  const run: Run = { called: [], todos: [], problems: model.problems, pacedMs: 0 }
  while (run.completed === undefined && run.said === undefined && run.called.length < 20) {
    const { text, calls, deltas } = assemble(
      (await send(`${model.url}/chat/completions`, { model: "demo", messages, stream: true })).text,
    )
    run.pacedMs += deltas * (demoScenario({ model: "demo", messages }).pace ?? 0)
    if (calls.length === 0) run.said = text
    const tool_calls = calls.map(({ id, ...called }) => ({ id, type: "function" as const, function: called }))
    messages.push({ role: "assistant", content: text || null, tool_calls })
    for (const { id, name, arguments: written } of calls) {
      const input = JSON.parse(written)
      run.called.push(name)
      if (name === "update_todo_list") run.todos.push(input.todos)
      if (name === "attempt_completion") run.completed = input.result
      messages.push({ role: "tool", tool_call_id: id, content: (await available[name]?.(input)) ?? "There is no such tool." })
    }
  }
  await model.close()
  return run
}

describe("the sample project", () => {
  it("has exactly one failing test before the repair", async () => {
    const output = await tools.execute_command?.({ command: "node --test" })
    expect(output).toMatch(/[#ℹ] pass 4\b/)
    expect(output).toMatch(/[#ℹ] fail 1\b/)
    expect(output).toMatch(/not ok .*three of a kind cost a tenth less|✖ three of a kind cost a tenth less/)
  })
})

describe("the demo's script", () => {
  it("repairs the sample project with real files and a real test run", async () => {
    const run = await runDemo()
    expect(run.problems).toEqual([])
    expect(run.called).toEqual(SCRIPT)
    expect(run.completed).toContain("5 passing tests")
    expect(await readFile(join(folder, "src/basket.js"), "utf8")).toContain("count >= ENOUGH")
    expect(run.todos[0]).toMatch(/^- \[-\] .*(\n- \[ \] .*){3}$/)
    expect(run.todos[1]).toMatch(/^- \[x\] .*(\n- \[x\] .*){3}$/)
    expect(run.pacedMs).toBeLessThan(1000)
  })

  it("says so instead of completing when the tests still fail", async () => {
    const run = await runDemo({ ...tools, apply_diff: () => "The person said no." })
    expect(run.completed).toBeUndefined()
    expect(run.said).toMatch(/I stop here: I needed a test run without failures/)
    expect(run.said).toContain("fail 1")
  })

  it("does not take a run without tests, or a refused one, for success", () => {
    const tested = (output: string) => answer(["ok", "12 | count > ENOUGH", "three or more of a kind", "applied", output])
    expect(tested("# tests 5\n# pass 5\n# fail 0\n")).not.toContain("I stop here")
    expect(tested("\u001b[34mℹ pass 5\u001b[39m\n\u001b[34mℹ fail 0\u001b[39m\n")).not.toContain("I stop here")
    for (const output of ["# tests 0\n# pass 0\n# fail 0", "# pass 4\n# fail 1", "Denied by the person.", "", "exit code 0"]) {
      expect(tested(output), output).toContain("I stop here")
    }
  })

  it("stops when a file or the rule is not what it knows, and shows what came instead", () => {
    expect(answer(["ok", "There is no such file."])).toContain("There is no such file.")
    expect(answer(["ok", "12 | count > ENOUGH", "No matches."])).toContain("No matches.")
  })

  it("stays where it stopped when it is asked again, and is over after its last step", () => {
    expect(answer(["ok", "nothing"], "Go on.")).toBe(answer(["ok", "nothing"]))
    expect(answer(["1", "2", "3", "4", "5", "6", "7"])).toContain("script of this model is over")
  })
})

/** The script's next reply, as text, once these results have come back. */
function answer(results: string[], words?: string): string {
  const messages = results.flatMap((content, index): ChatMessage[] => {
    const id = String(index)
    const called = { name: SCRIPT[index] ?? "", arguments: "{}" }
    return [
      { role: "assistant", tool_calls: [{ id, type: "function", function: called }] },
      { role: "tool", tool_call_id: id, content },
    ]
  })
  if (words !== undefined) messages.push({ role: "user", content: words })
  return JSON.stringify(demoScenario({ model: "demo", messages }))
}
