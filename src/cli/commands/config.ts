/** `joey config`: each setting, its value and where it came from, then what could not be used. Secrets are taken out on the way. */
import { homedir } from "node:os"
import { join, relative, resolve, sep } from "node:path"
import { vendors } from "../../providers/vendors.ts"
import type { Origin } from "../../settings/layer.ts"
import { type LoadedSettings, loadSettings } from "../../settings/load.ts"
import schema from "../../settings/schema.json" with { type: "json" }
import { joeyHome } from "../../task/store.ts"
import { onOneLine, visible } from "../../text/printable.ts"
import { redact } from "../../text/redact.ts"
import { readArguments, UsageError } from "../arguments.ts"
import { keyVariables } from "../choose-models.ts"
import { checkFolder, showHelp } from "../project-arguments.ts"
import { settingsFlags } from "../settings-flags.ts"

const LONGEST_VALUE = 60

export async function config(args: readonly string[], process: NodeJS.Process): Promise<number> {
  const options = readArguments(args)
  if (options.help) return showHelp(process.stdout)
  if (options.words.length > 0) {
    throw new UsageError(`joey config takes no words ("${options.words[0]}"); see another folder's with --workspace DIR.`)
  }
  const { env } = process
  const workspace = checkFolder(resolve(process.cwd(), options.workspace ?? "."))
  const home = joeyHome(env)
  const flags = settingsFlags(options)
  const loaded = await loadSettings({ home, workspace, env, flags, trustProject: options.trustProject })
  const shorten = shortener(workspace)
  const keys = heldKeys(loaded, env)
  const hide = (text: string) => redact(onOneLine(visible(text)), keys)
  const told = [...findingLines(loaded, shorten), places(home, workspace, shorten)].map(hide)
  for (const line of [...settingLines(loaded, shorten, hide), "", ...told]) process.stdout.write(`${line}\n`)
  return 0
}

type Change = (text: string) => string

/** Values are hidden before they are cut: half a secret is not recognised any more. */
function settingLines({ settings, origins }: LoadedSettings, shorten: Change, hide: Change): string[] {
  const order = Object.keys(schema.properties)
  const rank = (name: string) => order.indexOf(name.split(".", 1)[0] ?? "")
  const ordered = Object.entries(origins).sort(([one], [other]) => rank(one) - rank(other))
  const rows = ordered.map(([name, origin]) => {
    return [hide(name), clip(hide(textOf(valueAt(settings, name)))), hide(words(origin, shorten))]
  })
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map(
    ([name = "", value = "", origin = ""]) => `${name.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${origin}`,
  )
}

function findingLines({ findings }: LoadedSettings, shorten: Change): string[] {
  const lines = findings.map(({ file, line, reason }) => `${shorten(file)}${line ? `:${line}` : ""}: ${reason}`)
  return lines.length > 0 ? [...lines, ""] : []
}

function places(home: string, workspace: string, shorten: Change): string {
  const [yours, theirs] = [join(home, "settings.json"), join(workspace, ".joey", "settings.json")].map(shorten)
  return `Yours: ${yours}. This project's: ${theirs}.`
}

/** Names of models have dots of their own, so every way of cutting the name is tried. */
function valueAt(holder: unknown, name: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined
  if (Object.hasOwn(holder, name)) return Reflect.get(holder, name)
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const member = name.slice(0, dot)
    const found = Object.hasOwn(holder, member) ? valueAt(Reflect.get(holder, member), name.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
}

function clip(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text
}

function words(origin: Origin, shorten: Change): string {
  if (origin.from === "file") return `${shorten(origin.file)}:${origin.line}`
  return origin.from === "environment" ? `environment ${origin.name}` : origin.from
}

/** As people know it: from the workspace, or from `~`. */
function shortener(workspace: string): Change {
  return (path) => {
    if (path.startsWith(workspace + sep)) return relative(workspace, path)
    return path.startsWith(homedir() + sep) ? join("~", relative(homedir(), path)) : path
  }
}

function heldKeys({ settings }: LoadedSettings, env: NodeJS.ProcessEnv): string[] {
  const names = [...vendors.flatMap((vendor) => vendor.keyVariables), ...keyVariables(settings)]
  return names.flatMap((name) => env[name] ?? [])
}
