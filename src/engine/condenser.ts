/** Gives the condenser what it needs of the task: settings of the profile in use, the log, files as they are now, a place for long texts. */
import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createCondenser, type SeeingCondenser } from "../context/condense.ts"
import { outlineOf } from "../context/outline.ts"
import { sizeWords } from "../text/size-words.ts"
import type { Recorded } from "../types/event.ts"
import type { Host } from "../types/host.ts"
import type { Model, Models } from "../types/model.ts"
import type { CondenseSettings, Settings } from "../types/settings.ts"
import type { Clock } from "../types/stations.ts"

export interface CondenserParts {
  settings(): Settings
  models: Models
  mode(): string
  /** Guarded: nothing that is kept from the model is read. */
  host: Host
  /** The task's. */
  folder: string
  /** Of the whole log, without what was rewound. */
  events(): readonly Recorded[]
  sleep: Clock["sleep"]
  onStart?(): void
}

export function condenserOf({ settings, models, mode, host, folder, events, sleep, onStart }: CondenserParts): SeeingCondenser {
  return createCondenser({
    settings: (model) => condenseSettings(settings(), model.id, mode()),
    summariser: (name) => models.branch().choose(name), // whom the task itself asks stays as it is
    events,
    describe: (path) => describe(host, path),
    keep: (text) => keepIn(join(folder, "kept"), text),
    sleep,
    ...(onStart && { onStart }),
  })
}

/** Those of the profile that answers, over those outside of it. A model that several profiles name is that of the one in use. */
export function condenseSettings(settings: Settings, model: Model["id"], mode: string): CondenseSettings {
  const { condense, profiles, profile, modeProfiles } = settings
  const inUse = [modeProfiles[mode], profile].filter((name) => name !== undefined)
  const names = [...inUse, ...Object.keys(profiles)]
  const own = names.find((name) => Object.hasOwn(profiles, name) && isModelOf(profiles[name]?.model ?? settings.model, model))
  return { ...condense, ...(own !== undefined && profiles[own]?.condense) }
}

/** A model behind an address of its own is named after its server's kind. */
function isModelOf(named: string | undefined, id: string): boolean {
  return named !== undefined && (id === named || id.endsWith(`/${named}`))
}

const LARGEST_READ = 256 * 1024
const LONGEST_DESCRIPTION = 240

async function describe(host: Host, path: string): Promise<string | undefined> {
  try {
    const facts = await host.stat(path)
    if (!facts) return "is gone"
    if (facts.kind !== "file" || facts.size > LARGEST_READ || host.isSecret?.(path)) return sizeWords(facts.size)
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await host.readFile(path))
    return outlineOf(text, LONGEST_DESCRIPTION)
  } catch {
    return undefined // not to be read, or no text: its name says enough
  }
}

/** The same text has the same file. */
async function keepIn(folder: string, text: string): Promise<string | undefined> {
  const path = join(folder, `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.txt`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600 })
    return path
  } catch {
    return undefined
  }
}
