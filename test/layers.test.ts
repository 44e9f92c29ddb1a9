/**
 * Holds the shape of the house: who may import whom, where tool names may stand, how long a file may be, and that importing a
 * file does nothing. Each rule is first shown a wrong example, so that a rule that sees nothing is noticed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "vitest"
import { importsOf, without } from "./source-text.ts"

interface Source {
  /** From the repository's root, with slashes. */
  path: string
  text: string
}

type Rule = (source: Source) => string[]

const project = join(import.meta.dirname, "..")

// --- who may import whom ---

const PURE = ["types", "json", "text"]
const STATIONS = [
  ..."providers stream tools modes settings project prompt policy hooks context checkpoints code-index".split(" "),
  ..."mcp host view scripted-model".split(" "),
]
const LOOP = [...PURE, "stream"]
const TASK = [...LOOP, "loop"]
const EXCHANGE = [...TASK, "task"]
const ENGINE = [...PURE, ...STATIONS, "loop", "task", "exchange"]
const FRONTS = ["ui", "server", "acp"]

/** Folder → the other folders it may import. A folder may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  types: [],
  json: ["types"],
  text: ["types"],
  ...Object.fromEntries(STATIONS.map((station) => [station, PURE])),
  loop: LOOP,
  task: TASK,
  exchange: EXCHANGE,
  engine: ENGINE,
  ...Object.fromEntries(FRONTS.map((front) => [front, ["types", "text", "view"]])),
  cli: [...ENGINE, ...FRONTS, "engine"],
  "index.ts": ["engine", "hooks", "types"],
}

/** Folders that import no package and no part of Node: they run anywhere, a browser included. */
const ANYWHERE = ["types", "json", "text", "view"]

const importTable: Rule = ({ path, text }) => {
  const folder = folderOf(path)
  const allowed = MAY_IMPORT[folder]
  if (!allowed) return [`${path}: the import table does not know the folder "${folder}"`]
  return importsOf(text).flatMap((target) => {
    if (!target.startsWith(".")) return ANYWHERE.includes(folder) ? [`${path}: ${folder}/ must not import "${target}"`] : []
    const reached = normalize(join(dirname(path), target)).replaceAll("\\", "/")
    if (!reached.startsWith("src/")) return [`${path}: imports "${target}" from outside src/`]
    if (!/\.(ts|json)$/.test(target)) return [`${path}: "${target}" lacks its extension`]
    const other = folderOf(reached)
    return other === folder || allowed.includes(other) ? [] : [`${path}: ${folder}/ must not import ${other}/ ("${target}")`]
  })
}

// --- where tool names may stand ---

const TOOL_FOLDERS = ["tools", "prompt", "modes", "exchange", "scripted-model"]
const TOOL_NAMES = [
  ..."read_file list_files search_files codebase_search write_to_file apply_diff apply_patch search_and_replace".split(" "),
  ..."search_replace edit_file execute_command read_command_output browser_action access_mcp_resource switch_mode".split(" "),
  ..."new_task ask_followup_question attempt_completion update_todo_list run_slash_command fetch_instructions generate_image".split(
    " ",
  ),
  ...definedToolNames(),
]
const toolName = new RegExp(`\\b(?:${[...new Set(TOOL_NAMES)].join("|")})\\b`)

const toolNames: Rule = ({ path, text }) => {
  if (TOOL_FOLDERS.includes(folderOf(path))) return []
  return text.split("\n").flatMap((line, index) => {
    const name = toolName.exec(line)?.[0]
    return name ? [`${path}:${index + 1}: knows the tool "${name}"`] : []
  })
}

// --- how long a file may be ---

const MAX_LINES: Record<string, number> = { "src/loop/run.ts": 120, "src/engine/create-task.ts": 150 }

const length: Rule = ({ path, text }) => {
  const lines = text.trimEnd().split("\n").length
  const most = MAX_LINES[path] ?? 400
  return lines > most ? [`${path}: ${lines} lines, at most ${most}`] : []
}

// --- importing a file does nothing ---

