/** What goes into a report about a task: its journal, settings and surroundings, each without secrets. Also of a log that is damaged. */
import { redact } from "../text/redact.ts"
import { redactPieces } from "../text/redact-pieces.ts"
import type { ArchivedFile } from "./tar.ts"

export interface ReportParts {
  /** Versions, platform, terminal: values that are no secrets. */
  about: object
  settings: object
  /** The task's log as it is on the disk. */
  log?: string
  /** Those of its subtasks, at any depth. */
  subtasks?: readonly { task: string; log: string }[]
  /** The last raw bytes its model sent. */
  frames?: string
  /** The end of the file of defects. */
  defects?: string
}

/** `held`: values that are secret whatever they look like. */
export function reportFiles(parts: ReportParts, held: readonly string[]): ArchivedFile[] {
  const { about, settings, log, subtasks = [], frames, defects } = parts
  const files: ArchivedFile[] = [
    { name: "about.json", text: redact(`${JSON.stringify(about, null, 2)}\n`, held) },
    { name: "settings.json", text: redact(`${JSON.stringify(settings, masked, 2)}\n`, held) },
  ]
  if (log !== undefined) files.push({ name: "log.jsonl", text: journal(log, held) })
  for (const { task, log: own } of subtasks) files.push({ name: `subtask-${task}.jsonl`, text: journal(own, held) })
  if (frames !== undefined) files.push({ name: "frames.txt", text: redactPieces(frames, held) })
  if (defects !== undefined) files.push({ name: "defects.log", text: redact(defects, held) })
  return files
}

/** Whatever stands in these was meant for a server or a program only. */
const MASKED = ["headers", "env"]
const MARK = "[redacted]"

function masked(name: string, value: unknown): unknown {
  if (name === "apiKeyCommand" && typeof value === "string") return `${value.trim().split(/\s/, 1)[0]} …`
  if (!MASKED.includes(name) || typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.keys(value).map((key) => [key, MARK]))
}

function journal(log: string, held: readonly string[]): string {
  const lines = log.split("\n").map((line) => journalLine(line, held))
  return lines.join("\n")
}

/** Images are left out: they show more than a defect needs. A line that is no JSON is what a report is about. */
function journalLine(line: string, held: readonly string[]): string {
  return redact(line.includes('"type":"image"') ? withoutImages(line) : line, held)
}

function withoutImages(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line), (name, value: unknown) =>
      name === "data" && typeof value === "string" && value.length > 200 ? `[${value.length} characters]` : value,
    )
  } catch {
    return line
  }
}
