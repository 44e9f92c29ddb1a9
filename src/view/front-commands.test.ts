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

it("everything else is words for the task", () => {
  for (const words of ["/init", "mode architect", "/usr/bin is a folder", "/modes", "look at /help please", ""]) {
    expect(readFrontCommand(words)).toBeUndefined()
  }
})

it("names are there once", () => expect(new Set(frontCommands.map(({ name }) => name)).size).toBe(frontCommands.length))
