/**
 * What changes while a task goes on, told to the model beside the person's words: time, mode, cost, steps, files, commands.
 * Pure and bounded; each part can be switched off. All of it says that it comes from Joey, not from the person.
 */
import { fence, oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import type { EnvironmentSettings } from "../types/settings.ts"
import type { Todo, TodoStatus } from "../types/show.ts"

export interface EnvironmentFacts {
  time: LocalTime
  mode: { slug: string; name: string }
  model: string
  /** In US dollars; absent where no price is known. */
  cost?: number
  todos: readonly Todo[]
  /** Changed since the last message by somebody else than the model, latest first. */
  recentFiles: readonly string[]
  backgroundCommands: readonly BackgroundCommand[]
  /** Wanted only with the first message. */
  workspace?: { entries: readonly string[]; total: number }
}

export interface LocalTime {
  /** Milliseconds since 1970. */
  now: number
  /** East of UTC. */
  offsetMinutes: number
  /** As people call it. */
  zone: string
}

export interface BackgroundCommand {
  id: string
  command: string
  cwd?: string
  /** The end of what it printed since the last message. */
  recentOutput?: string
}

const LONGEST_LINE = 300
const MOST_TODOS = 50
const MOST_FILES = 30
const MOST_COMMANDS = 10
const MOST_OUTPUT = 1000
const MOST_LISTING = 12_000

/** What this machine's clock says. From `Date` alone: loading Intl costs more than the rest of a start. */
export function localTime(now: number): LocalTime {
  const date = new Date(now)
  return { now, offsetMinutes: -date.getTimezoneOffset(), zone: /\((.+)\)$/.exec(date.toString())?.[1] ?? "" }
}

export function environmentDetails(
  facts: EnvironmentFacts,
  settings: EnvironmentSettings,
  { first }: { first: boolean },
): string {
  const parts = [
    settings.time && `Time: ${timeText(facts.time)}`,
    `Mode: ${facts.mode.slug} (${line(facts.mode.name)}). Model: ${line(facts.model)}`,
    settings.cost && facts.cost !== undefined && `Cost so far: $${facts.cost.toFixed(facts.cost < 1 ? 4 : 2)}`,
    settings.todos && list("Todo list", facts.todos.map(todo), MOST_TODOS),
    settings.recentFiles && list("Changed since the last message, not by you", facts.recentFiles.map(line), MOST_FILES),
    settings.backgroundCommands && list("Running in the background", facts.backgroundCommands.map(running), MOST_COMMANDS),
    first && listing(facts.workspace, settings.workspaceFiles),
  ].filter(Boolean)
  return `Environment, told by Joey and not by the person:\n${fence(parts.join("\n"))}`
}

/** To the minute: nothing depends on seconds. */
function timeText({ now, offsetMinutes, zone }: LocalTime): string {
  const local = new Date(now + offsetMinutes * 60_000).toISOString().slice(0, 16).replace("T", " ")
  const offset = new Date(Math.abs(offsetMinutes) * 60_000).toISOString().slice(11, 16)
  return `${local} (UTC${offsetMinutes < 0 ? "-" : "+"}${offset}${zone ? `, ${line(zone)}` : ""})`
}

const MARKS: Record<TodoStatus, string> = { pending: " ", "in-progress": "-", done: "x" }

function todo({ text, status }: Todo): string {
  return `[${MARKS[status]}] ${line(text)}`
}

function running({ id, command, cwd, recentOutput }: BackgroundCommand): string {
  const where = cwd ? ` in ${line(cwd)}` : ""
  const printed = recentOutput?.trim().slice(-MOST_OUTPUT)
  return `${id}${where}: ${line(command)}${printed ? `\n  printed: ${printed.replace(/\n/g, "\n  ")}` : ""}`
}

function list(heading: string, items: readonly string[], most: number): string {
  if (items.length === 0) return ""
  const more = items.length > most ? [`… and ${items.length - most} more`] : []
  return [`${heading}:`, ...items.slice(0, most), ...more].join("\n")
}

/** As many entries as the setting allows and as fit. */
function listing(workspace: EnvironmentFacts["workspace"], most: number): string {
  if (!workspace || most <= 0) return ""
  const { entries, total } = workspace
  if (total === 0) return "The workspace is empty."
  const shown: string[] = []
  let room = MOST_LISTING
  for (const entry of entries.slice(0, most).map(line)) {
    room -= entry.length + 1
    if (room < 0) break
    shown.push(entry)
  }
  const heading = shown.length < total ? `${shown.length} of ${total} entries` : "all of it"
  return [`Workspace (${heading}):`, ...shown].join("\n")
}

function line(text: string): string {
  return truncate(oneLine(text), LONGEST_LINE)
}
