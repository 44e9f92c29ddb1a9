/**
 * A server asks the person for something in the middle of a call. Each field is one question that names the server; secrets are never asked for
 * in this way, and an address is shown, never opened by us. Whatever is unclear is a no.
 */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client"
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import { cleanText, serverName } from "./result.ts"

/** The person's words; undefined when they decline. */
export type AskPerson = (question: string, suggestions: readonly string[]) => Promise<string | undefined>

const DECLINE = "Decline"
const ACCEPT = "Accept"
const SKIP = "Skip"
const MOST_FIELDS = 20
const ATTEMPTS = 3
/** What a field is called when it holds a secret, and what is said of it. */
const SECRET_NAME =
  /pass(?:word|phrase|code)|secret|token|api.?key|private.?key|credential|\bpin\b|\bcvv\b|card.?number|\bssn\b|\botp\b/i
const SECRET_WORDS = /\bpassword|\bpassphrase|\b(?:api|private|secret|access)[ _-]?key|\baccess[ _-]?token|\bcredit card/i

type Field = Record<string, unknown>

export async function elicit(server: string, params: ElicitRequest["params"], ask: AskPerson): Promise<ElicitResult> {
  if (params.mode === "url") return visit(server, params.url, params.message, ask)
  const fields = Object.entries(params.requestedSchema?.properties ?? {}) as [string, Field][]
  const required = new Set(params.requestedSchema?.required ?? [])
  const isFree = fields.some(([, field]) => field["type"] === "string" && !choicesOf(field))
  if (isFree && SECRET_WORDS.test(params.message)) return { action: "decline" }
  if (fields.length > MOST_FIELDS || fields.some(([name, field]) => isSecret(name, field))) return { action: "decline" }
  const head = `${serverName(server)} asks: ${truncate(cleanText(params.message), 2000)}`
  if (fields.length === 0) {
    const answer = await ask(head, [DECLINE, ACCEPT])
    return isYes(answer) ? { action: "accept", content: {} } : { action: "decline" }
  }
  const content: Record<string, string | number | boolean | string[]> = {}
  for (const [index, [name, field]] of fields.entries()) {
    const place = fields.length > 1 ? ` (${index + 1} of ${fields.length})` : ""
    const given = await askField(`${head}\n\n${labelOf(name, field)}${place}`, field, required.has(name), ask)
    if (given === DECLINED) return { action: "decline" }
    if (given !== undefined) content[name] = given
  }
  return { action: "accept", content }
}

/** The person opens it themselves, with the host before their eyes; that they did is all the server is told. */
async function visit(server: string, url: string, message: string, ask: AskPerson): Promise<ElicitResult> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return { action: "decline" }
  const words = `${serverName(server)} wants you to open a page on ${new URL(url).host}: ${truncate(cleanText(message), 1000)}`
  const answer = await ask(`${words}\n\n${cleanText(new URL(url).href)}`, [DECLINE, "Done, go on"])
  return isYes(answer) ? { action: "accept" } : { action: "decline" }
}

const DECLINED = Symbol("declined")
type Given = string | number | boolean | string[] | undefined

async function askField(question: string, field: Field, required: boolean, ask: AskPerson): Promise<Given | typeof DECLINED> {
  const choices = choicesOf(field)
  const usual = defaultOf(field)
  const suggestions = suggestionsFor(field, choices, usual, required)
  let problem = ""
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = (await ask(problem === "" ? question : `${question}\n(${problem})`, suggestions))?.trim()
    if (answer === undefined || answer.toLowerCase() === DECLINE.toLowerCase()) return DECLINED
    const isSkipped = answer === "" || (!required && answer.toLowerCase() === SKIP.toLowerCase())
    if (isSkipped && (usual !== undefined || !required)) return usual
    const read = readValue(answer, field, choices)
    if ("value" in read) return read.value
    problem = read.problem
  }
  return DECLINED
}

