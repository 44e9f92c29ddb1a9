/** Commands that may change what lies outside the workspace, or how git works here: a person is asked even where everything is allowed. */
import { gitCommandIndex } from "./command-git.ts"
import { onlyLooks, onlySteers } from "./command-looking.ts"
import { pathWords } from "./command-operands.ts"
import { ask, type Judge, type Outcome } from "./command-outcome.ts"
import { folderOf, isScratch, nameOf, placesOf } from "./command-paths.ts"
import { literalWord, type SimpleCommand } from "./shell/line.ts"
import { baseName } from "./shell/unwrap.ts"

type Argv = readonly (string | undefined)[]

/** Nothing is kept there. */
export const HARMLESS_DEVICES = /^\/dev\/(?:null|stdout|stderr|stdin|tty|zero|u?random|fd\/\d+)$/
const COMPILERS = /^(?:cc|c\+\+|gcc|g\+\+|clang|clang\+\+|ld|rustc)$/
const INTERPRETERS = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|R|Rscript)$/

/** Any word that leads outside, of a command that is not known to only look; or it works outside as a whole. */
export async function reachesOutside({ cwd, ports }: Judge, command: SimpleCommand): Promise<Outcome | undefined> {
  const { argv, words, folders } = command
  if (command.wrapper || argv.length === 0 || argv[0] === "cd" || looks(argv) || onlySteers(command)) return undefined
  const elsewhere = await runsOutside({ cwd, ports }, command)
  if (elsewhere) return elsewhere
  for (const index of pathWords(argv)) {
    const word = words[index]
    if (!word || isProgramText(argv, index) || isSearchPath(argv, index)) continue
    const outside = (await placesOf(word, folders, cwd, ports))?.paths.find(
      (path) => path.outside && !isScratch(path.real, ports) && !HARMLESS_DEVICES.test(path.path),
    )
    if (outside) return { ...ask(`it names ${nameOf(outside)}, outside the workspace, and may change it`), grave: true }
  }
  return undefined
}

/** `cd .. && make`: a rule that allows the command means it for this folder. */
export async function runsOutside(
  { cwd, ports }: Pick<Judge, "cwd" | "ports">,
  command: SimpleCommand,
): Promise<Outcome | undefined> {
  const { argv, folders } = command
  if (looks(argv) || onlySteers(command)) return undefined
  const here = folders?.some((folder) => folder !== "") ? await folderOf(literalWord("."), folders, cwd, ports) : []
  const elsewhere = here?.find((path) => path.outside && !isScratch(path.real, ports))
  return elsewhere && { ...ask(`it runs in ${elsewhere.real}, which is outside the workspace`), grave: true }
}

const NEVER_WRITES =
  /^(?:cat|head|tail|wc|[ef]?grep|ls|stat|diff|cmp|cut|du|nl|tac|jq|strings|readlink|realpath|(?:md5|sha\d+)sum)$/

/** Whatever its unknown words are, where it has some. */
function looks(argv: Argv): boolean {
  return onlyLooks(argv) || (NEVER_WRITES.test(argv[0] ?? "") && onlyLooks(argv.map((word) => word ?? "x")))
}

/** `python -c …`, `node -e …`: the word is a program, however much of it looks like a path. */
function isProgramText(argv: Argv, index: number): boolean {
  return INTERPRETERS.test(baseName(argv[0]) ?? "") && /^(?:-[a-zA-Z]*[ceEpr]|--eval|--print)$/.test(argv[index - 1] ?? "")
}

/** Where a compiler looks for headers and libraries. */
function isSearchPath(argv: Argv, index: number): boolean {
  return COMPILERS.test(baseName(argv[0]) ?? "") && /^-(?:[IL]|isystem)/.test(argv[index] ?? "")
}

const READS_SETTINGS = /^(?:get|list|--get.*|--list|-l|--name-only|--show-origin|--show-scope)$/
const CHANGES_SETTINGS = /^(?:set|unset|edit|rename-section|remove-section|--(?:a|un|re|ed).*|-e)$/
const OTHER_FILE = /^(?:--global|--system|--file.*|-f.*|--worktree)$/
/** Who commits: it is only written down. */
const HARMLESS_SETTING = /^user\.(?:name|email)$/i

/** `git config` that writes: its settings say which programs git runs. */
export function changesGitSettings({ argv }: SimpleCommand): Outcome | undefined {
  if (baseName(argv[0]) !== "git") return undefined
  const at = gitCommandIndex(argv)
  if (argv[at] !== "config") return undefined
  const rest = argv.slice(at + 1)
  const options = rest.filter((word) => word?.startsWith("-"))
  const operands = rest.filter((word) => !word?.startsWith("-"))
  if (READS_SETTINGS.test(rest[0] ?? "") || options.some((word) => READS_SETTINGS.test(word ?? ""))) return undefined
  const changes = rest.some((word) => CHANGES_SETTINGS.test(word ?? ""))
  if (!changes && !rest.includes(undefined) && operands.length < 2) return undefined
  const name = operands[0] === "set" ? operands[1] : operands[0]
  const other = options.some((word) => OTHER_FILE.test(word ?? ""))
  if (!other && HARMLESS_SETTING.test(name ?? "")) return undefined
  return { ...ask(`it changes git's settings (${name ?? "all"}), and those say what git runs`), grave: true }
}
