/** Commands of git that tell what is in files without naming them: which, and to which paths they are limited. */
import { gitCommandIndex } from "./command-git.ts"
import { isLong } from "./command-operands.ts"

type Argv = readonly (string | undefined)[]

export interface GitContent {
  /** The folders of `-C`, in order. */
  into: readonly string[]
  /** Paths, or names of commits: whatever stands there. */
  operands: readonly string[]
  /** Surely paths. */
  paths: readonly string[]
  /** Every option is known to stand alone, so that each operand is what it seems. */
  plain: boolean
}

const ALWAYS = new Set(["grep", "diff", "show", "whatchanged", "diff-tree", "diff-index", "diff-files", "range-diff", "cat-file"])
const WITH_PATCH = new Set(["log", "stash", "reflog", "rev-list"])
const PATCH =
  "patch patch-with-stat patch-with-raw unified cc function-context word-diff color-words remerge-diff diff-merges binary"
const PATCH_SHORT = /^-(?:[pucmW]|U.*|L.*)$/
const SUMMARY = /^(?:--(?:stat|shortstat|numstat|summary|name-only|name-status|no-patch|quiet|raw|dirstat|exit-code)(?:=.*)?|-s)$/
const ALONE_LONG =
  /^--(?:[a-z-]+=.*|stat|shortstat|numstat|summary|name-only|name-status|no-patch|oneline|patch|cached|staged|graph|all|follow|reverse|no-color|color|no-merges|first-parent|minimal|no-ext-diff|ignore-all-space|ignore-case|line-number|word-regexp|fixed-strings|abbrev-commit|quiet)$/
const ALONE_SHORT = /^-(?:[puswbRMzq]|\d+|[nU]\d+)$/
const ALONE_IN_GREP = /^-[nilwIEFPGohHvc]+$/

export function gitContent(argv: Argv): GitContent | undefined {
  const at = gitCommandIndex(argv)
  const command = argv[at] ?? ""
  const rest = argv.slice(at + 1).map((word) => word ?? "")
  if (argv[0] !== "git" || !(ALWAYS.has(command) || WITH_PATCH.has(command)) || !tells(command, rest)) return undefined
  const into = argv.flatMap((word, index) => (index < at && argv[index - 1] === "-C" ? [word ?? ""] : []))
  const end = rest.indexOf("--")
  const front = end < 0 ? rest : rest.slice(0, end)
  const operands = front.filter((word) => !word.startsWith("-"))
  if (command === "grep") operands.shift() // what is looked for
  if (command === "stash" || command === "reflog") operands.shift() // show
  const short = command === "grep" ? ALONE_IN_GREP : ALONE_SHORT
  const plain = front.every((word) => !word.startsWith("-") || ALONE_LONG.test(word) || short.test(word))
  return { into, operands, paths: end < 0 ? [] : rest.slice(end + 1), plain }
}

function tells(command: string, rest: readonly string[]): boolean {
  const patch = rest.some((word) => PATCH_SHORT.test(word) || (word.startsWith("--") && word.length > 2 && isLong(word, PATCH)))
  if (command === "grep") return true
  if (command === "cat-file") return !rest.some((word) => /^-[tse]$/.test(word))
  return patch || (ALWAYS.has(command) && !rest.some((word) => SUMMARY.test(word)))
}
