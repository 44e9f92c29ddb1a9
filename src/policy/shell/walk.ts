/**
 * From the tree of a line to its commands and redirections, through every kind of statement. Kinds it does not know become doubts, but
 * the commands in them are still found: a rule that denies reaches them.
 */
import type { Node } from "web-tree-sitter"
import { type Assignment, type Folders, type ParsedLine, type SimpleCommand, simpleCommand, unite, type Word } from "./line.ts"
import { assignedValue, resolveWord, unknownWord, type ValuesOf } from "./resolve-word.ts"
import { variablesOf } from "./variables.ts"
import { readWord } from "./word.ts"

/** Where the shell may be after a statement, by how it ended. */
interface After {
  ok: Folders
  fail: Folders
}

interface Place {
  folders: Folders
  via: readonly string[]
  fed: boolean
}

interface Walk {
  line: ParsedLine
  valuesAt: (at: number) => ValuesOf
  /** Words that stand behind a redirection and belong to the command before it. */
  further: Map<number, Node[]>
  /** The grammar hangs the redirections of a list's last command on the whole list. */
  attached: Map<number, Node[]>
}

const SEQUENCES = new Set(["program", "compound_statement", "do_group", "else_clause", "elif_clause", "case_item"])
const LOOPS = new Set(["for_statement", "while_statement", "if_statement", "case_statement", "elif_clause", "else_clause"])
const MOST_COMMANDS = 400
const CHANGES_FOLDER = new Set(["cd", "pushd", "popd", "chdir"])
const FOLDER_CHANGE = /\b(?:cd|pushd|popd|chdir)\b/
const RESERVED = /^(?:[{}!]|\[\[|\]\]|if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|in)$/

export function walkTree(root: Node, line: ParsedLine, place: Place): void {
  visit({ line, valuesAt: variablesOf(root), further: new Map(), attached: new Map() }, root, place)
}

function visit(walk: Walk, node: Node, place: Place): After {
  const stays = { ok: place.folders, fail: place.folders }
  if (walk.line.commands.length > MOST_COMMANDS) return doubt(walk, "more commands than are looked at", stays)
  const redirects = walk.attached.get(node.id)
  if (redirects) {
    walk.attached.delete(node.id)
    return redirected(walk, node, redirects, place)
  }
  switch (node.type) {
    case "comment":
      return stays
    case "command":
      return visitCommand(walk, node, place)
    case "list":
      return visitList(walk, node, place)
    case "pipeline":
      return visitPipeline(walk, node, place)
    case "redirected_statement":
      return visitRedirected(walk, node, place)
    case "negated_command": {
      const { ok, fail } = sequence(walk, node, place)
      return { ok: fail, fail: ok }
    }
    case "subshell":
      sequence(walk, node, place)
      return stays
    case "variable_assignment":
    case "variable_assignments":
    case "declaration_command":
      return visitAssignments(walk, node, place)
    case "test_command":
      return visitTest(walk, node, place)
    default:
      return visitOther(walk, node, place)
  }
}

function visitOther(walk: Walk, node: Node, place: Place): After {
  const stays = { ok: place.folders, fail: place.folders }
  if (SEQUENCES.has(node.type) && !LOOPS.has(node.type) && node.type !== "case_item") return sequence(walk, node, place)
  if (node.type === "function_definition") doubt(walk, "a function: what a later word does depends on it", stays)
  else if (node.type === "for_statement" && node.firstChild?.text !== "for") doubt(walk, "a select loop", stays)
  else if (!LOOPS.has(node.type) && node.type !== "do_group" && node.type !== "case_item") doubt(walk, describe(node), stays)
  // What changes the folder in a branch or loop may have happened or not, once or many times.
  const moves = node.descendantsOfType("command_name").some((name) => name && CHANGES_FOLDER.has(name.text))
  const folders = moves && node.type !== "if_statement" ? undefined : place.folders
  let all: Folders = folders
  for (const child of node.namedChildren) {
    if (!child) continue
    if (isStatement(child)) {
      const { ok, fail } = visit(walk, child, { ...place, folders: moves ? all : folders })
      all = unite(all, unite(ok, fail))
    } else substitutions(walk, child, { ...place, folders: all })
  }
  return { ok: all, fail: all }
}

