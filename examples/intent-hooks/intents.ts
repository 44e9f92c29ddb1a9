/** Reads `.joey/intents.yaml`: what the work in this folder can be about, and what belongs to it. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "yaml"

export interface Intent {
  id: string
  title: string
  /** Globs: only files like these may be edited. */
  scope: string[]
  /** Put into the prompt while the intent is chosen. */
  constraints: string[]
}

/** Rejects with one line that says what is wrong: a guard that cannot read its rules must not be silent. */
export async function readIntents(workspace: string): Promise<Intent[]> {
  const file = join(workspace, ".joey", "intents.yaml")
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error(`${file} cannot be read; list the intents there.`)
  })
  const value = parsed(text, file)
  const list = isRecord(value) ? value["intents"] : undefined
  if (!Array.isArray(list) || list.length === 0) throw new Error(`${file} has no list \`intents\`.`)
  return list.map((one, index) => intentOf(one, `${file}: intent ${index + 1}`))
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n")
    throw new Error(`${file} is not YAML: ${reason}`)
  }
}

function intentOf(value: unknown, place: string): Intent {
  if (!isRecord(value)) throw new Error(`${place} is not a mapping.`)
  const { id, title = id, scope, constraints = [] } = value
  if (typeof id !== "string" || !/^[\w.-]+$/.test(id)) throw new Error(`${place} needs an \`id\` of letters, digits, . _ and -.`)
  if (!isTexts(scope) || scope.length === 0) throw new Error(`${place} needs \`scope\`, a list of globs.`)
  if (!isTexts(constraints)) throw new Error(`${place} has \`constraints\` that are not a list of texts.`)
  return { id, title: String(title), scope, constraints }
}

/** `**` is any folders, `*` anything within one name. */
export function isInScope({ scope }: Intent, path: string): boolean {
  return scope.some((glob) => {
    const pattern = glob.replace(/\*\*\/|\*\*|\*|[\\^$.+?()[\]{}|]/g, (token) => {
      if (token === "**/") return "(?:[^/]+/)*"
      return token === "**" ? ".*" : token === "*" ? "[^/]*" : `\\${token}`
    })
    return new RegExp(`^${pattern}$`).test(path)
  })
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
