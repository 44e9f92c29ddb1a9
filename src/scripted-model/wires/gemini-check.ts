/**
 * The rules of Gemini's generateContent, as strict as the server is: who speaks first and last, calls and results that pair in order
 * and number, signatures in their place, and the dialect of schemas it takes.
 */
import { checkFields, checkTexts, isObject, quote, type Report } from "../check-value.ts"
import { sealOf } from "./seal.ts"
import type { Received } from "./wire.ts"

type Fields = Record<string, unknown>

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/
const IMAGES = ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]
const PLACEHOLDER = "skip_thought_signature_validator"
const SCHEMA_FIELDS = [
  ..."type format title description nullable enum items properties required anyOf default example propertyOrdering".split(" "),
  ..."minimum maximum minItems maxItems minLength maxLength minProperties maxProperties pattern".split(" "),
]

export function checkGemini({ body, query, headers, path }: Received): string[] {
  const problems: string[] = []
  const report: Report = (where, problem) => void problems.push(`${where}: ${problem}`)
  if (query.has("key")) report("the address", "carries the key")
  if (headers["authorization"] !== undefined) report("authorization", "the key belongs into x-goog-api-key")
  if (!isObject(body)) return [...problems, "the body is not a JSON object"]
  checkFields(
    body,
    ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings"],
    "body",
    report,
  )
  checkTexts(body, "", report)
  if (body["systemInstruction"] !== undefined) checkSystem(body["systemInstruction"], report)
  checkTools(body["tools"], report)
  checkContents(body["contents"], modelIn(path), report)
  return problems
}

