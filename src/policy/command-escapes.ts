/**
 * Words with which a program does more than its name says: run another program, write a file, load code. A rule's wildcard never covers
 * them; they have to stand in the rule itself. Long options count from their shortest form, for many programs take those too.
 */

import { gitEscape } from "./command-git.ts"
import { isLong } from "./command-operands.ts"
import { unsafeScript } from "./command-scripts.ts"
import { baseName } from "./shell/unwrap.ts"

interface Escapes {
  /** Without dashes. */
  long?: string
  /** Letters of short options, alone or in a cluster. */
  short?: string
  word?: RegExp
  /** Options that are fine; every other one in front of the first operand is not. */
  only?: RegExp
}

const PYTHON: Escapes = { only: /^-(?:[uBOqsSE]+|V|-version|-help)$/ }
const PACKAGES: Escapes = {
  long: "script-shell node-options prefix globalconfig userconfig shell init-module editor viewer browser call package git cwd dir",
  short: "cC",
  word: /^(?:exec|x|dlx|explore|edit|config|set|init|create|publish|unpublish|login|token|hook|owner)$/,
}
const SSH: Escapes = { short: "oFSJiWLRD", long: "rsh" }
const PAGERS: Escapes = { word: /^\+/, long: "pager html lesskey log-file LOG-FILE", short: "PHkoO" }
const EDITORS: Escapes = { word: /^[-+]/ }
const LOADERS: Escapes = {
  long: "config require rulesdir plugin resolve-plugins-relative-to parser format output-file globalSetup setupFiles reporter reporters testRunner runner environment outputFile transform resolver test-reporter loader import",
  short: "crfo",
}

const TABLE: Record<string, Escapes> = {
  rg: { long: "pre pre-glob hostname-bin search-zip", short: "z" },
  fd: { long: "exec exec-batch", short: "xX" },
  find: { word: /^-(?:delete|fprint0?|fprintf|fls|files0-from)$/ },
  sort: { long: "output compress-program temporary-directory files0-from", short: "oT" },
  tree: { short: "o", long: "output" },
  date: { long: "set file", short: "sf" },
  file: { long: "compile", short: "C" },
  xxd: { short: "r", long: "revert" },
  du: {},
  make: {
    long: "eval file makefile include-dir assume-new",
    short: "fIEW",
    word: /^(?!\w+=(?:\d+|true|false|yes|no|on|off|y|n|debug|release|test|dev|prod|production|development)$)[\w.]+[:+?]?=|^(?:SHELL|MAKE\w*|\.SHELLFLAGS)=|\$/,
  },
  node: {
    word: /^-(?!-test(?:-only|-name-pattern(?:=.*)?|-concurrency(?:=.*)?|-timeout(?:=.*)?|-shard(?:=.*)?|-reporter=(?:spec|tap|dot|junit|lcov))?$|-version$|-help$|v$|-watch$|-experimental-strip-types$|-experimental-transform-types$|-experimental-test-coverage$|-no-warnings$|-enable-source-maps$|-trace-warnings$|-max-old-space-size=\d+$|-check$|-$)/,
  },
  python: PYTHON,
  python3: PYTHON,
  perl: { only: /^(?:-v|--version)$/ },
  ruby: { only: /^(?:-v|--version)$/ },
  php: { only: /^(?:-v|-l|--version)$/ },
  lua: { only: /^-v$/ },
  deno: { word: /^(?:eval|-A|--allow.*|repl|install|upgrade)$/, long: "config import-map preload require" },
  bun: { ...PACKAGES, word: /^(?:x|exec|repl|create|-e|-p)$/, long: "eval print preload config" },
  bash: { only: /^-[eux]+$/ },
  sh: { only: /^-[eux]+$/ },
  dash: { only: /^-[eux]+$/ },
  zsh: { only: /^$/ },
  npm: PACKAGES,
  pnpm: PACKAGES,
  yarn: { ...PACKAGES, long: `${PACKAGES.long} use-yarnrc` },
  npx: { only: /^(?:-y|--yes|--no|--no-install)$/ },
  pip: { long: "target prefix root index-url extra-index-url find-links config-settings", short: "tif" },
  cargo: { long: "config", short: "Z", word: /^\+/ },
  go: {
    word: /^--?(?:exec|toolexec|overlay|modfile|ldflags|gcflags|gccgoflags|asmflags|vettool|o|C|coverprofile|cpuprofile|memprofile|trace|outputdir)(?:=|$)/,
  },
  gcc: { word: /^(?:-wrapper|-fplugin.*|-B.*|@.*|-specs.*|-o)$/ },
  tar: {
    long: "checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script absolute-names remove-files files-from",
    word: /^-?[a-zA-Z]*[IFPT]/,
  },
  zip: { long: "unzip-command", word: /^-[a-zA-Z]*T/, short: "m" },
  rsync: {
    long: "rsh rsync-path delete remove-source-files delete-before delete-after delete-excluded config password-file files-from",
    short: "eM",
  },
  ssh: SSH,
  scp: SSH,
  sftp: SSH,
  curl: {
    long: "output config upload-file remote-name data-binary form output-dir create-dirs netrc-file unix-socket data",
    short: "oOKTFd",
  },
  wget: {
    long: "output-document post-file execute use-askpass input-file directory-prefix output-file body-file",
    short: "OePiao",
  },
  less: PAGERS,
  more: PAGERS,
  man: PAGERS,
  vim: EDITORS,
  vi: EDITORS,
  nvim: EDITORS,
  ex: EDITORS,
  emacs: EDITORS,
  pytest: {
    long: "rootdir confcutdir override-ini basetemp junitxml junit-xml pastebin log-file cov-config cov-report",
    short: "pco",
  },
  jest: LOADERS,
  vitest: LOADERS,
  mocha: LOADERS,
  eslint: { ...LOADERS, long: `${LOADERS.long} fix-dry-run` },
  tsc: { long: "outFile outDir declarationDir generateTrace generateCpuProfile plugins" },
  docker: { long: "volume mount privileged device pid network userns security-opt cap-add env-file", short: "v" },
  psql: { long: "command file output log-file", short: "cfoL" },
  sqlite3: { word: /^-(?:cmd|init)$|^\.|\breadfile|writefile|load_extension/ },
  column: {},
}

