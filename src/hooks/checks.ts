/**
 * Checks after an edit: what editors call diagnostics, without an editor. A check runs before the first edit it is for, so that
 * its old complaints are known, and after each such edit; what is new goes to the model beside the edit's own result.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { printable } from "../text/printable.ts"
import { truncate } from "../text/truncate.ts"
import type { HookedCall } from "../types/hooks.ts"
import type { Content } from "../types/message.ts"
import type { CheckSettings } from "../types/settings.ts"
import type { ToolOutput } from "../types/tool.ts"
import { matchesGlob } from "./glob.ts"
import { tell } from "./guarded.ts"
import type { Hook, HookPorts } from "./hook.ts"
import { newLines } from "./new-lines.ts"

const DEFAULT_SECONDS = 30
const BOUNDS = { lines: 40, characters: 4096 }
const LONGEST_LINE = 500
const FILE = "{file}"

/** One check of one file, or of all: where its last output is kept. */
interface Due {
  check: CheckSettings
  command: string
  /** Set when the check looks at one file only. */
  file?: string
}

type Finding = { output: string } | { problem: string }

export function checksHook(
  checks: readonly CheckSettings[],
  ports: Pick<HookPorts, "run" | "environment" | "notice" | "facts">,
): Hook {
  const known = new Map<string, string>()
  const told = new Set<CheckSettings>()
  let turn: Promise<unknown> = Promise.resolve() // one edit at a time: two checks of half an edit each would blame the wrong one

  async function look({ check, command }: Due, signal: AbortSignal): Promise<Finding> {
    const outcome = await ports.run(
      { shell: command },
      {
        input: "",
        timeoutMs: (check.timeout || DEFAULT_SECONDS) * 1000,
        cwd: ports.facts().workspace,
        env: ports.environment(),
        signal,
      },
    )
    const { exitCode, ending, stdout, stderr, problem } = outcome
    if (ending === "timed-out") return { problem: `it took longer than ${check.timeout || DEFAULT_SECONDS} seconds` }
    if (ending === "cancelled") return { problem: "" }
    if (exitCode === null) return { problem: problem ?? "it was ended" }
    if (exitCode === 126 || exitCode === 127) return { problem: stderr.trim().split("\n")[0] ?? "it was not found" }
    return { output: exitCode === 0 ? "" : printable(`${stdout}\n${stderr}`) }
  }

  /** What is to be said; also keeps what was found for the next time. */
  async function compare(due: Due, signal: AbortSignal): Promise<string[]> {
    if (isGone(due)) return []
    const found = await look(due, signal)
    if ("problem" in found) return cannotRun(due, found.problem)
    const before = known.get(due.command) ?? ""
    known.set(due.command, found.output)
    const { shown, left } = newLines(before, found.output, BOUNDS)
    if (shown.length === 0 && left === 0) return []
    const more = left === 0 ? [] : [`… and ${left} more lines`]
    return [
      [
        `New in the check \`${due.command}\` since this edit:`,
        ...shown.map((line) => truncate(line, LONGEST_LINE)),
        ...more,
      ].join("\n"),
    ]
  }

  const isGone = ({ file }: Due) => file !== undefined && !existsSync(resolve(ports.facts().workspace, file))

  /** Said once to the person and to the model. */
  function cannotRun({ check, command }: Due, problem: string): string[] {
    if (problem === "" || told.has(check)) return []
    told.add(check)
    const text = `The check \`${command}\` could not run: ${truncate(printable(problem), LONGEST_LINE)}`
    tell(ports.notice, text)
    return [text]
  }

  async function learnBefore(due: Due, signal: AbortSignal): Promise<void> {
    if (known.has(due.command) || isGone(due)) return
    const found = await look(due, signal)
    if ("output" in found) known.set(due.command, found.output)
  }

  async function edit(due: readonly Due[], next: () => Promise<ToolOutput>, signal: AbortSignal): Promise<ToolOutput> {
    await Promise.all(due.map((one) => learnBefore(one, signal)))
    const output = await next()
    const notes = (await Promise.all(due.map((one) => compare(one, signal)))).flat()
    return notes.length === 0 ? output : { ...output, say: [...contentOf(output.say), ...notes.map(textContent)] }
  }

  return {
    name: "checks",
    timeoutMs: Number.POSITIVE_INFINITY, // each check has its own
    wrap(call, next, signal) {
      const due = dueFor(checks, call)
      if (due.length === 0) return next()
      const done = turn.then(() => edit(due, next, signal))
      turn = done.catch(() => {})
      return done
    },
  }
}

function dueFor(checks: readonly CheckSettings[], { effect, paths }: HookedCall): Due[] {
  if (effect !== "write") return []
  return checks.flatMap((check): Due[] => {
    const touched = paths.filter((path) => matchesGlob(check.glob, path))
    if (!check.command.includes(FILE)) return touched.length === 0 ? [] : [{ check, command: check.command }]
    return touched.map((file) => ({ check, file, command: check.command.replaceAll(FILE, () => quoted(file)) }))
  })
}

/** One word for the shell, and never an option. */
function quoted(file: string): string {
  const path = file.startsWith("-") ? `./${file}` : file
  return /^[\w./@%+:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

function contentOf(say: string | Content[]): Content[] {
  return typeof say === "string" ? [textContent(say)] : say
}

function textContent(text: string): Content {
  return { type: "text", text }
}
