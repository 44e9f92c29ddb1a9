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
import schema from "./schema.json" with { type: "json" }
import { type TrustItem, trustStore } from "./trust.ts"

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
  JOEY_MODE: "mode",
  JOEY_APPROVAL: "approval",
  JOEY_LANGUAGE: "language",
}

export async function loadSettings(sources: SettingsSources): Promise<LoadedSettings> {
  const { home, workspace, env, flags = {}, trustProject = false } = sources
  const [yours, theirs] = await Promise.all([
    readSettingsFile(home, "global"),
    readSettingsFile(join(workspace, ".joey"), "project"),
  ])
  const isSameFile = theirs.identity !== undefined && theirs.identity === yours.identity // the workspace is the home folder
  const base = checkLayer(defaults, { place: () => ({ file: "defaults" }), origin: () => ({ from: "default" }) })
  const project = await admitProject(isSameFile ? { entries: [], findings: [] } : theirs, [base, yours], { home, trustProject })
  const environment = readEnvironment(env)
  const flagged = checkLayer(flags, { place: () => ({ file: "command line" }), origin: () => ({ from: "flag" }) })
  const layers = [base, yours, project, environment, flagged]
  const placed = keepKeysInPlace(layers.map(({ entries }) => entries))
  return {
    ...merge(placed.entries.map((entry) => resolveKeyFile(entry, workspace))),
    findings: [...layers.flatMap(({ findings }) => findings), ...placed.findings],
    untrusted: project.untrusted,
  }
}

async function admitProject(
  project: Layer,
  below: readonly Layer[],
  { home, trustProject }: { home: string; trustProject: boolean },
): Promise<Layer & { untrusted: TrustItem[] }> {
  const yours = new Map(below.flatMap(({ entries }) => entries.map(({ path, value }): [string, Json] => [dotted(path), value])))
  const { harmless, all, item, heldBack } = guardProject(project.entries, yours)
  if (!item) return { ...project, entries: all, untrusted: [] }
  const store = await trustStore(home, { trustAll: trustProject })
  if (store.missing([item]).length === 0) return { ...project, entries: all, untrusted: [] }
  return { entries: harmless, findings: [...project.findings, ...store.findings, ...heldBack], untrusted: [item] }
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

/** A key's file is named from where it is named: from the settings file's folder, otherwise from the workspace. */
function resolveKeyFile(entry: Entry, workspace: string): Entry {
  if (dotted(entry.path) !== "apiKeyFile") return entry
  const from = entry.origin.from === "file" ? dirname(entry.origin.file) : workspace
  return { ...entry, value: resolve(from, String(entry.value).replace(/^~(?=\/|$)/, homedir())) }
}

function merge(entries: readonly Entry[]): { settings: Settings; origins: Record<string, Origin> } {
  const settings: JsonObject = {}
  const origins: Record<string, Origin> = {}
  for (const part of ["limits", "customModePrompts", "experiments"]) settings[part] = {} // there even when nothing is in them
  for (const { path, value, origin } of entries) {
    set(settings, path, value)
    origins[dotted(path)] = origin
  }
  if (!isSettings(settings)) throw new Error("The checked layers of settings do not make checked settings.")
  return { settings, origins }
}

function set(target: JsonObject, [name = "", ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) target[name] = value
  else set(memberObject(target, name), rest, value)
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