/** Why the word at this place needs more than a wildcard, or undefined. */
export function escapeOf(argv: readonly (string | undefined)[], index: number): string | undefined {
  const name = baseName(argv[0]) ?? ""
  const word = argv[index]
  if (word === undefined || index === 0) return undefined
  if (name === "git") return gitEscape(argv, index)
  const started = programStarted(name, argv)
  if (started > 0 && index > started) return escapeOf(argv.slice(started), index - started)
  const script = unsafeScript(name, argv, index)
  if (script) return script
  if (name === "uniq" || name === "xxd") return secondOperand(name, argv, index)
  if (name === "node" && !argv.includes("--test") && !isBeforeOperand(argv, index)) return undefined // the script's own
  const table = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined
  if (!table) return undefined
  return isEscape(table, argv, index, word) ? `${word} lets ${name} do more than its name says` : undefined
}

const HAS_COMMANDS = /^(?:git|npm|pnpm|yarn|bun|deno|cargo|go|docker|podman|kubectl|helm|gh|pip3?|uv|poetry|make|npx|bunx|just)$/

/** The word that says what a program with commands of its own does. */
export function isSubcommand(argv: readonly (string | undefined)[], index: number): boolean {
  return HAS_COMMANDS.test(baseName(argv[0]) ?? "") && index > 0 && isBeforeOperand(argv, index)
}

/** Where the program stands that this one only finds and starts: `python3 -m pytest`, `npx tsc`. */
function programStarted(name: string, argv: readonly (string | undefined)[]): number {
  if (/^python[\d.]*$/.test(name)) return argv[1] === "-m" ? 2 : 0
  if (name !== "npx" && name !== "bunx") return 0
  return argv.findIndex((word, at) => at > 0 && word !== undefined && !word.startsWith("-"))
}

function isEscape(
  { long, short, word: pattern, only }: Escapes,
  argv: readonly (string | undefined)[],
  index: number,
  word: string,
): boolean {
  if (pattern?.test(word)) return true
  if (only) return word.startsWith("-") && word !== "--" && isBeforeOperand(argv, index) && !only.test(word)
  if (word.startsWith("--")) return word.length > 2 && isLong(word, long)
  return short !== undefined && /^-[A-Za-z]/.test(word) && [...short].some((letter) => word.includes(letter))
}

function isBeforeOperand(argv: readonly (string | undefined)[], index: number): boolean {
  return argv.slice(1, index).every((word) => word?.startsWith("-") ?? false)
}

/** `uniq in out` writes out. */
function secondOperand(name: string, argv: readonly (string | undefined)[], index: number): string | undefined {
  const operands = argv.slice(1, index + 1).filter((word) => word !== undefined && !/^-./.test(word))
  const reverts = name === "xxd" && /^-(?:[a-z]*r|-revert)/.test(argv[index] ?? "")
  return reverts || (operands.length > 1 && !/^-/.test(argv[index] ?? "")) ? `${name} writes to ${argv[index]}` : undefined
}
