/**
 * Hooks and checks of a project: each is a command, so each runs only after the person agreed to it as it is. A script of the
 * project that a command names belongs to it: when its content changes, the person is asked again.
 */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { isAbsolute, relative, resolve, sep } from "node:path"
import type { Finding } from "../types/finding.ts"
import type { Json, JsonObject } from "../types/json.ts"
import { dotted, type Entry } from "./layer.ts"
import { describeStart, type TrustItem, trustItem } from "./trust.ts"

export interface ProjectCommands {
  /** What has nothing to do with commands. */
  rest: Entry[]
  items: TrustItem[]
  /** The entries with all commands but those of these digests. */
  admit(missing: ReadonlySet<string>): Entry[]
  heldBack(missing: ReadonlySet<string>): Finding[]
}

const LARGEST_SCRIPT = 32 * 1024 * 1024

interface Found {
  entry: Entry
  /** The command's own settings, by identity. */
  value: Json
  item: TrustItem
}

export async function projectCommands(entries: readonly Entry[], workspace: string): Promise<ProjectCommands> {
  const isCommand = ({ path: [first] }: Entry) => first === "hooks" || first === "checks"
  const running = entries.filter(isCommand)
  const found = (await Promise.all(running.map((entry) => commandsOf(entry, workspace)))).flat()
  return {
    rest: entries.filter((entry) => !isCommand(entry)),
    items: found.map(({ item }) => item),
    admit(missing) {
      const refused = new Set(found.filter(({ item }) => missing.has(item.digest)).map(({ value }) => value))
      return running.flatMap((entry) => without(entry, refused))
    },
    heldBack(missing) {
      return found
        .filter(({ item }) => missing.has(item.digest))
        .map(({ entry, item }) => ({
          ...placeOf(entry),
          reason: `The ${item.kind} \`${item.name}\` is left out until you trust this project: it runs a command.`,
        }))
    },
  }
}

async function commandsOf(entry: Entry, workspace: string): Promise<Found[]> {
  const [first, event = ""] = entry.path
  if (first === "checks") {
    const checks = objectsIn(entry.value)
    return Promise.all(checks.map((check) => found(entry, check, { name: `check ${check["glob"]}`, lines: [] }, workspace)))
  }
  const hooks = objectsIn(entry.value).flatMap((group) => objectsIn(group["hooks"]).map((hook) => ({ group, hook })))
  return Promise.all(
    hooks.map(({ group, hook }) => {
      const matcher = typeof group["matcher"] === "string" && group["matcher"] !== "" ? group["matcher"] : "*"
      const lines = [`event: ${event}`, `for: ${matcher}`]
      return found(entry, hook, { name: `${event} ${matcher}`, lines }, workspace)
    }),
  )
}

async function found(
  entry: Entry,
  value: JsonObject,
  { name, lines }: { name: string; lines: string[] },
  workspace: string,
): Promise<Found> {
  const command = String(value["command"])
  const args = Array.isArray(value["args"]) ? value["args"].map(String) : []
  const scripts = await scriptsOf([command, ...args], workspace)
  const what = [...lines, ...describeStart({ command, args }), ...scripts.map(({ path }) => `script: ${JSON.stringify(path)}`)]
  const content: Json = { name, value, scripts: scripts.map(({ path, digest }) => [path, digest]) }
  return { entry, value, item: trustItem({ kind: "hook", name, source: placeOf(entry).file, what, content }) }
}

/** Files of the project that the words of a command name. */
export async function scriptsOf(texts: readonly string[], workspace: string): Promise<{ path: string; digest: string }[]> {
  const words = texts.flatMap((text) =>
    text
      .replaceAll(/["']/g, "")
      .replaceAll(/\$\{?(?:CLAUDE|JOEY)_PROJECT_DIR\}?/g, () => workspace)
      .split(/[\s;&|()<>=]+/),
  )
  const paths = [...new Set(words.filter((word) => word !== "").map((word) => relative(workspace, resolve(workspace, word))))]
  const inside = paths.filter((path) => path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path))
  const read = await Promise.all(
    inside.map(async (path) => {
      const digest = await digestOf(resolve(workspace, path))
      return digest === undefined ? [] : [{ path, digest }]
    }),
  )
  return read.flat()
}

/** undefined for what is no file. Never blocks on a pipe somebody put in its place. */
async function digestOf(path: string): Promise<string | undefined> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile()) return undefined
    if (stats.size > LARGEST_SCRIPT) return `${stats.size} bytes of ${stats.mtimeMs}`
    return createHash("sha256")
      .update(await file.readFile())
      .digest("hex")
  } catch {
    return undefined
  } finally {
    await file?.close()
  }
}

function without(entry: Entry, refused: ReadonlySet<Json>): Entry[] {
  const isLeft = (value: Json) => !refused.has(value)
  if (entry.path[0] === "checks") return [filtered(entry, objectsIn(entry.value).filter(isLeft))]
  const groups = objectsIn(entry.value).flatMap((group) => {
    const hooks = objectsIn(group["hooks"]).filter(isLeft)
    return hooks.length === 0 ? [] : [{ ...group, hooks }]
  })
  return groups.length === 0 ? [] : [filtered(entry, groups)]
}

/** Items lose their own lines: they may have moved up. */
function filtered({ path, origin }: Entry, value: Json): Entry {
  return { path, origin, value }
}

function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value)
    ? value.filter((one): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one))
    : []
}

function placeOf({ path, origin }: Entry): { file: string; line?: number } {
  return origin.from === "file" ? { file: origin.file, line: origin.line } : { file: dotted(path) }
}
