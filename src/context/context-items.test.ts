import { expect, it } from "vitest"
import { pastWorld } from "../../test/past-world.ts"
import { contextItems, hasItem } from "./context-items.ts"

it("names what the model sees, in order, with a title and what it costs", () => {
  const world = pastWorld()
  world.say("Port the\nparser.")
  world.turn({ text: "I look at it.", input: { path: "src/a.ts" } })
  world.record({ type: "pinned", item: "1.1", pinned: true })
  const items = contextItems(world.state())
  expect(items.map(({ item, kind, title, pinned }) => [item, kind, title, pinned])).toEqual([
    ["words-2", "words", "Port the parser.", false],
    ["reply-1", "reply", "I look at it.", false],
    ["1.1", "result", "look src/a.ts", true],
  ])
  expect(contextItems(world.state(), 2).map(({ tokens }) => tokens)).toEqual(items.map(({ tokens }) => tokens * 2))
})

it("knows which items there are", () => {
  const world = pastWorld()
  world.say("go")
  world.turn()
  const { messages } = world.state()
  expect(["words-2", "reply-1", "1.1", "reply-2", ""].map((item) => hasItem(messages, item))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})
