/**
 * What a project's settings may decide without being trusted. Its file comes with a clone, so it can be hostile: whatever runs
 * something, sends data elsewhere or loosens what the person set is held back until they agree. Stricter values always hold.
 */
import type { Finding } from "../types/finding.ts"
import type { Json } from "../types/json.ts"
import { dotted, type Entry } from "./layer.ts"
import { type TrustItem, trustItem } from "./trust.ts"

interface Guard {
  setting: RegExp
  why: string
  /** `yours` is what holds without the project. Without this the setting always needs trust. */
  loosens?(value: Json, yours: Json | undefined): boolean
}

const APPROVALS: readonly Json[] = ["ask", "default", "yes"]

const GUARDS: readonly Guard[] = [
  { setting: /^profiles\..*\.apiKeyCommand$/, why: "it runs a command" },
  { setting: /^profiles\..*\.apiKey(?:Env|File)$/, why: "it decides which of your secrets is sent" },
  { setting: /^models\..*\.price(?:\.|$)/, why: "it changes what counts as cost" },
  { setting: /^condense\.model$/, why: "it decides where your words and files are sent" },
  { setting: /^caFile$/, why: "it decides which servers are taken for genuine" },
  {
    setting: /^(?:model|baseUrl|wire|profiles?(?:\..*)?|modeProfiles\..*)$/,
    why: "it decides where your words and files are sent",
  },
  { setting: /^apiKeyCommand$/, why: "it runs a command" },
  { setting: /^shell$/, why: "it decides which program runs commands" },
  { setting: /^apiKey(?:Env|File)$/, why: "it decides which of your secrets is sent" },
  {
    setting: /^approval$/,
    why: "it lets more run without asking you",
    loosens: (value, yours) => APPROVALS.indexOf(value) > APPROVALS.indexOf(yours ?? "default"),
  },
  {
    setting: /^autoApprove\.followup\.seconds$/,
    why: "it answers questions for you sooner",
    loosens: (value, yours) => ceiling(value) < ceiling(yours),
  },
  {
    setting: /^autoApprove\.\w+$/,
    why: "it lets more run without asking you",
    loosens: (value, yours) => value === true && yours !== true,
  },
  {
    setting: /^commandTimeoutAllowlist$/,
    why: "it lets commands run for longer than you want",
    loosens: (value, yours) => [value].flat().some((words) => ![yours ?? []].flat().includes(words)),
  },
  {
    setting: /^(?:permissions\.allow|allowedCommands)$/,
    why: "it lets more run without asking you",
    loosens: (value, yours) => [value].flat().some((rule) => ![yours ?? []].flat().includes(rule)),
  },
  {
    setting: /^(?:limits\.\w+|repetition\.limit|commandExecutionTimeout)$/,
    why: "it raises a limit of yours",
    loosens: (value, yours) => ceiling(value) > ceiling(yours),
  },
  {
    setting: /^mcp\.enabled$/,
    why: "it starts servers that you switched off",
    loosens: (value, yours) => value === true && yours === false,
  },
  { setting: /^checkpoints\.allMegabytes$/, why: "it decides when what other tasks kept is deleted" },
  {
    setting: /^checkpoints\.(?:enabled|taskMegabytes)$/,
    why: "it makes changes that cannot be undone",
    loosens: (value, yours) => (typeof value === "number" && typeof yours === "number" ? value < yours : value === false),
  },
  {
    setting: /^codeIndex\.(?:enabled|maxFiles)$/,
    why: "it indexes more of your files than you want",
    loosens: (value, yours) => (typeof value === "number" ? ceiling(value) > ceiling(yours) : value === true && yours === false),
  },
  {
    setting: /^webFetch\.allowPrivate$/,
    why: "it lets pages of your own networks be fetched",
    loosens: (value, yours) => value === true && yours !== true,
  },
  {
    setting: /^sandbox\.enabled$/,
    why: "it takes away the walls around commands",
    loosens: (value, yours) => value !== true && yours === true,
  },
  {
    setting: /^sandbox\.network$/,
    why: "it lets commands reach the network",
    loosens: (value, yours) => value === true && yours !== true,
  },
  {
    setting: /^sandbox\.(?:writable|readable)$/,
    why: "it opens more of your files to commands",
    loosens: (value, yours) => [value].flat().some((path) => ![yours ?? []].flat().includes(path)),
  },
  {
    setting: /^customTools\.enabled$/,
    why: "it turns on what can run programs",
    loosens: (value, yours) => value === true && yours !== true,
  },
  {
    setting: /^customTools\.timeout$/,
    why: "it raises a limit of yours",
    loosens: (value, yours) => ceiling(value) > ceiling(yours),
  },
  { setting: /^imageModel\.apiKeyEnv$/, why: "it decides which of your secrets is sent" },
  { setting: /^imageModel\.\w+$/, why: "it decides where your words and files are sent" },
  {
    setting: /^experiments\.(?:customTools|imageGeneration)$/,
    why: "it turns on what can run programs or send data elsewhere",
    loosens: (value, yours) => value === true && yours !== true,
  },
]

export interface Guarded {
  /** What may be used without trust. */
  harmless: Entry[]
  /** Everything, once `item` is trusted. */
  all: Entry[]
  /** What the person is asked about; absent when nothing is held back. */
  item?: TrustItem
  /** For as long as it is not trusted. */
  heldBack: Finding[]
}

/** `yours` are the values that hold without the project. */
export function guardProject(entries: readonly Entry[], yours: ReadonlyMap<string, Json>): Guarded {
  const all = entries.map((entry) => addDisabledTools(entry, yours))
  const judged = all.map((entry) => ({ entry, guard: GUARDS.find(({ setting }) => setting.test(dotted(entry.path))) }))
  const held = judged.filter(({ entry: { path, value }, guard }) => {
    return guard && (guard.loosens?.(value, yours.get(dotted(path))) ?? true)
  })
  const [first] = held
  if (!first) return { harmless: all, all, heldBack: [] }
  const heldEntries = new Set(held.map(({ entry }) => entry))
  return {
    harmless: all.filter((entry) => !heldEntries.has(entry)),
    all,
    item: settingsItem(judged.flatMap(({ entry, guard }) => (guard ? [entry] : []))),
    heldBack: held.map(({ entry, guard }) => ({
      ...placeOf(entry),
      reason: `\`${dotted(entry.path)}\` is left out until you trust this project: ${guard?.why}.`,
    })),
  }
}

/** One for the file: an address and the key that goes there are judged together, and a change of either asks again. */
function settingsItem(entries: readonly Entry[]): TrustItem {
  const content = Object.fromEntries(entries.map(({ path, value }) => [dotted(path), value]))
  const what = Object.entries(content).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const [first] = entries
  return trustItem({ kind: "settings", name: "settings", source: first ? placeOf(first).file : "", what, content })
}

/** A project can disable more tools, but not bring back what the person disabled. */
function addDisabledTools(entry: Entry, yours: ReadonlyMap<string, Json>): Entry {
  const disabled = yours.get("disabledTools")
  if (dotted(entry.path) !== "disabledTools" || !Array.isArray(entry.value) || !Array.isArray(disabled)) return entry
  return { ...entry, value: [...new Set([...disabled, ...entry.value])] }
}

/** 0 and nothing mean: no limit. */
function ceiling(limit: Json | undefined): number {
  return typeof limit === "number" && limit > 0 ? limit : Number.POSITIVE_INFINITY
}

function placeOf({ origin }: Entry): { file: string; line?: number } {
  return origin.from === "file" ? { file: origin.file, line: origin.line } : { file: "" }
}
