import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { part, ran, recorded, replied, said, started } from "../../../test/sample-task.ts"
import { temporaryFolder } from "../../host/temporary-folder.ts"
import type { DurableEvent } from "../../types/event.ts"
import { UsageError } from "../arguments.ts"
import { context } from "./context.ts"

const TASK = "20260301-120000000-abcdef"
const look = { key: "1.1", name: "read_file", input: { path: "src/a.ts" }, says: "word ".repeat(3_000) }

async function show(args: string[], settings = "{}"): Promise<{ code: number; text: string }> {
  const folder = await temporaryFolder({ "home/settings.json": settings, "work/": "" })
  const events: DurableEvent[] = [
    started(TASK, join(folder, "work")),
    said("Port the parser."),
    ...replied(1, [part(look)], { inputTokens: 6_000, outputTokens: 50 }),
    ...ran(look),
    { type: "pinned", item: "1.1", pinned: true },
  ]
  mkdirSync(join(folder, "home", "tasks", TASK), { recursive: true })
  const lines = recorded(events).map((event) => JSON.stringify(event))
  writeFileSync(join(folder, "home", "tasks", TASK, "log.jsonl"), `${lines.join("\n")}\n`)
  let text = ""
  const fake: NodeJS.Process = Object.create(process, {
    env: { value: { JOEY_HOME: join(folder, "home") } },
    cwd: { value: () => join(folder, "work") },
    stdout: { value: { write: (words: string) => (text += words), columns: 90 } },
  })
  return { code: await context(args, fake), text }
}

it("draws what fills the window of this folder's latest task, and lists it with numbers", async () => {
  const { code, text } = await show([], '{ "models": { "model": { "window": 50000, "output": 4000 } } }')
  expect(code).toBe(0)
  expect(text).toMatch(/^sample\/model: \d+\.\dk of 50\.0k tokens, shortened at \d\d\.\dk\n {2}█+▓+.*·+-+\n/)
  expect(text).toMatch(/ {2}1 {2}said +\d+ {2}Port the parser\./)
  expect(text).toMatch(/\* 3 {2}result +\d\.\dk {2}read_file src\/a\.ts/)
})

it("says the same as JSON for scripts, and by the task's id", async () => {
  const { text } = await show([TASK, "--output-format", "json"])
  expect(JSON.parse(text)).toMatchObject({
    v: 1,
    type: "context",
    task: TASK,
    window: 32_768,
    items: [{ item: "words-2" }, {}, { item: "1.1", pinned: true }],
  })
})

it("a threshold of a profile counts, and one of 0 is said", async () => {
  const settings = { profile: "p", profiles: { p: { model: "sample/model", condense: { threshold: 0 } } } }
  expect((await show([], JSON.stringify(settings))).text).toContain("never shortened by itself")
})

it("two tasks at once are one too many", async () => {
  await expect(show(["a", "b"])).rejects.toThrow(UsageError)
})
