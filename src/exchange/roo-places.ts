/** Where Roo keeps its tasks on this machine, and what can be told of each without reading its conversation. Changes nothing. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { objectIn } from "../text/object-in.ts"
import type { Content } from "../types/message.ts"
import { type Fields, isFields, textIn, timeIn } from "./roo-message.ts"
import { readFirstRow } from "./roo-rows.ts"
import { messagesOf } from "./roo-survey.ts"
import { hear } from "./roo-words.ts"

const EXTENSIONS = ["rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly"]
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Cursor", "Windsurf", "Trae", "Positron"]
/** Editors that work on this machine for a window elsewhere. */
const SERVERS = [".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server", ".windsurf-server"]
const HISTORIES = ["api_conversation_history.json", "claude_messages.json"]
/** No list of tasks is as large as this. */
const LARGEST_LIST = 64 * 1024 * 1024

export interface RooTask {
  /** Roo's own name for it. */
  id: string
  folder: string
  /** The conversation. */
  history: string
  /** The rows for the screen, where there are any. */
  rows?: string
  /** Of its last change. In milliseconds. */
  time: number
  title: string
  workspace?: string
  /** The mode it was left in. */
  mode?: string
  completed: boolean
  /** The task that handed it its work. */
  parent?: string
  /** In bytes. */
  size: number
}

export interface Machine {
  platform: string
  userHome: string
  env: NodeJS.ProcessEnv
}

/** The folders of tasks that exist in the usual places. */
export function usualPlaces(machine: Machine): string[] {
  const users = userFolders(machine)
  const storages = users.flatMap((user) => EXTENSIONS.map((extension) => join(user, "globalStorage", extension)))
  const chosen = users.flatMap((user) => customStorage(join(user, "settings.json")))
  const all = [...storages, ...chosen, join(machine.userHome, ".vscode-mock", "global-storage")]
  return [...new Set(all.map((storage) => join(storage, "tasks")))].filter(isFolder)
}

function userFolders({ platform, userHome, env }: Machine): string[] {
  const config =
    platform === "darwin"
      ? join(userHome, "Library", "Application Support")
      : platform === "win32"
        ? env["APPDATA"] || join(userHome, "AppData", "Roaming")
        : env["XDG_CONFIG_HOME"] || join(userHome, ".config")
  return [
    ...EDITORS.map((editor) => join(config, editor, "User")),
    ...SERVERS.map((server) => join(userHome, server, "data", "User")),
    join(userHome, ".local", "share", "code-server", "User"),
    join(userHome, ".var", "app", "com.visualstudio.code", "config", "Code", "User"),
  ]
}

/** Roo can be told to keep its tasks elsewhere. */
function customStorage(settings: string): string[] {
  const text = isFile(settings) ? readFileSync(settings, "utf8") : ""
  const [, quoted] = /"roo-cline\.customStoragePath"\s*:\s*("(?:[^"\\\n]|\\.)+")/.exec(text) ?? []
  const path = quoted === undefined ? undefined : objectIn(`{"path":${quoted}}`)?.["path"]
  return typeof path === "string" && path !== "" ? [path] : []
}

/** Oldest first. `path`: a storage, its folder of tasks, one task, or its conversation. */
export function tasksAt(path: string): RooTask[] {
  if (isFile(path)) return HISTORIES.includes(basename(path)) ? oneTask(dirname(path)) : []
  const one = oneTask(path)
  if (one.length > 0) return one
  const inside = join(path, "tasks")
  const folder = isFolder(inside) ? inside : path
  const listed = listedIn(folder)
  const names = foldersIn(folder)
  return names.flatMap((name) => taskIn(join(folder, name), listed.get(name))).toSorted((a, b) => a.time - b.time)
}

function oneTask(folder: string): RooTask[] {
  return taskIn(folder, listedIn(dirname(folder)).get(basename(folder)))
}

function taskIn(folder: string, listed: Fields | undefined): RooTask[] {
  const history = HISTORIES.map((name) => join(folder, name)).find(isFile)
  if (history === undefined) return [] // a task that never came to speak
  const own = fieldsIn(join(folder, "history_item.json")) ?? listed ?? {}
  const rows = join(folder, "ui_messages.json")
  const hasRows = isFile(rows)
  const { mtimeMs, size } = statSync(history)
  const workspace = textIn(own["workspace"])
  const mode = textIn(own["mode"])
  const parent = textIn(own["parentTaskId"])
  const title = textIn(own["task"]) || (hasRows && wordsIn(readFirstRow(rows).words)) || firstWords(history)
  return [
    {
      id: basename(folder),
      folder,
      history,
      ...(hasRows && { rows }),
      time: timeIn(own["ts"]) ?? mtimeMs,
      title,
      ...(workspace !== "" && { workspace }),
      ...(/^[A-Za-z0-9-]{1,100}$/.test(mode) && { mode }),
      completed: own["status"] === "completed",
      ...(parent !== "" && { parent }),
      size,
    },
  ]
}

function wordsIn(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

function firstWords(history: string): string {
  const messages = messagesOf(history)
  const { value, done } = messages.next()
  messages.return(undefined)
  return done ? "" : wordsIn(hear(value.parts, true).person)
}

/** Roo's list of a folder's tasks: a cache, and older tasks have nothing else. */
function listedIn(folder: string): Map<string, Fields> {
  const entries = fieldsIn(join(folder, "_index.json"))?.["entries"]
  return new Map(Array.isArray(entries) ? entries.filter(isFields).map((entry) => [textIn(entry["id"]), entry]) : [])
}

function fieldsIn(path: string): Fields | undefined {
  if (!isFile(path) || statSync(path).size > LARGEST_LIST) return undefined
  return objectIn(readFileSync(path, "utf8"))
}

function foldersIn(folder: string): string[] {
  return isFolder(folder) ? readdirSync(folder).filter((name) => isFolder(join(folder, name))) : []
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