const DECLARATION = /^(?:import|export|const|function|async function|type|interface|class|abstract class|declare|enum)\b/
const ACTS = /^(?:export\s+)?const\b[^=]*=\s*(?:await\b|process\.\w+\(|(?:read|write|exists|stat|spawn|exec)\w*Sync\()/

const actsOnImport: Rule = ({ path, text }) => {
  if (path === "src/cli/main.ts") return []
  const lines = without(text, "comment", "string", "template", "pattern").split("\n")
  return lines.flatMap((line, index) => {
    const continues = /^[\s)}\]|&?:]/.test(line) || line === "" // formatted code: a new statement begins in the first column
    if (continues || (DECLARATION.test(line) && !ACTS.test(line))) return []
    return [`${path}:${index + 1}: does something when imported: ${line.trim()}`]
  })
}

// --- names ---

const VAGUE = /(?:^|[-./])(?:manager|coordinator|helper|util|legacy|v2)s?(?=[-./]|$)/
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*$/

const fileNames: Rule = ({ path }) => {
  const problems = path
    .split("/")
    .filter((part) => !KEBAB.test(part))
    .map((part) => `${path}: "${part}" is not kebab-case`)
  const vague = VAGUE.exec(path.toLowerCase())?.[0]
  return vague ? [...problems, `${path}: "${vague.replace(/\W/g, "")}" says nothing`] : problems
}

// --- the rules at work ---

describe("the import table", () => {
  holds(importTable, shipped())

  it.each([
    ["a station that imports another station", "src/tools/a.ts", `import { b } from "../host/local.ts"`],
    ["a type-only import", "src/tools/a.ts", `import type { B } from "../host/local.ts"`],
    ["an import over several lines", "src/tools/a.ts", `import {\n  b,\n  type C,\n} from "../host/local.ts"`],
    ["a dynamic import", "src/tools/a.ts", `const b = await import("../host/local.ts")`],
    ["a re-export", "src/tools/a.ts", `export * from "../host/local.ts"`],
    ["a named re-export", "src/tools/a.ts", `export { b } from "../host/local.ts"`],
    ["a type imported in place", "src/tools/a.ts", `type B = import("../host/local.ts").B`],
    ["an import for its effect", "src/tools/a.ts", `import "../host/local.ts"`],
    ["types that import anything", "src/types/a.ts", `import { b } from "../json/b.ts"`],
    ["json that imports text", "src/json/a.ts", `import { b } from "../text/b.ts"`],
    ["text that imports a part of Node", "src/text/a.ts", `import { join } from "node:path"`],
    ["a loop that imports tools", "src/loop/a.ts", `import { b } from "../tools/index.ts"`],
    ["a front that imports the engine", "src/ui/print/a.ts", `import { b } from "../../engine/create-task.ts"`],
    ["an engine that imports a front", "src/engine/a.ts", `import { b } from "../ui/print/b.ts"`],
    ["the library's entry that imports a station", "src/index.ts", `import { b } from "./host/local.ts"`],
    ["an import from outside src", "src/cli/a.ts", `import { b } from "../../test/random.ts"`],
    ["an import without extension", "src/cli/a.ts", `import { b } from "./b"`],
    ["a folder nobody has heard of", "src/misc/a.ts", ""],
  ])("refuses %s", (_, path, text) => expect(importTable({ path, text })).toHaveLength(1))

  it.each([
    [
      "a station that imports types, json, text and itself",
      "src/tools/a.ts",
      imports("../types/b.ts", "../json/b.ts", "../text/b.ts", "./b.ts"),
    ],
    ["a folder below a station", "src/providers/wire/a.ts", imports("../sse.ts", "../../types/chunk.ts")],
    ["task on loop and stream", "src/task/a.ts", imports("../loop/run.ts", "../stream/b.ts")],
    [
      "the command line on everything",
      "src/cli/commands/a.ts",
      imports("../../ui/print/b.ts", "../../engine/b.ts", "../../host/b.ts"),
    ],
    ["an import that only a comment speaks of", "src/types/a.ts", `// import { b } from "../host/local.ts"`],
  ])("allows %s", (_, path, text) => expect(importTable({ path, text })).toEqual([]))
})

