/**
 * Reads the symbols of source texts with tree-sitter, in a thread of its own: it works beside the loop, and what hangs or
 * breaks a grammar can be stopped. One message in, one out, in order. Plain JavaScript: a thread is started from a file, and
 * Node 20 starts no TypeScript.
 */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { setFlagsFromString } from "node:v8"
import { parentPort } from "node:worker_threads"
import { Language, Parser, Query } from "web-tree-sitter"

const LONGEST_PARSE_MS = 1000
const MOST_SYMBOLS = 5000
const LONGEST_NAME = 120
const LIBRARY = "web-tree-sitter.wasm"

/** By the grammar's name; null where it cannot be loaded. */
const readers = new Map()
let begun
let before = Promise.resolve()

parentPort?.on("message", ({ id, grammar, query, text }) => {
  before = before.then(async () => parentPort?.postMessage({ id, symbols: await read(grammar, query, text) }))
})

async function read(grammar, query, text) {
  if (!readers.has(grammar))
    readers.set(
      grammar,
      load(grammar, query).catch(() => null),
    )
  const reader = await readers.get(grammar)
  return reader ? symbolsOf(reader, text) : undefined
}

function symbolsOf({ parser, query }, text) {
  const until = performance.now() + LONGEST_PARSE_MS
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > until })
  if (!tree) {
    parser.reset()
    return undefined
  }
  const found = []
  for (const { captures } of query.matches(tree.rootNode)) {
    const name = captures.find((capture) => capture.name === "name")
    const whole = captures.find((capture) => capture.name !== "name")
    if (!name || !whole || found.length === MOST_SYMBOLS) continue
    const { startPosition: start, endPosition: end } = whole.node
    const last = end.column === 0 && end.row > start.row ? end.row - 1 : end.row
    found.push({ kind: whole.name, name: nameOf(name.node.text), first: start.row, last })
  }
  tree.delete()
  return found
}

/** A computed or quoted name without its brackets and quotes. */
function nameOf(text) {
  const bare = text.slice(0, 10 * LONGEST_NAME).replace(/^[[\s"'`]+|[\]\s"'`]+$/g, "")
  return bare.replace(/[\s\p{Cc}]+/gu, " ").slice(0, LONGEST_NAME)
}

async function load(name, query) {
  begun ??= begin()
  await begun
  const file = `tree-sitter-${name}.wasm`
  const language = await Language.load(await binary(file, `@vscode/tree-sitter-wasm/wasm/${file}`))
  const parser = new Parser()
  parser.setLanguage(language)
  return { parser, query: new Query(language, query) }
}

async function begin() {
  setFlagsFromString("--no-liftoff-only") // over thousands of files the optimising compiler pays
  await Parser.init({ wasmBinary: await binary(LIBRARY, `web-tree-sitter/${LIBRARY}`) })
}

/** Beside the built command, or in node_modules. */
async function binary(beside, inPackage) {
  return readFile(new URL(beside, import.meta.url)).catch(() => readFile(createRequire(import.meta.url).resolve(inPackage)))
}
