/** The options of xargs, GNU's and BSD's: where the command it starts begins, and which words are put into it. */

export interface XargsOptions {
  /** Where the command begins. */
  at: number
  /** What stands for the words it is fed; without it they are added at the end. */
  replaced: string | undefined
  doubts: string[]
}

const FLAGS = "0rtxpo"
/** The value is the rest of the word, or the next word. */
const WITH_VALUE = "InPLdEsaJRS"
/** The value is the rest of the word, if there is one. */
const MAY_HAVE_VALUE = "eil"
const LONG_FLAGS = /^--(?:null|no-run-if-empty|verbose|exit|interactive|open-tty)$/
const LONG_WITH_VALUE = /^--(?:arg-file|delimiter|max-args|max-procs|max-chars|process-slot-var)(?:=|$)/
const LONG_MAY_HAVE_VALUE = /^--(?:eof|replace|max-lines)(?:=|$)/

export function xargsOptions(argv: readonly (string | undefined)[]): XargsOptions {
  const found: XargsOptions = { at: 1, replaced: undefined, doubts: [] }
  while (found.at < argv.length) {
    const word = argv[found.at]
    if (word === undefined || !/^-./.test(word)) break
    found.at++
    if (word === "--") break
    if (word.startsWith("--")) readLong(word, argv, found)
    else readCluster(word, argv, found)
  }
  return found
}

function readLong(word: string, argv: readonly (string | undefined)[], found: XargsOptions): void {
  const equals = word.indexOf("=")
  const value = equals < 0 ? undefined : word.slice(equals + 1)
  if (LONG_WITH_VALUE.test(word)) take(word.startsWith("--arg-file") ? "a" : "", value ?? argv[found.at++], found)
  else if (LONG_MAY_HAVE_VALUE.test(word)) take(word.startsWith("--replace") ? "i" : "", value, found)
  else if (!LONG_FLAGS.test(word)) found.doubts.push(`the option ${word} of xargs`)
}

function readCluster(word: string, argv: readonly (string | undefined)[], found: XargsOptions): void {
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? ""
    const rest = word.slice(at + 1)
    if (FLAGS.includes(letter)) continue
    if (WITH_VALUE.includes(letter)) take(letter, rest === "" ? argv[found.at++] : rest, found)
    else if (MAY_HAVE_VALUE.includes(letter)) take(letter, rest === "" ? undefined : rest, found)
    else found.doubts.push(`the option ${word} of xargs`)
    return
  }
}

function take(letter: string, value: string | undefined, found: XargsOptions): void {
  if (letter === "I" || letter === "J") found.replaced = value
  if (letter === "i") found.replaced = value ?? "{}"
  if (letter === "a") found.doubts.push("a file that xargs takes words from")
}
