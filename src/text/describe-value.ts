/** What a value is, in a few words for whoever wrote it: for saying what came where something else was expected. */
import { count } from "./count.ts"

export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (typeof value === "string") return value === "" ? "empty string" : `string ${shorten(JSON.stringify(value))}`
  if (Array.isArray(value)) return `array of ${count(value.length, "item")}`
  return typeof value === "object" ? "object" : `${typeof value} ${String(value)}`
}

/** undefined where the way leads nowhere, or out of what the value itself holds. */
export function valueAt(value: unknown, steps: readonly PropertyKey[]): unknown {
  let at = value
  for (const step of steps) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined
    at = Reflect.get(at, step)
  }
  return at
}

export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
