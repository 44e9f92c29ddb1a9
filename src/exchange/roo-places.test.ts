/** Where Roo's tasks are looked for, and what is told of each. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { START, writeRooTask } from "../../test/fixtures/roo/tasks.ts"
import { tasksAt, usualPlaces } from "./roo-places.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-roo-places-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const history = [{ role: "user", content: "Hello" }]
const EXTENSION = "rooveterinaryinc.roo-cline"

it.each([
  ["linux", ".config/Code/User/globalStorage"],
  ["linux", ".config/VSCodium/User/globalStorage"],
  ["linux", ".config/Code - Insiders/User/globalStorage"],
  ["linux", ".config/Cursor/User/globalStorage"],
  ["linux", ".vscode-server/data/User/globalStorage"],
  ["darwin", "Library/Application Support/Code/User/globalStorage"],
  ["win32", "AppData/Roaming/Code/User/globalStorage"],
])("on %s looks in %s", (platform, place) => {
  const tasks = join(folder, place, EXTENSION, "tasks")
  mkdirSync(tasks, { recursive: true })
  expect(usualPlaces({ platform, userHome: folder, env: {} })).toEqual([tasks])
})

it("looks where the environment, an editor's settings and Roo's own command line put them", () => {
  const own = join(folder, "own storage")
  const settings = join(folder, "config/Code/User")
  for (const place of [settings, join(own, "tasks"), join(folder, ".vscode-mock/global-storage/tasks")])
    mkdirSync(place, { recursive: true })
  writeFileSync(join(settings, "settings.json"), `{ // mine\n "roo-cline.customStoragePath": ${JSON.stringify(own)},\n}`)
  const env = { XDG_CONFIG_HOME: join(folder, "config") }
  expect(usualPlaces({ platform: "linux", userHome: folder, env })).toEqual([
    join(own, "tasks"),
    join(folder, ".vscode-mock/global-storage/tasks"),
  ])
})

it("finds tasks by their storage, the folder of tasks, one task or its conversation, oldest first", () => {
  const tasks = join(folder, "tasks")
  writeRooTask(tasks, "b", { history, item: { task: "Second", ts: START + 1 } })
  writeRooTask(tasks, "a", { history, item: { task: "First", ts: START, workspace: "/w", mode: "code", status: "completed" } })
  mkdirSync(join(tasks, "never-spoke"))
  writeFileSync(join(tasks, "a file"), "")
  const ids = (path: string) => tasksAt(path).map(({ id }) => id)
  expect(ids(folder)).toEqual(["a", "b"])
  expect(ids(tasks)).toEqual(["a", "b"])
  expect(ids(join(tasks, "b"))).toEqual(["b"])
  expect(ids(join(tasks, "b", "api_conversation_history.json"))).toEqual(["b"])
  expect(ids(join(tasks, "a file"))).toEqual([])
  expect(tasksAt(tasks)[0]).toMatchObject({ title: "First", workspace: "/w", mode: "code", completed: true, time: START })
})

it("knows an older task by Roo's list, its first row, or its conversation", () => {
  const tasks = join(folder, "tasks")
  writeRooTask(tasks, "listed", { history })
  writeRooTask(tasks, "shown", {
    history,
    rows: [{ ts: START, type: "say", say: "text", text: "From the screen" }],
    item: "{ damaged",
  })
  writeRooTask(tasks, "bare", { history, rows: "damaged" })
  writeFileSync(
    join(tasks, "_index.json"),
    JSON.stringify({ version: 1, entries: [{ id: "listed", ts: START, task: "From the list" }, null] }),
  )
  const titles = Object.fromEntries(tasksAt(tasks).map(({ id, title }) => [id, title]))
  expect(titles).toEqual({ listed: "From the list", shown: "From the screen", bare: "Hello" })
})
