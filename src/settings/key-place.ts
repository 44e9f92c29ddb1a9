/**
 * A key is sent only where it belongs. Settings come in layers, so one layer can name a key and a later one another server or
 * vendor; then the key of the earlier layer stays at home. Of one key's three sources, the latest layer that names any decides.
 */
import type { Finding } from "../types/finding.ts"
import { dotted, type Entry, type Origin } from "./layer.ts"

const KEY_SETTINGS: readonly string[] = ["apiKeyEnv", "apiKeyFile", "apiKeyCommand"]

/** Layers from the weakest to the strongest → all their entries in order, without keys that belong elsewhere. */
export function keepKeysInPlace(layers: readonly (readonly Entry[])[]): { entries: Entry[]; findings: Finding[] } {
  let baseUrl: Entry | undefined
  let model: Entry | undefined
  let keys: readonly Entry[] = []
  let keysPlace: string | undefined
  for (const layer of layers) {
    baseUrl = layer.find(({ path }) => dotted(path) === "baseUrl") ?? baseUrl
    model = layer.find(({ path }) => dotted(path) === "model") ?? model
    const own = layer.filter(isKey)
    if (own.length > 0) {
      keys = own
      keysPlace = placeOf(baseUrl, model)
    }
  }
  const place = placeOf(baseUrl, model)
  const decider = baseUrl ?? model
  // A key named without a server goes wherever the person's own settings lead, but not where a project leads.
  const strays = keysPlace === undefined ? isOfProject(decider) : keysPlace !== place
  const kept = new Set(strays ? [] : keys)
  const findings = strays ? keys.map((key) => strayed(key, keysPlace, place)) : []
  return { entries: layers.flat().filter((entry) => !isKey(entry) || kept.has(entry)), findings }
}

function isKey({ path }: Entry): boolean {
  return KEY_SETTINGS.includes(dotted(path))
}

function isOfProject(entry: Entry | undefined): boolean {
  return entry?.origin.from === "file" && entry.origin.scope === "project"
}

/** A server by its origin, a vendor by its name; both decide who receives the key. */
function placeOf(baseUrl: Entry | undefined, model: Entry | undefined): string | undefined {
  if (baseUrl) return URL.canParse(String(baseUrl.value)) ? new URL(String(baseUrl.value)).origin : String(baseUrl.value)
  return model && String(model.value).split("/")[0]?.trim().toLowerCase()
}

function strayed(key: Entry, meant: string | undefined, place: string | undefined): Finding {
  const why = meant === undefined ? `the project, not you, chose ${place}` : `it was set for ${meant}, not for ${place}`
  return { ...whereIs(key.origin), reason: `\`${dotted(key.path)}\` is left out: ${why}. Keys are sent only where they belong.` }
}

/** For findings about values that may come from any layer. */
function whereIs(origin: Origin): { file: string; line?: number } {
  if (origin.from === "file") return { file: origin.file, line: origin.line }
  return { file: origin.from === "environment" ? origin.name : "command line" }
}