function suggestionsFor(field: Field, choices: string[] | undefined, usual: Given, required: boolean): string[] {
  const possible = choices ?? (field["type"] === "boolean" ? ["yes", "no"] : [])
  const first = usual === undefined ? [] : [inWords(usual)]
  return [DECLINE, ...new Set([...first, ...possible.slice(0, 8)]), ...(required ? [] : [SKIP])]
}

/** What the server takes when nothing is said, if it is of the field's own type. */
function defaultOf(field: Field): Given {
  const { type, default: given } = field
  if (Array.isArray(given)) return type === "array" ? given.map(String) : undefined
  if (typeof given === "number") return type === "number" || type === "integer" ? given : undefined
  if (typeof given === "boolean") return type === "boolean" ? given : undefined
  return typeof given === "string" && type === "string" ? given : undefined
}

function inWords(value: NonNullable<Given>): string {
  if (typeof value === "boolean") return value ? "yes" : "no"
  return Array.isArray(value) ? value.join(", ") : truncate(oneLine(cleanText(String(value))), 200)
}

function readValue(answer: string, field: Field, choices: string[] | undefined): { value: Given } | { problem: string } {
  switch (field["type"]) {
    case "boolean":
      if (/^(?:y|yes|true|1)$/i.test(answer)) return { value: true }
      return /^(?:n|no|false|0)$/i.test(answer) ? { value: false } : { problem: "Answer yes or no." }
    case "number":
    case "integer":
      return readNumber(Number(answer), field)
    case "array": {
      const items = answer
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
      const unknown = items.find((item) => choices && !choices.includes(item))
      return unknown === undefined ? { value: items } : { problem: `Choose of ${choices?.join(", ")}, parted by commas.` }
    }
    default:
      return readText(answer, field, choices)
  }
}

function readNumber(value: number, { type, minimum, maximum }: Field): { value: number } | { problem: string } {
  if (!Number.isFinite(value) || (type === "integer" && !Number.isInteger(value)))
    return { problem: `Answer with a number (${type}).` }
  if (typeof minimum === "number" && value < minimum) return { problem: `It is at least ${minimum}.` }
  return typeof maximum === "number" && value > maximum ? { problem: `It is at most ${maximum}.` } : { value }
}

function readText(answer: string, field: Field, choices: string[] | undefined): { value: string } | { problem: string } {
  const { minLength, maxLength } = field
  if (choices) {
    const chosen = choices.find((choice) => choice.toLowerCase() === answer.toLowerCase())
    return chosen === undefined ? { problem: `Choose one of ${choices.join(", ")}.` } : { value: chosen }
  }
  if (typeof minLength === "number" && answer.length < minLength) return { problem: `It has at least ${minLength} characters.` }
  return typeof maxLength === "number" && answer.length > maxLength
    ? { problem: `It has at most ${maxLength} characters.` }
    : { value: answer }
}

/** What may be chosen, as the server wants to hear it. */
function choicesOf(field: Field): string[] | undefined {
  const inner = field["type"] === "array" && isRecord(field["items"]) ? field["items"] : field
  const listed = inner["enum"] ?? inner["oneOf"] ?? inner["anyOf"]
  if (!Array.isArray(listed)) return undefined
  return listed.slice(0, 100).map((one) => String(isRecord(one) ? one["const"] : one))
}

function labelOf(name: string, field: Field): string {
  const { title, description } = field
  const usual = defaultOf(field)
  const label = typeof title === "string" && title.trim() !== "" ? `${title} (${name})` : name
  const about = typeof description === "string" ? `: ${description}` : ""
  const without = usual === undefined ? "" : ` (default: ${inWords(usual)})`
  return `${truncate(oneLine(cleanText(`${label}${about}`)), 500)}${without}`
}

function isSecret(name: string, { title, description, format }: Field): boolean {
  const named = [name, title].some((text) => typeof text === "string" && SECRET_NAME.test(text))
  return named || format === "password" || (typeof description === "string" && SECRET_WORDS.test(description))
}

function isYes(answer: string | undefined): boolean {
  return answer !== undefined && /^(?:accept|yes|y|ok|done|done, go on)\b/i.test(answer.trim())
}

function isRecord(value: unknown): value is Field {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
