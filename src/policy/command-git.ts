/** Git's ways to run other programs, write files or work elsewhere, and which of its commands only look. */
import { isLong } from "./command-operands.ts"

/** Commands of git that run what they are told, or tell secrets: a rule has to name them. */
const RUNS_THINGS =
  /^(?:config|difftool|mergetool|filter-branch|bisect|daemon|instaweb|send-email|credential.*|hook|remote-.*|upload-pack|receive-pack|upload-archive|shell|svn|p4|cvs.*|archimport|fast-import|help|web--browse|gui|gitk|maintenance|sh-.*|var)$/
const LONG =
  "output ext-diff upload-pack receive-pack exec open-files-in-pager extcmd template config separate-git-dir output-directory pager config-env exec-path git-dir work-tree super-prefix paginate unsafe-paths remote upload-archive namespace tool"
const HARMLESS_SETTING = /^(?:color\.[a-z.]+|core\.quotepath|advice\.\w+|diff\.renamelimit|log\.date|core\.abbrev)=[\w.-]*$/i
const GLOBAL_WITH_VALUE = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--super-prefix",
])

/** Where the command of git stands, behind git's own options. */
export function gitCommandIndex(argv: readonly (string | undefined)[]): number {
  let at = 1
  while (at < argv.length) {
    const word = argv[at]
    if (word === undefined || !word.startsWith("-")) break
    at += GLOBAL_WITH_VALUE.has(word) ? 2 : 1
  }
  return at
}

export function gitEscape(argv: readonly (string | undefined)[], index: number): string | undefined {
  const word = argv[index] ?? ""
  const at = gitCommandIndex(argv)
  const command = argv[at] ?? ""
  if (isGitEscape(argv, index, { word, at, command })) return `${word} lets git run or write something else`
  return undefined
}

function isGitEscape(
  argv: readonly (string | undefined)[],
  index: number,
  { word, at, command }: { word: string; at: number; command: string },
): boolean {
  if (/^ext::|^!|^fd::/.test(word)) return true
  if (index < at) {
    if (word === "-c") return !HARMLESS_SETTING.test(argv[index + 1] ?? "")
    if (argv[index - 1] === "-c") return !HARMLESS_SETTING.test(word)
    return word.startsWith("--") ? isLong(word, LONG) && word !== "--no-pager" : word === "-p"
  }
  if (index === at) return RUNS_THINGS.test(word)
  if (word.startsWith("--")) return word.length > 2 && isLong(word, LONG) && !SAFE_NEARBY.test(word)
  if (/^(?:foreach|run)$/.test(word) && index === at + 1) return true
  if (!word.startsWith("-")) return false
  if (command === "grep") return /^-[a-zA-Z]*O/.test(word)
  if (command === "rebase") return /^-[a-zA-Z]*x/.test(word)
  if (command === "archive" || command === "format-patch") return word.startsWith("-o")
  if (command === "clone" || command === "fetch" || command === "ls-remote") return /^-[a-zA-Z]*[uc]/.test(word)
  return false
}

/** Whole options that others begin with. */
const SAFE_NEARBY = /^--(?:remotes|no-ext-diff)$/

/** Commands of git that only look, as a preset may allow them, with what they may be given. */
const LOOKING: Record<string, RegExp | true> = {
  status: true,
  log: true,
  diff: true,
  show: true,
  "ls-files": true,
  "ls-tree": true,
  blame: true,
  annotate: true,
  describe: true,
  shortlog: true,
  "rev-parse": true,
  "rev-list": true,
  "merge-base": true,
  "name-rev": true,
  "count-objects": true,
  "check-ignore": true,
  "for-each-ref": true,
  "show-ref": true,
  "diff-tree": true,
  "diff-index": true,
  "diff-files": true,
  "cat-file": true,
  whatchanged: true,
  cherry: true,
  "range-diff": true,
  grep: true,
  branch:
    /^(?:-[avrlq]+|-vv|--(?:list|all|remotes|verbose|show-current|merged|no-merged|contains|sort=\S+|format=.*|no-color|column))$/,
  tag: /^(?:-l|-n\d*|--(?:list|sort=\S+|format=.*|points-at|contains|merged))$/,
  remote: /^(?:-v|--verbose|get-url|origin|upstream)$/,
  stash: /^(?:list|show|-p|--stat|stash@\{\d+\}|--name-only)$/,
  worktree: /^(?:list|--porcelain)$/,
  submodule: /^(?:status|summary|--recursive)$/,
  reflog: /^(?:show|-\d+|-n|\d+|HEAD|--(?:oneline|all|date=\S+))$/,
}

/** Does this git command only look? The words it is given are judged as paths elsewhere. */
export function gitOnlyLooks(argv: readonly (string | undefined)[]): boolean {
  const at = gitCommandIndex(argv)
  const command = argv[at] ?? ""
  if (argv.length === 2 && /^--(?:version|help)$|^-v$/.test(argv[1] ?? "")) return true
  const allowed = Object.hasOwn(LOOKING, command) ? LOOKING[command] : undefined
  if (!allowed) return false
  const rest = argv.slice(at + 1)
  if (command === "branch" || command === "tag") return listsOnly(rest, allowed)
  if (command === "stash" && rest.length === 0) return false
  if (command === "submodule" && rest.length === 0) return true
  if (command === "worktree" && rest[0] !== "list") return false
  if (command === "cat-file") return !rest.some((word) => /^--(?:textconv|filters|batch)/.test(word ?? ""))
  return allowed === true || rest.every((word) => word !== undefined && allowed.test(word))
}

/** A name without a listing option makes or moves a branch or tag. */
function listsOnly(rest: readonly (string | undefined)[], allowed: RegExp | true): boolean {
  if (allowed === true) return true
  const lists = rest.some((word) => /^(?:-l|--list|--contains|--merged|--no-merged|--points-at)$/.test(word ?? ""))
  return rest.every((word) => word !== undefined && (allowed.test(word) || (lists && !word.startsWith("-"))))
}
