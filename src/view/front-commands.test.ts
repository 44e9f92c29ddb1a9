/** What a front does itself, and what it leaves to the task. */
import { expect, it } from "vitest"
import { frontCommands, readFrontCommand } from "./front-commands.ts"

it("a mode or a model is sent as a command; without one there is only the hint", () => {
  expect(readFrontCommand("/mode architect")?.action).toEqual({ kind: "send", command: { type: "set-mode", mode: "architect" } })
  expect(readFrontCommand(" /model fast ")?.action).toEqual({ kind: "send", command: { type: "set-model", model: "fast" } })
  expect(readFrontCommand("/mode")).toMatchObject({ command: { hint: "SLUG" }, action: undefined })
})

it("another task and earlier tasks are the front's own matter", () => {
  expect(readFrontCommand("/new")?.action).toEqual({ kind: "new" })
  expect(readFrontCommand("/resume")?.action).toEqual({ kind: "tasks" })
})

it("one of the person's messages is gone back to by its number, or chosen", () => {
  expect(readFrontCommand("/rewind")?.action).toEqual({ kind: "rewind" })
  expect(readFrontCommand("/rewind 3")?.action).toEqual({ kind: "rewind", number: 3 })
  expect(readFrontCommand("/rewind three")?.action).toEqual({ kind: "rewind" })
})

it("items are pinned and dropped by the numbers that /context shows", () => {
  expect(readFrontCommand("/context")?.action).toEqual({ kind: "context" })
  expect(readFrontCommand("/condense")?.action).toEqual({ kind: "send", command: { type: "condense" } })
  expect(readFrontCommand("/pin 12")?.action).toEqual({ kind: "item", number: 12, act: "pin" })
  for (const words of ["/pin", "/drop 0", "/unpin x", "/drop 1 2", "/pin 99999999"]) {
    expect(readFrontCommand(words)).toMatchObject({ action: undefined, command: { hint: "N" } })
  }
})

it("subtasks are stopped and told by their number, and what is told may have several lines", () => {
  expect(readFrontCommand("/cancel")?.action).toEqual({ kind: "cancel" })
  expect(readFrontCommand("/cancel 2")?.action).toEqual({ kind: "cancel", number: 2 })
  expect(readFrontCommand("/tell 2 use pnpm\nand hurry")?.action).toEqual({
    kind: "tell",
    number: 2,
    words: "use pnpm\nand hurry",
  })
  for (const words of ["/tell", "/tell 2", "/tell use pnpm"]) expect(readFrontCommand(words)).toMatchObject({ action: undefined })
  expect(readFrontCommand("/cancel 2\nplease")).toBeUndefined()
})

it("copies, checkpoints and servers", () => {
  expect(readFrontCommand("/fork 3")?.action).toEqual({ kind: "fork", number: 3 })
  expect(readFrontCommand("/checkpoints")?.action).toEqual({ kind: "checkpoints" })
  expect(readFrontCommand("/mcp restart files")?.action).toEqual({ kind: "servers", restart: "files" })
  expect(readFrontCommand("/mcp stop files")).toMatchObject({ action: undefined })
})

it("everything else is words for the task", () => {
  for (const words of ["/init", "mode architect", "/usr/bin is a folder", "/modes", "look at /help please", ""]) {
    expect(readFrontCommand(words)).toBeUndefined()
  }
})

it("names are there once", () => expect(new Set(frontCommands.map(({ name }) => name)).size).toBe(frontCommands.length))
