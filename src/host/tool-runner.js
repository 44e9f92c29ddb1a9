/**
 * The child in which the code of custom tools is loaded and run. It reads one request from pipe 3 and writes one answer there; what
 * the code prints goes elsewhere and disturbs nothing. Plain JavaScript: a process is started from a file, and Node 20 starts no
 * TypeScript.
 */
import { readSync, writeSync } from "node:fs"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const PIPE = 3
/** What the other side takes at most; a longer text is cut here, where that can still be said. */
const LONGEST = 1_000_000
const { stringify, parse } = JSON

const { program, file, wish } = parse(readLine())
process.on("uncaughtException", (error) => leave({ kind: "failed", message: wordsOf(error) }))
process.on("unhandledRejection", (error) => leave({ kind: "failed", message: wordsOf(error) }))
try {
  leave(await answer())
} catch (error) {
  leave({ kind: "failed", message: wordsOf(error) })
}

async function answer() {
  const tools = await load()
  if (wish.kind === "describe") return { kind: "described", tools: await Promise.all(tools.map(describe)) }
  const tool = tools.find(({ name }) => name === wish.tool)
  if (!tool) return { kind: "failed", message: `its file has no tool "${wish.tool}" any more` }
  const { parameters } = tool
  const checked = isZod(parameters) ? await parameters.safeParseAsync(wish.input) : { success: true, data: wish.input }
  if (!checked.success) return { kind: "invalid", problems: checked.error.issues.slice(0, 20).map(problemOf) }
  return resultOf(await tool.execute(checked.data, wish.context))
}

/** Every export that can be executed; others are the file's own business. */
async function load() {
  if (program.includes("joey.tool-kit")) await layOutKit()
  globalThis.require ??= createRequire(pathToFileURL(file))
  const text = `${program}\n//# sourceURL=${encodeURI(file)}\n`
  const found = await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)
  const canRun = (one) => typeof one === "object" && one !== null && typeof one.execute === "function"
  return [...new Set(Object.values(found).filter(canRun))]
}

/** What the imports of such files lead to. */
async function layOutKit() {
  const zod = await import("zod")
  const kit = {
    zod: Object.assign({ __esModule: true, default: zod.z }, zod),
    joey: { __esModule: true, parametersSchema: zod.z, z: zod.z, defineCustomTool: (definition) => definition },
  }
  Object.defineProperty(globalThis, Symbol.for("joey.tool-kit"), { value: kit })
}

async function describe({ name, description, parameters }) {
  return { name, description, parameters: isZod(parameters) ? await schemaOf(parameters) : (parameters ?? {}) }
}

async function schemaOf(parameters) {
  const { toJSONSchema } = await import("zod")
  return toJSONSchema(parameters, { io: "input", unrepresentable: "any" })
}

function isZod(parameters) {
  return typeof parameters === "object" && parameters !== null && "_zod" in parameters
}

function problemOf({ path, message }) {
  return path.length === 0 ? message : `\`${path.join(".")}\`: ${message}`
}

function resultOf(value) {
  const text = typeof value === "string" ? value : value === undefined ? "" : (stringify(value, null, 2) ?? String(value))
  return { kind: "result", text: text.slice(0, LONGEST), characters: text.length }
}

/** Anything can be thrown. */
function wordsOf(error) {
  try {
    const text = error instanceof Error || typeof error?.message === "string" ? error.message : error
    return String(typeof text === "object" && text !== null ? stringify(text) : text).slice(0, 4000) || "an error without words"
  } catch {
    return "an error that cannot be read"
  }
}

/** The whole answer before the end: the other side ends this process as soon as it has it. */
function leave(message) {
  let rest = Buffer.from(`${stringify(message)}\n`)
  while (rest.length > 0) rest = rest.subarray(patiently(() => writeSync(PIPE, rest)))
  process.exit(0)
}

function readLine() {
  const parts = []
  const part = Buffer.alloc(65_536)
  for (;;) {
    const size = patiently(() => readSync(PIPE, part))
    if (size === 0) throw new Error("nobody asks anything")
    parts.push(Buffer.from(part.subarray(0, size)))
    if (part[size - 1] === 10) return Buffer.concat(parts).toString()
  }
}

/** The pipe may say that it is not ready. */
function patiently(act) {
  for (;;) {
    try {
      return act()
    } catch (error) {
      if (error.code !== "EAGAIN") throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
