/** How the list of tasks reads: subtasks below the task that waits for them, copies with what they are copies of. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { finished, recorded, said, started } from "../../../test/sample-task.ts"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import type { DurableEvent } from "../../types/event.ts"
import { tasks } from "./tasks.ts"

type Start = DurableEvent & { type: "task-started" }

async function listed(logs: Record<string, [Partial<Start>, string]>, ...args: string[]): Promise<string[]> {
  const folder = await temporaryFolder({ "home/": "", "work/": "" })
  for (const [id, [origin, words]] of Object.entries(logs)) {
    const start = { ...started(id), ...origin } as Start
    const events = recorded([start, said(words), finished("done", { inputTokens: 1, outputTokens: 1, cost: 0.25 })])
    mkdirSync(join(folder, "home", "tasks", id), { recursive: true })
    writeFileSync(join(folder, "home", "tasks", id, "log.jsonl"), events.map((event) => `${JSON.stringify(event)}\n`).join(""))
  }
  let text = ""
  const fake: NodeJS.Process = Object.create(process, {
    env: { value: { JOEY_HOME: join(folder, "home") } },
    cwd: { value: () => join(folder, "work") },
    stdout: { value: { write: (words: string) => (text += words) } },
  })
  expect(await tasks(["--all", ...args], fake)).toBe(0)
  return text.trimEnd().split("\n")
}

const FAMILY: Parameters<typeof listed>[0] = {
  "1": [{}, "the whole"],
  "2": [{ parent: { task: "1", callKey: "1.1" } }, "a part"],
  "3": [{ parent: { task: "2", callKey: "1.1" }, mode: "ask" }, "a part of the part"],
  "4": [{ forkedFrom: { task: "1", seq: 2 } }, "the whole, otherwise"],
}

it("subtasks stand below the one that waits for them, and a copy says of what", async () => {
  const lines = await listed(FAMILY)
  expect(lines.map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "WHEN"))).toEqual([
    "4  WHEN  $0.2500  accepted  code · sample/model",
    "  the whole, otherwise",
    "  /home/someone/shop",
    "  a copy of 1",
    "1  WHEN  $0.2500  accepted  code · sample/model",
    "  the whole",
    "  /home/someone/shop",
    "  └ 2  $0.2500  accepted  code  a part",
    "    └ 3  $0.2500  accepted  ask  a part of the part",
  ])
})

it("words of a subtask are found, and the way to it is shown", async () => {
  const lines = await listed(FAMILY, "of the part")
  expect(lines.filter((line) => line.includes("└"))).toHaveLength(2)
  expect(lines.join("\n")).not.toContain("otherwise")
})

it("a machine gets them nested", async () => {
  const [line = ""] = await listed(FAMILY, "--output-format", "json")
  expect(JSON.parse(line)).toMatchObject({
    tasks: [
      { id: "4", forkedFrom: { task: "1" } },
      { id: "1", subtasks: [{ id: "2", subtasks: [{ id: "3" }] }] },
    ],
  })
})
