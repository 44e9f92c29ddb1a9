/**
 * All layers of settings as one: defaults < the person's file < the project's file < environment < flags, merged value by value,
 * each with its origin. Whatever cannot be used is a finding; nothing throws.
 */
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { checkSchema } from "../json/check-schema.ts"
import type { Finding } from "../types/finding.ts"
import type { Json, JsonObject } from "../types/json.ts"
import type { Settings } from "../types/settings.ts"
import { defaults } from "./defaults.ts"
import { readSettingsFile } from "./files.ts"
import { guardProject } from "./guard.ts"
import { keepKeysInPlace } from "./key-place.ts"
import { checkLayer, dotted, type Entry, type Layer, type Origin, type SettingsLayer } from "./layer.ts"
import { projectCommands } from "./project-commands.ts"
import schema from "./schema.json" with { type: "json" }
import { type TrustItem, trustStore } from "./trust.ts"
import { keepProfilesWhole } from "./whole-profiles.ts"

export interface SettingsSources {
  /** Joey's own folder. */
  home: string
  workspace: string
  env: NodeJS.ProcessEnv
  flags?: SettingsLayer
  /** `--trust-project`: whatever the project brings along counts as trusted in this run. */
  trustProject?: boolean
}

export interface LoadedSettings {
  settings: Settings
  /** By dotted name, for every value that is set. */
  origins: Record<string, Origin>
  findings: Finding[]
  /** What may hide a rule that denies or asks, because it could not be read: until it is mended, policy asks. */
  unread: Finding[]
  /** Held back. When the person agrees: remember them in the trust store and load again. */
  untrusted: TrustItem[]
}

const ENVIRONMENT: Record<string, string> = {
  JOEY_MODEL: "model",
  JOEY_BASE_URL: "baseUrl",
  JOEY_WIRE: "wire",
  JOEY_API_KEY_ENV: "apiKeyEnv",
  JOEY_API_KEY_FILE: "apiKeyFile",
  JOEY_API_KEY_COMMAND: "apiKeyCommand",
  JOEY_PROFILE: "profile",
  JOEY_MODE: "mode",
  JOEY_APPROVAL: "approval",
  JOEY_LANGUAGE: "language",
}

export async function loadSettings(sources: SettingsSources): Promise<LoadedSettings> {
  const { home, workspace, env, flags = {} } = sources
  const [yours, theirs] = await Promise.all([
    readSettingsFile(home, "global"),
    readSettingsFile(join(workspace, ".joey"), "project"),
  ])
  const isSameFile = theirs.identity !== undefined && theirs.identity === yours.identity // the workspace is the home folder
  const base = checkLayer(defaults, { place: () => ({ file: "defaults" }), origin: () => ({ from: "default" }) })
  const project = await admitProject(isSameFile ? { entries: [], findings: [] } : theirs, [base, yours], sources)
  const environment = readEnvironment(env)
  const flagged = checkLayer(flags, { place: () => ({ file: "command line" }), origin: () => ({ from: "flag" }) })
  const layers = [base, yours, project, environment, flagged]
  const placed = keepKeysInPlace(keepProfilesWhole(layers.map(({ entries }) => entries)))
  return {
    ...merge(placed.entries.map((entry) => resolveKeyFile(entry, workspace))),
    findings: [...layers.flatMap(({ findings }) => findings), ...placed.findings],
    unread: layers.flatMap(({ unread = [] }) => unread),
    untrusted: project.untrusted,
  }
}

/** Lists to which each layer adds: a rule of a project never takes one of the person's away. */
const ADDED: ReadonlySet<string> = new Set([
  "permissions.allow",
  "permissions.ask",
  "permissions.deny",
  "allowedCommands",
  "deniedCommands",
  "checks",
])

