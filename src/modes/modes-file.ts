/** Reads a file with a list of modes: YAML or JSON, JSON with comments too. Never throws; a file that is neither is one problem with its line. */
import { yamlProblem } from "../text/front-matter.ts"
import { isMapping } from "./group-list.ts"
import { plainBlanks, plainPunctuation } from "./plain-punctuation.ts"

type Path = readonly (string | number)[]

export interface ModesText {
  value: unknown
  /** The line of a value, or of the nearest one around it that has a place. */
  lineOf(path: Path): number
  problem?: { line: number; reason: string }
}

export async function readModesFile(text: string): Promise<ModesText> {
  const plain = plainBlanks(text)
  const read = await readEither(plain)
  if (hasModes(read)) return read
  const plainer = plainPunctuation(plain) // only now: inside a file that can be read, curly quotes are somebody's words
  const second = plainer === plain ? read : await readEither(plainer)
  return hasModes(second) ? second : read
}

function hasModes({ value }: ModesText): boolean {
  return isMapping(value) && "customModes" in value
}

async function readEither(text: string): Promise<ModesText> {
  if (!/^\s*[{[/]/.test(text)) return readYaml(text)
  const json = await readJson(text)
  if (json.problem === undefined) return json
  const yaml = await readYaml(text)
  return yaml.problem === undefined ? yaml : json
}

async function readJson(text: string): Promise<ModesText> {
  const { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } = await import("jsonc-parser")
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length
  return attempt("it is not JSON", () => {
    const errors: import("jsonc-parser").ParseError[] = []
    const tree = parseTree(text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error || !tree) {
      const words = inWords(error ? printParseErrorCode(error.error) : "ValueExpected")
      return unreadable({ line: error ? lineAt(error.offset) : 1, reason: `it is not JSON: ${words}` })
    }
    const lineOf = nearest((path) => {
      const node = findNodeAtLocation(tree, [...path])
      return node && lineAt(node.parent?.type === "property" ? node.parent.offset : node.offset)
    })
    return { value: getNodeValue(tree), lineOf }
  })
}

/** `CommaExpected` → "comma expected". */
function inWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()
}

async function readYaml(text: string): Promise<ModesText> {
  const { isNode, LineCounter, parseDocument } = await import("yaml")
  return attempt("it is not YAML", () => {
    const counter = new LineCounter()
    const document = parseDocument(text, { lineCounter: counter, merge: true, uniqueKeys: false, logLevel: "error" })
    const [error] = document.errors
    if (error) throw error
    const lineOf = nearest((path) => {
      const node: unknown = document.getIn(path, true)
      return isNode(node) && node.range ? counter.linePos(node.range[0]).line : undefined
    })
    return { value: document.toJS(), lineOf }
  })
}

/** Readers throw at aliases without an anchor, and when brackets go deeper than the stack. */
function attempt(what: string, read: () => ModesText): ModesText {
  try {
    return read()
  } catch (error) {
    const { line, reason } = yamlProblem(error)
    return unreadable({ line, reason: `${what}: ${reason}` })
  }
}

function unreadable(problem: { line: number; reason: string }): ModesText {
  return { value: undefined, lineOf: () => 1, problem }
}

function nearest(lineAt: (path: Path) => number | undefined): (path: Path) => number {
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lineAt(path.slice(0, length))
      if (line !== undefined) return line
    }
    return 1
  }
}
