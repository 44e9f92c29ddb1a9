/**
 * Commands that only look, with the options that keep them so: allowed by the preset without any rule. Interpreters, package managers and
 * everything that can run, write or tell the environment is not among them.
 */
import { escapeOf } from "./command-escapes.ts"
import { gitOnlyLooks } from "./command-git.ts"
import { baseName } from "./shell/unwrap.ts"

type Argv = readonly (string | undefined)[]

/** Any option is fine, except those that `command-escapes.ts` names. */
const LOOKERS = new Set(
  `ls cat head tail wc grep egrep fgrep rg find stat file du df pwd which sort uniq cut tr diff cmp comm tree nl tac rev fold paste join
   column basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum cksum b2sum od hexdump xxd strings seq jq sed awk gawk fd
   expand unexpand date uname whoami id nproc uptime arch tty sleep`.split(/\s+/),
)
/**
 * Asked for its version only. Programs that a file of the project can replace by another version of themselves (yarn, cargo, go, mvn …)
 * are left out: they would run it.
 */
const VERSIONED =
  /^(?:(?:node|npm|npx|bun|deno|python3?|pip3?|ruby|gem|perl|php|gcc|g\+\+|clang|make|cmake|docker|git|rg|jq|curl|uv|dotnet|kubectl|helm|gh) --version|(?:node|npm|npx|ruby|php|perl) -v|python3? -V|java -version|(?:git|docker) version)$/

/** Builtins that only steer the line itself, and words that do nothing: fine without any rule or preset. */
export function onlySteers({ argv }: { argv: Argv }): boolean {
  const [name, ...rest] = argv
  switch (name) {
    case "true":
    case "false":
    case ":":
    case "echo":
    case "pwd":
      return true
    case "break":
    case "continue":
    case "exit":
    case "return":
    case "wait":
      return rest.every((word) => /^\d{1,3}$/.test(word ?? "")) || (name === "exit" && rest.length === 1)
    case "printf":
      return rest[0] !== undefined && !rest[0].startsWith("-")
    case "set":
      return rest.length > 0 && rest.every((word) => /^(?:[-+][eux]*o?|pipefail)$/.test(word ?? ""))
    case "read":
      return rest.every((word) => /^(?:-r|[A-Za-z_]\w*)$/.test(word ?? ""))
    case "test":
      return safeTest(rest)
    case "[":
      return rest.at(-1) === "]" && safeTest(rest.slice(0, -1))
    case "type":
      return true
    case "command":
      return /^-[vV]$/.test(rest[0] ?? "")
    default:
      return false
  }
}

const UNARY = /^-[a-uw-zA-QS-Z]$/
const BINARY = /^(?:==?|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/

/** `-v` and `-R` look into subscripts, and those can run commands. */
function safeTest(words: Argv): boolean {
  const rest = words[0] === "!" ? words.slice(1) : words
  if (rest.length === 1) return true
  if (rest.length === 2) return UNARY.test(rest[0] ?? "")
  return rest.length === 3 && BINARY.test(rest[1] ?? "")
}

/** It only looks. Its paths are judged elsewhere. */
export function onlyLooks(argv: Argv): boolean {
  const [name] = argv
  if (name === undefined || argv.includes(undefined)) return false
  if (argv.length === 2 && VERSIONED.test(argv.join(" "))) return true
  if (name === "npm") return argv.length === 2 && /^(?:ls|list|root|prefix)$/.test(argv[1] ?? "")
  if (name !== "git" && !LOOKERS.has(name)) return false
  if (name === "git" && !gitOnlyLooks(argv)) return false
  if (name === "date" && argv.slice(1).some((word) => !/^(?:[+-]|\S+$)/.test(word ?? "") || /^\d{8,}/.test(word ?? "")))
    return false
  if (baseName(name) === "find" && argv.some((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word ?? ""))) return false
  return !argv.some((_, index) => escapeOf(argv, index) !== undefined)
}