function isStatement({ type }: Node): boolean {
  return /statement|command$|pipeline|list|subshell|group|clause|item|ERROR|definition|assignment/.test(type)
}

function describe(node: Node): string {
  return node.type === "ERROR" || node.isMissing ? "a place where the line makes no sense" : `the form "${clip(node.text)}"`
}

function sequence(walk: Walk, node: Node, place: Place): After {
  let after: After = { ok: place.folders, fail: place.folders }
  for (const child of node.namedChildren) {
    if (!child) continue
    const folders = unite(after.ok, after.fail)
    const reached = visit(walk, child, { ...place, folders })
    // In the background it is a shell of its own.
    if (child.nextSibling?.text !== "&") after = reached
  }
  return after
}

function visitList(walk: Walk, node: Node, place: Place): After {
  const [left, right] = [node.child(0), node.child(2)]
  const operator = node.child(1)?.text
  if (!left || !right || node.childCount !== 3 || (operator !== "&&" && operator !== "||")) {
    return doubt(walk, describe(node), sequence(walk, node, place))
  }
  const first = visit(walk, left, place)
  return chain(walk, first, operator, right, place)
}

function chain(walk: Walk, first: After, operator: string, right: Node, place: Place): After {
  const second = visit(walk, right, { ...place, folders: operator === "&&" ? first.ok : first.fail })
  return operator === "&&"
    ? { ok: second.ok, fail: unite(first.fail, second.fail) }
    : { ok: unite(first.ok, second.ok), fail: second.fail }
}

function visitPipeline(walk: Walk, node: Node, place: Place): After {
  const parts = node.namedChildren.filter((child) => child !== null)
  for (const [index, child] of parts.entries()) visit(walk, child, { ...place, fed: index > 0 || place.fed })
  return { ok: place.folders, fail: place.folders }
}

function visitRedirected(walk: Walk, node: Node, place: Place): After {
  const body = node.childForFieldName("body")
  const redirects = node.namedChildren
    .filter((child) => child !== null && child.id !== body?.id)
    .filter((child) => child !== null)
  const last = body && lastCommand(body)
  if (!body || !last) return redirected(walk, undefined, redirects, place)
  walk.attached.set(last.id, redirects)
  return visit(walk, body, place)
}

function lastCommand(node: Node): Node {
  const last = /^(?:list|pipeline|negated_command)$/.test(node.type) ? node.lastNamedChild : null
  return last ? lastCommand(last) : node
}

function redirected(walk: Walk, body: Node | undefined, redirects: readonly Node[], place: Place): After {
  const fed = place.fed || redirects.some(({ type, text }) => type !== "file_redirect" || text.startsWith("<"))
  const behind: Node[] = []
  for (const redirect of redirects) {
    if (redirect.type === "file_redirect") behind.push(...fileRedirect(walk, redirect, place))
    else if (redirect.type === "herestring_redirect") substitutions(walk, redirect, place)
    else if (redirect.type !== "heredoc_redirect") doubt(walk, describe(redirect))
  }
  const detaches = redirects.some(({ text }) => text.startsWith("&>"))
  if (detaches && (behind.length > 0 || FOLDER_CHANGE.test(body?.text ?? "")))
    doubt(walk, "&>, which a plain sh reads as two commands")
  if (behind.length > 0) {
    if (body?.type === "command") walk.further.set(body.id, behind)
    else doubt(walk, "words behind a redirection")
  }
  let after: After = body ? visit(walk, body, { ...place, fed }) : { ok: place.folders, fail: place.folders }
  for (const redirect of redirects) if (redirect.type === "heredoc_redirect") after = heredoc(walk, redirect, place, after)
  return after
}

/** The grammar hangs what follows on the first line of a here-document below it. */
function heredoc(walk: Walk, node: Node, place: Place, before: After): After {
  let after = before
  let operator = ""
  for (const child of node.children) {
    if (!child) continue
    if (child.type === "file_redirect") {
      if (fileRedirect(walk, child, place).length > 0) doubt(walk, "words behind a redirection")
    } else if (child.type === "&&" || child.type === "||") operator = child.type
    else if (child.type === "pipeline") visit(walk, child, { ...place, fed: true })
    else if (child.type === "heredoc_body") substitutions(walk, child, place)
    else if (/^heredoc_|^<<|^file_descriptor$/.test(child.type)) continue
    else if (operator !== "" && isStatement(child)) after = chain(walk, after, operator, child, place)
    else {
      doubt(walk, "words behind a here-document")
      if (isStatement(child)) visit(walk, child, place)
    }
  }
  return after
}

