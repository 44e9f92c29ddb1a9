/** What the model knows of files, within a call, across calls and across a restart. */
import { expect, it } from "vitest"
import { fakeTool, textFields } from "../../test/fake-tools.ts"
import { call, reply } from "../../test/replies.ts"
import { taskWorld, textOf } from "../../test/task-harness.ts"
import type { Tool } from "../types/tool.ts"
import { knownTexts } from "./known-files.ts"

/** Learns the file, or says how it was known. */
const study: Tool = fakeTool({
  name: "study",
  group: "read",
  effect: "read",
  input: textFields("path", "how"),
  touches: ({ path }) => [path],
  async run({ path, how }, { host, files }) {
    const content = await host.readFile(path)
    if (how === "check") return { say: JSON.stringify(files?.outdated(path, content) ?? "as known") }
    files?.learn(path, content)
    return { say: "learned" }
  },
})
const learn = reply(call("study", { path: "f", how: "learn" }))
const check = reply(call("study", { path: "f", how: "check" }))
const done = reply(call("hand_in", { result: "done" }))

it("a file that somebody changed is known otherwise; one nobody saw is not known at all", async () => {
  const world = taskWorld({ script: [check, learn, check, check, done], files: { f: "one" }, tools: () => [study] })
  const opening = world.open()
  opening.say("go")
  expect(textOf(await opening.next("call-finished"))).toBe('"as known"')
  await opening.next("call-finished")
  await world.host.writeFile("f", "two")
  expect(textOf(await opening.next("call-finished"))).toBe('{"before":"one"}')
})

it("a restart keeps what was known, though not how it looked", async () => {
  const world = taskWorld({ script: [learn, check, done], files: { f: "one" }, tools: () => [study] })
  const opening = world.open()
  opening.say("go")
  await opening.next("call-finished")
  await opening.task.close()
  await world.host.writeFile("f", "two")
  const again = world.open()
  again.task.send({ type: "continue" })
  expect(textOf(await again.next("call-finished"))).toBe("{}")
})

it("texts are kept while there is room: large ones never, old ones no longer", () => {
  const texts = knownTexts()
  texts.set("large", "x".repeat(300 * 1024))
  expect(texts.get("large")).toBeUndefined()
  for (let index = 0; index < 65; index++) texts.set(`f${index}`, "text")
  expect(texts.get("f0")).toBeUndefined()
  expect(texts.get("f64")).toBe("text")
})
