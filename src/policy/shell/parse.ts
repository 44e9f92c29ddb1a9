/**
 * Reads a command line into the simple commands it would run and the files it redirects to and from. Never throws and never guesses:
 * what is not fully understood is a doubt. Lines of plain words are read without loading the grammar.
 */
import { disagreements } from "./agreement.ts"
import { bashParser } from "./grammar.ts"
import { type Folders, literalWord, type ParsedLine, type SimpleCommand, simpleCommand } from "./line.ts"
import { unwrap } from "./unwrap.ts"
import { walkTree } from "./walk.ts"

export type { ParsedLine, Redirection, SimpleCommand, Word } from "./line.ts"

const LONGEST = 100_000
const MOST_DEPTH = 6
const MOST_MS = 300
const KEPT_LINES = 256
const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+(?: [A-Za-z0-9_./:=@%+,-]+)*$/
const RESERVED =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|in|coproc|export|declare|typeset|local|readonly|unset)$/
/** What cannot be seen, or looks like something else on a screen. */
const UNSEEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u00a0\u00ad\u061c\u115f\u1160\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/u

const kept = new Map<string, Promise<ParsedLine>>()

/** The same line gives the same value, which is shared: do not change it. */
export function parseCommandLine(line: string): Promise<ParsedLine> {
  const known = kept.get(line)
  if (known) return known
  const parsed = parse(line, { folders: [""], via: [], fed: false }, 0)
  if (line.length < 4000) {
    if (kept.size >= KEPT_LINES) kept.delete(kept.keys().next().value ?? "")
    kept.set(line, parsed)
  }
  return parsed
}

/** One plain command of literal words: what the grammar would say, without it. */
export function plainCommand(line: string): SimpleCommand | undefined {
  if (line.length > LONGEST || !PLAIN.test(line)) return undefined
  const words = line.split(" ")
  const first = words[0] ?? ""
  if (first.includes("=") || RESERVED.test(first)) return undefined
  return simpleCommand(words.map(literalWord), { text: line, folders: [""] })
}

/** The same, never on the short way. */
export async function parseWithGrammar(line: string): Promise<ParsedLine> {
  return parse(line, { folders: [""], via: [], fed: false }, 0, { plain: false })
}

interface Place {
  folders: Folders
  via: readonly string[]
  fed: boolean
}

async function parse(line: string, place: Place, depth: number, short = { plain: true }): Promise<ParsedLine> {
  const parsed: ParsedLine = { commands: [], writes: [], reads: [], doubts: [] }
  const plain = short.plain ? plainCommand(line) : undefined
  if (plain) parsed.commands.push({ ...plain, ...place, cwdKnown: place.folders !== undefined })
  else await readWithGrammar(line, parsed, place)
  await unwrapAll(parsed, depth)
  return parsed
}

async function readWithGrammar(line: string, parsed: ParsedLine, place: Place): Promise<void> {
  if (line.length > LONGEST) {
    parsed.doubts.push(`more than ${LONGEST / 1000},000 characters`)
    return
  }
  const unseen = UNSEEN.exec(line)?.[0]
  if (unseen !== undefined) parsed.doubts.push(`a character that cannot be seen (U+${hex(unseen)})`)
  const parser = await bashParser().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  if (typeof parser === "string") {
    parsed.doubts.push(`a line that could not be read, for the shell grammar did not load: ${parser}`)
    return
  }
  const until = performance.now() + MOST_MS
  const tree = parser.parse(line, null, { progressCallback: () => performance.now() > until })
  if (!tree) {
    parser.reset()
    parsed.doubts.push("a line that takes too long to read")
    return
  }
  try {
    walkTree(tree.rootNode, parsed, place)
    for (const doubt of disagreements(tree.rootNode, line)) if (!parsed.doubts.includes(doubt)) parsed.doubts.push(doubt)
  } finally {
    tree.delete()
  }
}

/** Wrappers stay in the list, marked as such, in front of what they start. */
async function unwrapAll(parsed: ParsedLine, depth: number): Promise<void> {
  const found = parsed.commands.splice(0)
  const queue = found.map((command) => ({ command, level: depth }))
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { command, level } = next
    const { inner, scripts, wrapper, doubts } = unwrap(command)
    for (const doubt of doubts) if (!parsed.doubts.includes(doubt)) parsed.doubts.push(doubt)
    parsed.commands.push(wrapper ? { ...command, wrapper } : command)
    if (inner.length + scripts.length === 0) continue
    if (level >= MOST_DEPTH) {
      parsed.doubts.push("commands that start commands, too many times over")
      continue
    }
    queue.unshift(...inner.map((one) => ({ command: one, level: level + 1 })))
    for (const { text, via } of scripts) {
      const { folders, fed } = command
      const script = await parse(text, { folders, via: [...command.via, via], fed }, level + 1)
      const assigned = (one: SimpleCommand) => ({ ...one, assignments: [...command.assignments, ...one.assignments] })
      parsed.commands.push(...script.commands.map(assigned))
      parsed.writes.push(...script.writes)
      parsed.reads.push(...script.reads)
      for (const doubt of script.doubts) if (!parsed.doubts.includes(doubt)) parsed.doubts.push(doubt)
    }
  }
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
}
