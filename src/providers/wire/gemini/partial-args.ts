/**
 * Arguments that arrive value by value, each with its JSON path, as the JSON text they stand for. It only ever appends, so a draft
 * can be drawn while it grows; values that do not come in the order of a text are refused.
 */

/** Nothing in it can be relied on. */
export interface PartialArg {
  jsonPath?: unknown
  stringValue?: unknown
  numberValue?: unknown
  boolValue?: unknown
  nullValue?: unknown
  willContinue?: unknown
}

export interface ArgumentWriter {
  /** The text this value adds; undefined when it cannot be added. */
  add(value: PartialArg): string | undefined
  /** The text that ends the arguments. A string of which more was promised stays open: it is not whole. */
  close(): string
}

type Step = string | number

interface Container {
  kind: "object" | "array"
  /** Where in it the text is. */
  step: Step
  keys: Set<Step>
}

export function writeArguments(): ArgumentWriter {
  const containers: Container[] = []
  /** The path of a string that goes on. */
  let open: string | undefined

  /** Moves from the last value to the place of the next. */
  function moveTo(path: readonly Step[]): string | undefined {
    let shared = 0
    while (shared < containers.length && shared < path.length && containers[shared]?.step === path[shared]) shared++
    // A value stands there already, above it or below it.
    if (shared === path.length || (shared > 0 && shared === containers.length)) return undefined
    let text = closing(containers.splice(shared + 1))
    for (const step of path.slice(shared)) {
      const opened = enter(containers, shared++, step)
      if (opened === undefined) return undefined
      text += opened
    }
    return text
  }

  return {
    add(value) {
      const { jsonPath, willContinue } = value
      if (typeof jsonPath !== "string") return undefined
      const goesOn = willContinue === true
      if (open === jsonPath) {
        const rest = inside(value.stringValue ?? "")
        if (!goesOn) open = undefined
        return rest === undefined ? undefined : rest + (goesOn ? "" : '"')
      }
      if (open !== undefined) return undefined
      const path = parsePath(jsonPath)
      const before = path && path.length > 0 ? moveTo(path) : undefined
      const written = before === undefined ? undefined : writeValue(value, goesOn)
      if (written === undefined) return undefined
      if (goesOn) open = jsonPath
      return before + written
    },
    close: () => (open !== undefined ? "" : containers.length === 0 ? "{}" : closing(containers.splice(0))),
  }
}

/** Goes to a step of the container at this depth, which is opened if it is not there yet. */
function enter(containers: Container[], depth: number, step: Step): string | undefined {
  const kind = typeof step === "number" ? "array" : "object"
  let container = containers[depth]
  const key = typeof step === "number" ? "" : `${JSON.stringify(step)}:`
  if (container === undefined) {
    if (kind === "array" && step !== 0) return undefined
    container = { kind, step, keys: new Set([step]) }
    containers.push(container)
    return (kind === "array" ? "[" : "{") + key
  }
  const follows = typeof step === "string" || step === Number(container.step) + 1
  if (container.kind !== kind || container.keys.has(step) || !follows) return undefined
  container.step = step
  container.keys.add(step)
  return `,${key}`
}

function closing(containers: readonly Container[]): string {
  return containers.reduceRight((text, { kind }) => text + (kind === "array" ? "]" : "}"), "")
}

function writeValue(value: PartialArg, goesOn: boolean): string | undefined {
  const { stringValue, numberValue, boolValue } = value
  if (stringValue !== undefined || goesOn) {
    const text = inside(stringValue ?? "")
    return text === undefined ? undefined : `"${text}${goesOn ? "" : '"'}`
  }
  if (typeof numberValue === "number" && Number.isFinite(numberValue)) return JSON.stringify(numberValue)
  if (typeof boolValue === "boolean") return String(boolValue)
  return "nullValue" in value ? "null" : undefined
}

/** Half a surrogate pair stays an escape: the other half makes it whole. */
function inside(value: unknown): string | undefined {
  return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : undefined
}

const STEP = /\.([\w$\u0080-\uffff]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** `$.a['b c'][0]`: member names and places only. */
function parsePath(path: string): Step[] | undefined {
  if (!path.startsWith("$")) return undefined
  const steps: Step[] = []
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path)
    if (!found) return undefined
    const [, name, place, single, double] = found
    if (place !== undefined) steps.push(Number(place))
    else steps.push(name ?? (single ?? double ?? "").replace(/\\(.)/g, "$1"))
  }
  return steps
}