describe("tool names", () => {
  holds(toolNames, shipped())

  it("refuses a tool's name outside the folders that may know it, even in a comment", () => {
    expect(toolNames({ path: "src/loop/a.ts", text: `\n// as read_file does` })).toEqual([
      `src/loop/a.ts:2: knows the tool "read_file"`,
    ])
    expect(toolNames({ path: "src/tools/a.ts", text: `"read_file"` })).toEqual([])
  })
})

describe("length", () => {
  holds(length, everything())

  it("refuses a file of 401 lines and a loop of 121", () => {
    expect(length({ path: "src/text/a.ts", text: "x\n".repeat(401) })).toHaveLength(1)
    expect(length({ path: "src/text/a.ts", text: "x\n".repeat(400) })).toEqual([])
    expect(length({ path: "src/loop/run.ts", text: "x\n".repeat(121) })).toHaveLength(1)
  })
})

describe("importing a file does nothing", () => {
  holds(actsOnImport, shipped())

  it.each([
    ["a call", "start()"],
    ["a condition", "if (process.env.X) {\n  start()\n}"],
    ["a top-level await", "const x = await start()"],
    ["a file read into a constant", `const text = readFileSync("x")`],
    ["a handler", `process.on("exit", () => {})`],
    ["a variable that is shared state", "let count = 0"],
  ])("refuses %s", (_, text) => expect(actsOnImport({ path: "src/text/a.ts", text })).toHaveLength(1))

  it.each([
    ["the entry file", "src/cli/main.ts", "start()"],
    ["a long template", "src/text/a.ts", "const words = `one\ntwo()\nthree`"],
    ["a doc comment", "src/text/a.ts", "/**\n* start()\n*/\nexport function a() {}"],
    ["a table of tools", "src/tools/a.ts", "export const tool = defineTool({\n  run() {},\n})"],
    ["patterns full of quotes", "src/text/a.ts", "const quote = /[`\"']/\nconst half = 1 / 2\nexport const b = 'c'"],
    ["a union over several lines", "src/types/a.ts", "export type A =\n  | { b: 1 }\n  | { c: 2 }"],
  ])("allows %s", (_, path, text) => expect(actsOnImport({ path, text })).toEqual([]))
})

describe("file names", () => {
  holds(fileNames, everything())

  it.each([
    "src/text/string-utils.ts",
    "src/task/task-manager.ts",
    "src/legacy/a.ts",
    "src/text/diff-v2.ts",
    "src/text/LineDiff.ts",
  ])("refuses %s", (path) => expect(fileNames({ path, text: "" })).toHaveLength(1))
  it("allows a longer word that only contains one", () => {
    expect(fileNames({ path: "src/text/utility-rates.ts", text: "" })).toEqual([])
  })
})

// --- reading the tree ---

function holds(rule: Rule, sources: Source[]): void {
  it("holds in every file", () => {
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap(rule)).toEqual([])
  })
}

/** What ends up in the product: src without its tests. */
function shipped(): Source[] {
  return read("src").filter(({ path }) => !path.endsWith(".test.ts"))
}

function everything(): Source[] {
  return [...read("src"), ...read("test"), ...read("scripts")]
}

function read(folder: string): Source[] {
  return readdirSync(join(project, folder), { withFileTypes: true }).flatMap((entry): Source[] => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === "demo-project" ? [] : read(path)
    return /\.(?:ts|mjs)$/.test(path) ? [{ path, text: readFileSync(join(project, path), "utf8") }] : []
  })
}

/** The first folder below src, or the file's own name when it lies directly in src. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? ""
}

function definedToolNames(): string[] {
  const file = join(project, "src/tools/definitions.json")
  if (!existsSync(file)) return []
  const found: unknown = JSON.parse(readFileSync(file, "utf8"))
  return [...JSON.stringify(found).matchAll(/"name":"(\w+_\w+)"/g)].map((match) => match[1] ?? "")
}

function imports(...targets: string[]): string {
  return targets.map((target) => `import { b } from "${target}"`).join("\n")
}
