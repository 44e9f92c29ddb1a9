/** The bash grammar, loaded when the first line needs it. Its two binaries lie beside the built command, or in node_modules. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { setFlagsFromString } from "node:v8"
import type { Parser as ParserType } from "web-tree-sitter"

const LIBRARY = "web-tree-sitter.wasm"
const BASH = "tree-sitter-bash.wasm"

const memory: { parser?: Promise<ParserType> } = {}

/** Rejects when the binaries are not there; a later call tries again. */
export function bashParser(): Promise<ParserType> {
  memory.parser ??= load().catch((error: unknown) => {
    delete memory.parser
    throw error
  })
  return memory.parser
}

async function load(): Promise<ParserType> {
  const before = [binary(LIBRARY, "web-tree-sitter/web-tree-sitter.wasm"), binary(BASH, `@vscode/tree-sitter-wasm/wasm/${BASH}`)]
  setFlagsFromString("--liftoff-only") // the optimising compiler would work on the grammar for longer than we use it
  const { Language, Parser } = await import("web-tree-sitter")
  const [library, bash] = await Promise.all(before)
  await Parser.init({ wasmBinary: library })
  if (!bash) throw new Error(`${BASH} is missing`)
  const parser = new Parser()
  parser.setLanguage(await Language.load(bash))
  return parser
}

async function binary(beside: string, inPackage: string): Promise<Uint8Array> {
  return readFile(new URL(beside, import.meta.url)).catch(() => readFile(createRequire(import.meta.url).resolve(inPackage)))
}