/** Returns the words behind its target: they belong to the command. */
function fileRedirect(walk: Walk, node: Node, place: Place): Node[] {
  const operator = node.children.find((child) => child && /[<>]/.test(child.type) && !child.isNamed)?.type ?? ""
  const [target, ...behind] = node.childrenForFieldName("destination").filter((child) => child !== null)
  if (!target) {
    if (!/^\d*[<>]&-$/.test(node.text.replace(/\s/g, ""))) doubt(walk, describe(node))
    return []
  }
  substitutions(walk, target, place)
  if (operator.endsWith("&") && /^(?:\d+-?|-)$/.test(target.text)) return behind
  const words = wordsOf(walk, target)
  const odd = operator.endsWith("&") && !/^[\w./-]+$/.test(target.text) // quotes are taken off twice there
  if (operator === "" || odd || words.some((alternative) => alternative.length !== 1)) doubt(walk, describe(node))
  const list = operator === "<" || operator === "<&" ? walk.line.reads : walk.line.writes
  for (const word of words.flat()) list.push({ target: word, operator, folders: place.folders })
  return behind
}

function visitCommand(walk: Walk, node: Node, place: Place): After {
  const assignments: Assignment[] = []
  const nodes: Node[] = []
  let { fed } = place
  for (const child of node.namedChildren) {
    if (!child) continue
    if (child.type === "variable_assignment") assignments.push(assignmentOf(walk, child, place, true))
    else if (child.type === "file_redirect") nodes.push(...fileRedirect(walk, child, place))
    else if (child.type === "herestring_redirect") {
      fed = true
      substitutions(walk, child, place)
    } else nodes.push(child)
  }
  nodes.push(...(walk.further.get(node.id) ?? []))
  for (const child of nodes) substitutions(walk, child, place)
  if (RESERVED.test(nodes[0]?.text ?? "")) doubt(walk, `the word "${nodes[0]?.text}" where a command should be`)
  const alternatives = product(walk, nodes)
  const text = node.text
  const commands = alternatives.map((words) => simpleCommand(words, { ...place, text, assignments, fed }))
  walk.line.commands.push(...commands)
  return moved(commands, place)
}

/** All ways in which the words of a command can come out. */
function product(walk: Walk, nodes: readonly Node[]): Word[][] {
  let all: Word[][] = [[]]
  for (const node of nodes) {
    const words = wordsOf(walk, node)
    const many = all.length * words.length > 32
    if (many) all = all.map((before) => [...before, unknownWord(node.text)])
    else all = all.flatMap((before) => words.map((further) => [...before, ...further]))
  }
  return all
}

function wordsOf(walk: Walk, node: Node): Word[][] {
  const { text } = node
  if (node.type === "process_substitution") return [[unknownWord(text)]]
  const word = readWord(text, 0, closingParenthesis)
  for (const what of word.doubts) doubt(walk, what)
  if (word.end !== text.length) return [[unknownWord(text)]]
  return resolveWord(word, walk.valuesAt(node.startIndex))
}

/** Good enough here: a word with a substitution in it has no known value, wherever that ends. */
function closingParenthesis(source: string, from: number): number {
  let open = 1
  for (let at = from; at < source.length; at++) {
    if (source[at] === "(") open++
    if (source[at] === ")" && --open === 0) return at
  }
  return -1
}

function moved(commands: readonly SimpleCommand[], { folders }: Place): After {
  let ok: Folders = []
  for (const { argv, words } of commands) {
    const [name, target] = argv
    if (!CHANGES_FOLDER.has(name ?? "")) ok = unite(ok, argv.slice(1, 4).some(isFolderChange) ? undefined : folders)
    else if (name === "cd" && argv.length === 2 && target !== undefined && target !== "-" && !words[1]?.glob && folders) {
      const into = words[1]?.tilde || target.startsWith("/") ? [target] : folders.map((from) => joinPath(from, target))
      ok = unite(ok, into)
    } else ok = undefined
  }
  return { ok, fail: folders }
}

