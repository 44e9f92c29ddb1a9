/** Fills in variables in what a configuration file says: `${env:NAME}`, `${NAME}`, `${NAME:-default}`, `${workspaceFolder}`, `${userHome}`. */
import type { Json, JsonObject } from "../types/json.ts"

export interface Variables {
  workspace: string
  userHome: string
  env: Readonly<Record<string, string | undefined>>
}

export interface Filled<Value extends Json> {
  value: Value
  /** Names of environment variables that were looked at, each once. */
  reads: string[]
  /** Those that are not set and have no default. */
  missing: string[]
}

const VARIABLE = /\$\{(env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g

/** Only values are looked at, never names. What is put in is not looked at again. */
export function fillIn(value: JsonObject, variables: Variables): Filled<JsonObject> {
  const reads = new Set<string>()
  const missing = new Set<string>()
  const replaced = (written: string, explicit: string | undefined, name: string, otherwise: string | undefined): string => {
    if (!explicit && name === "workspaceFolder") return variables.workspace
    if (!explicit && name === "userHome") return variables.userHome
    reads.add(name)
    const set = variables.env[name]
    if (set !== undefined && (set !== "" || otherwise === undefined)) return set
    if (otherwise === undefined) missing.add(name)
    return otherwise ?? written
  }
  const fill = (inner: Json): Json => {
    if (typeof inner === "string") return inner.replace(VARIABLE, replaced)
    if (Array.isArray(inner)) return inner.map(fill)
    return typeof inner === "object" && inner !== null ? fillMembers(inner) : inner
  }
  const fillMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, member]) => [name, fill(member)]))
  return { value: fillMembers(value), reads: [...reads], missing: [...missing] }
}