/** The name in the path of a request. */
export function modelIn(path: string): string {
  const name = /\/models\/([^/]+):/.exec(path)?.[1] ?? ""
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function checkSystem(system: unknown, report: Report): void {
  const parts = isObject(system) ? system["parts"] : undefined
  const filled = Array.isArray(parts) && parts.length > 0 && parts.every((part) => isObject(part) && isFilled(part["text"]))
  if (!filled) report("systemInstruction.parts", "not a list of texts")
}

function isFilled(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== ""
}

function checkContents(contents: unknown, model: string, report: Report) {
  if (!Array.isArray(contents) || contents.length === 0) return report("contents", "not a list with at least one content")
  /** The calls of the model's content directly before. */
  let open: Fields[] = []
  for (const [at, content] of contents.entries()) {
    const where = `contents[${at}]`
    if (!isObject(content)) {
      report(where, "not an object")
      continue
    }
    checkFields(content, ["role", "parts"], where, report)
    const { role } = content
    const parts = Array.isArray(content["parts"]) ? content["parts"].filter(isObject) : []
    if (role !== "user" && role !== "model") report(`${where}.role`, `${quote(role)} is not user or model`)
    if (parts.length === 0) report(`${where}.parts`, "not a list with at least one part")
    for (const [place, part] of parts.entries()) checkPart(part, `${where}.parts[${place}]`, role === "model", report)
    const results = parts.map((part) => part["functionResponse"]).filter(isObject)
    if (role === "model") {
      if (at === 0) report(where, "the first content is the model's")
      if (open.length > 0) report(where, "the calls before have no results")
      open = parts.map((part) => part["functionCall"]).filter(isObject)
      checkSignatures(parts, where, model, report)
    } else {
      checkResults(results, parts.length, open, where, report)
      open = []
    }
  }
  if (isObject(contents.at(-1)) && contents.at(-1)["role"] === "model") report("contents", "the last content is the model's")
}

function checkResults(results: readonly Fields[], parts: number, open: readonly Fields[], where: string, report: Report): void {
  if (results.length !== open.length) {
    report(where, `the number of function response parts (${results.length}) is not that of the calls before (${open.length})`)
  }
  if (results.length > 0 && parts > results.length) report(where, "other parts among the function responses")
  for (const [at, result] of results.entries()) {
    const call = open[at]
    if (!call) continue
    if (result["name"] !== call["name"])
      report(`${where}.parts[${at}]`, `answers ${quote(call["name"])} as ${quote(result["name"])}`)
    if (result["id"] !== call["id"])
      report(`${where}.parts[${at}]`, `answers the id ${quote(call["id"])} as ${quote(result["id"])}`)
  }
}

function checkPart(part: Fields, where: string, model: boolean, report: Report): void {
  checkFields(part, ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData"], where, report)
  const { text, functionCall, functionResponse, inlineData, thoughtSignature: signature } = part
  const kinds = [text, functionCall, functionResponse, inlineData].filter((kind) => kind !== undefined)
  if (kinds.length !== 1) report(where, "not exactly one of text, functionCall, functionResponse, inlineData")
  if (text !== undefined && !isFilled(text) && signature === undefined) report(`${where}.text`, "is empty or blank")
  if (signature !== undefined && (typeof signature !== "string" || !/^[\w+/-]+={0,2}$/.test(signature))) {
    report(`${where}.thoughtSignature`, "not base64")
  }
  if (functionCall !== undefined) checkFunction(functionCall, "args", `${where}.functionCall`, model, report)
  if (functionResponse !== undefined) checkFunction(functionResponse, "response", `${where}.functionResponse`, !model, report)
  if (inlineData !== undefined) checkImage(inlineData, `${where}.inlineData`, report)
}

function checkFunction(value: unknown, field: string, where: string, allowed: boolean, report: Report) {
  if (!allowed) report(where, "not in a content of this role")
  if (!isObject(value)) return report(where, "not an object")
  checkFields(value, ["id", "name", field], where, report)
  if (typeof value["name"] !== "string" || !NAME.test(value["name"]))
    report(`${where}.name`, `${quote(value["name"])} is no name`)
  if (value["id"] !== undefined && !isFilled(value["id"])) report(`${where}.id`, "is empty or blank")
  if (!isObject(value[field])) report(`${where}.${field}`, "not an object")
}

function checkImage(image: unknown, where: string, report: Report) {
  if (!isObject(image)) return report(where, "not an object")
  checkFields(image, ["mimeType", "data"], where, report)
  if (!IMAGES.includes(String(image["mimeType"])))
    report(`${where}.mimeType`, `unsupported MIME type ${quote(image["mimeType"])}`)
  if (typeof image["data"] !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(image["data"])) report(`${where}.data`, "not base64")
}

/** From the third generation on the first call of a turn carries one; one of ours belongs to its call and to its model. */
function checkSignatures(parts: readonly Fields[], where: string, model: string, report: Report): void {
  const [first, ...others] = parts.filter((part) => isObject(part["functionCall"]))
  if (!first) return
  const signature = first["thoughtSignature"]
  if (signature === undefined && /gemini-[3-9]/.test(model))
    report(where, "the first function call is missing a thought_signature")
  for (const part of [first, ...others]) {
    const { thoughtSignature: given, functionCall: called } = part
    if (typeof given !== "string" || given === PLACEHOLDER || !isObject(called)) continue
    const seal = Buffer.from(given, "base64").toString()
    if (seal.startsWith("scripted.") && seal !== sealOf(JSON.stringify(called["args"] ?? {}), model)) {
      report(where, "Thought signature is not valid")
    }
  }
}

function checkTools(tools: unknown, report: Report) {
  if (tools === undefined) return
  if (!Array.isArray(tools) || tools.length === 0) return report("tools", "not a list with at least one tool")
  const names = new Set<unknown>()
  for (const [at, tool] of tools.entries()) {
    const declared = isObject(tool) ? tool["functionDeclarations"] : undefined
    if (!Array.isArray(declared) || declared.length === 0) report(`tools[${at}]`, "has no functionDeclarations")
    for (const [place, declaration] of (Array.isArray(declared) ? declared : []).entries()) {
      const where = `tools[${at}].functionDeclarations[${place}]`
      if (!isObject(declaration)) {
        report(where, "not an object")
        continue
      }
      checkFields(declaration, ["name", "description", "parameters"], where, report)
      const { name, parameters } = declaration
      if (typeof name !== "string" || !NAME.test(name)) report(`${where}.name`, `${quote(name)} is no name`)
      if (names.has(name)) report(`${where}.name`, `there is another ${quote(name)}`)
      names.add(name)
      if (parameters === undefined) continue
      if (!isObject(parameters) || parameters["type"] !== "object") report(`${where}.parameters`, "not a schema of an object")
      else if (!isObject(parameters["properties"]))
        report(`${where}.parameters.properties`, "should be non-empty for OBJECT type")
      checkSchema(parameters, `${where}.parameters`, 0, report)
    }
  }
}

function checkSchema(schema: unknown, where: string, depth: number, report: Report) {
  if (!isObject(schema)) return report(where, "not a schema")
  if (depth > 32) return report(where, "nested too deeply")
  checkFields(schema, SCHEMA_FIELDS, where, report)
  const { type, anyOf, items, properties, required, enum: words } = schema
  if (Array.isArray(anyOf)) {
    for (const [at, inner] of anyOf.entries()) checkSchema(inner, `${where}.anyOf[${at}]`, depth + 1, report)
  } else if (!["string", "number", "integer", "boolean", "array", "object"].includes(String(type))) {
    report(`${where}.type`, `${quote(type)} is not a type`)
  }
  if (words !== undefined && (type !== "string" || !Array.isArray(words) || !words.every(isFilled))) {
    report(`${where}.enum`, "only allowed for STRING type, and never empty")
  }
  if (type === "array") checkSchema(items, `${where}.items`, depth + 1, report)
  if (properties !== undefined && (!isObject(properties) || Object.keys(properties).length === 0)) {
    report(`${where}.properties`, "should be non-empty for OBJECT type")
  }
  const inner = isObject(properties) ? properties : {}
  for (const [name, one] of Object.entries(inner)) checkSchema(one, `${where}.properties.${name}`, depth + 1, report)
  for (const name of Array.isArray(required) ? required : []) {
    if (!Object.hasOwn(inner, String(name))) report(`${where}.required`, `property is not defined: ${quote(name)}`)
  }
}