/** `command cd x`, `time cd x`, or only a word that looks like it. */
function isFolderChange(word: string | undefined): boolean {
  return CHANGES_FOLDER.has(word ?? "")
}

function joinPath(from: string, to: string): string {
  return from === "" ? to : `${from}/${to}`
}

function visitAssignments(walk: Walk, node: Node, place: Place): After {
  const declares = node.type === "declaration_command"
  const keyword = node.firstChild?.text
  if (declares && keyword !== "export") doubt(walk, `${keyword}, which can change how variables work`)
  const nodes = node.type === "variable_assignment" ? [node] : node.namedChildren.filter((child) => child !== null)
  const assignments: Assignment[] = []
  if (nodes.length === 0) doubt(walk, `${keyword} alone, which tells the environment`)
  for (const child of nodes) {
    if (child.type === "variable_assignment") assignments.push(assignmentOf(walk, child, place, declares))
    else if (child.type !== "variable_name") doubt(walk, `the form "${clip(node.text)}"`)
  }
  walk.line.commands.push(simpleCommand([], { ...place, text: node.text, assignments }))
  return { ok: place.folders, fail: place.folders }
}

function assignmentOf(walk: Walk, node: Node, place: Place, exported: boolean): Assignment {
  substitutions(walk, node, place)
  const name = node.childForFieldName("name")
  if (name?.type !== "variable_name" || node.child(1)?.text !== "=") doubt(walk, `the assignment "${clip(node.text)}"`)
  const value = node.childForFieldName("value")
  if (value?.type === "array") doubt(walk, "an array")
  const word = readWord(value?.text ?? "", 0, closingParenthesis)
  const known = word.end === (value?.text.length ?? 0) ? assignedValue(word.parts, walk.valuesAt(node.startIndex)) : undefined
  return { name: name?.text ?? "", exported, ...(known !== undefined && { value: known }) }
}

const PLAIN_TEST = /^\[\[ +(?:! +)?(?:-[a-uw-zA-Z] +)?\S+(?: +(?:==?|!=|=~) +\S+)? +\]\]$/

/** `[` is a command like any other. `[[` evaluates arithmetic and subscripts, and a plain sh takes it for a command. */
function visitTest(walk: Walk, node: Node, place: Place): After {
  substitutions(walk, node, place)
  const { text } = node
  if (text.startsWith("[[")) {
    if (!PLAIN_TEST.test(text) || /[<>&|;`()]|\$\(|\[.*\[.*\[/.test(text))
      doubt(walk, "a test [[ … ]] that does more than compare")
  } else if (text.startsWith("((")) doubt(walk, "arithmetic as a command")
  else {
    const words = bracketWords(walk, node)
    walk.line.commands.push(simpleCommand(words, { ...place, text }))
  }
  return { ok: place.folders, fail: place.folders }
}

function bracketWords(walk: Walk, node: Node): Word[] {
  const { text } = node
  const words: Word[] = []
  for (let at = 0; at < text.length; ) {
    if (/[ \t]/.test(text[at] ?? "")) at++
    else {
      const word = readWord(text, at, () => -1)
      if (word.end === at || word.doubts.length > 0) {
        doubt(walk, `the test "${clip(text)}"`)
        return words
      }
      const [first] = resolveWord(word, walk.valuesAt(node.startIndex))
      words.push(...(first ?? []))
      at = word.end
    }
  }
  return words
}

/** Commands inside a word run before the command it belongs to. */
function substitutions(walk: Walk, node: Node, place: Place): void {
  if (node.type === "command_substitution" || node.type === "process_substitution") {
    if (node.type === "process_substitution") doubt(walk, "a process substitution")
    const via = [...place.via, node.type === "process_substitution" ? "<(…)" : "$(…)"]
    sequence(walk, node, { ...place, via, fed: false })
    return
  }
  for (const child of node.namedChildren) if (child) substitutions(walk, child, place)
}

function doubt(walk: Walk, what: string, after?: After): After {
  if (!walk.line.doubts.includes(what)) walk.line.doubts.push(what)
  return after ?? { ok: undefined, fail: undefined }
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, " ")
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