async function admitProject(
  project: Layer,
  below: readonly Layer[],
  { home, workspace, trustProject = false }: SettingsSources,
): Promise<Layer & { untrusted: TrustItem[] }> {
  const yours = new Map(below.flatMap(({ entries }) => entries.map(({ path, value }): [string, Json] => [dotted(path), value])))
  const commands = await projectCommands(project.entries, workspace)
  const { harmless, all, item, heldBack } = guardProject(commands.rest, yours)
  const items = [...(item ? [item] : []), ...commands.items]
  if (items.length === 0) return { ...project, entries: all, untrusted: [] }
  const store = await trustStore(home, { trustAll: trustProject })
  const untrusted = store.missing(items)
  if (untrusted.length === 0) return { ...project, entries: [...all, ...commands.admit(new Set())], untrusted: [] }
  const missing = new Set(untrusted.map(({ digest }) => digest))
  const isHeld = item !== undefined && missing.has(item.digest)
  return {
    ...project,
    entries: [...(isHeld ? harmless : all), ...commands.admit(missing)],
    findings: [...project.findings, ...store.findings, ...(isHeld ? heldBack : []), ...commands.heldBack(missing)],
    untrusted,
  }
}

/** An empty variable counts as not set. */
function readEnvironment(env: NodeJS.ProcessEnv): Layer {
  const set = Object.entries(ENVIRONMENT).filter(([name]) => env[name]?.trim())
  const nameOf = new Map(set.map(([name, setting]) => [setting, name]))
  const name = (path: readonly (string | number)[]) => nameOf.get(dotted(path)) ?? ""
  return checkLayer(Object.fromEntries(set.map(([name, setting]) => [setting, env[name]?.trim()])), {
    place: (path) => ({ file: name(path) }),
    origin: (path) => ({ from: "environment", name: name(path) }),
  })
}

/** A file is named from where it is named: from the settings file's folder, otherwise from the workspace. */
function resolveKeyFile(entry: Entry, workspace: string): Entry {
  const [first, , ...below] = entry.path
  const isFile = first === "apiKeyFile" || first === "caFile" || (first === "profiles" && below[0] === "apiKeyFile")
  if (!isFile) return entry
  const from = entry.origin.from === "file" ? dirname(entry.origin.file) : workspace
  return { ...entry, value: resolve(from, String(entry.value).replace(/^~(?=\/|$)/, homedir())) }
}

function merge(entries: readonly Entry[]): { settings: Settings; origins: Record<string, Origin> } {
  const settings: JsonObject = {}
  const origins: Record<string, Origin> = {}
  for (const part of ["limits", "models", "profiles", "modeProfiles", "customModePrompts", "imageModel", "experiments", "hooks"])
    settings[part] = {} // there even when nothing is in them
  for (const entry of entries) {
    const { path, value, origin } = entry
    const name = dotted(path)
    if ((ADDED.has(name) || path[0] === "hooks") && add(settings, origins, entry)) continue
    set(settings, path, value)
    origins[name] = origin
  }
  if (!isSettings(settings)) throw new Error("The checked layers of settings do not make checked settings.")
  return { settings, origins }
}

/** Each item keeps its own origin, under the list's name and its number. False when there is nothing to add to. */
function add(settings: JsonObject, origins: Record<string, Origin>, { path, value, origin, items = [] }: Entry): boolean {
  const name = dotted(path)
  const present = path.reduce<Json | undefined>((inner, step) => memberOf(inner, step), settings)
  if (!Array.isArray(present) || !Array.isArray(value)) return false
  value.forEach((_, index) => {
    origins[`${name}.${present.length + index}`] = items[index] ?? origin
  })
  set(settings, path, [...present, ...value])
  if (value.length > 0) delete origins[name]
  return true
}

function set(target: JsonObject, [name = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) target[name] = value
  else set(memberObject(target, name), rest, value)
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined
}

function memberObject(target: JsonObject, name: string): JsonObject {
  const present = Object.hasOwn(target, name) ? target[name] : undefined
  if (typeof present === "object" && present !== null && !Array.isArray(present)) return present
  const created: JsonObject = {}
  target[name] = created
  return created
}

/** Every value was checked in its layer, and the defaults fill what no layer sets. */
function isSettings(value: unknown): value is Settings {
  return checkSchema(value, schema).length === 0
}
