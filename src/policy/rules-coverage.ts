/** What "always" would cover, in words, and the key under which it is remembered. Never wider than a person reads at a glance. Pure. */
import type { Judged } from "../types/stations.ts"
import { hostOf } from "./rules-match.ts"

export interface Always {
  covers: string
  grant: string
}

/** A simple command that would be asked about. */
export interface AskedCommand {
  command: string
  /** Its leading literal words, wrappers left out. */
  words?: readonly string[]
  /** False where its first words say too little about what it does. */
  coverable?: boolean
}

export const ONLY_THIS = "exactly this call"
const COMMAND = "command:"
const MOST_COMMANDS = 3

export function onlyThis({ digest }: Judged): Always {
  return { covers: ONLY_THIS, grant: `call:${digest}` }
}

/** For a call that nothing sets apart: its tool inside the workspace, or the host it reaches. */
export function wholeTool(call: Judged): Always {
  const { tool, effect, group, addresses } = call
  if (group === "mcp") return { covers: `${tool}, whatever it is given`, grant: `tool:${tool}:${effect}` }
  if (effect === "network" || (addresses.length > 0 && (effect === "read" || effect === "none"))) {
    const hosts = [...new Set(addresses.map(hostOf))]
    const [host] = hosts
    if (hosts.length !== 1 || host === undefined) return onlyThis(call)
    return { covers: `${tool} on ${host}`, grant: `host:${tool}:${host}` }
  }
  if (effect === "execute") return onlyThis(call)
  return { covers: `${tool} inside the workspace`, grant: `tool:${tool}:${effect}` }
}

/** Commands that begin alike, where that says enough; otherwise this call. */
export function alikeCommands(call: Judged, asked: readonly AskedCommand[]): Always {
  const patterns = [...new Set(asked.map(coverageOf))]
  const usable = patterns.flatMap((pattern) => pattern ?? [])
  if (usable.length === 0 || usable.length < patterns.length || usable.length > MOST_COMMANDS) return onlyThis(call)
  return { covers: `commands like ${usable.join(", ")}`, grant: `${COMMAND}${usable.join("\n")}` }
}

/** What was granted, in words. */
export function grantWords(grant: string): string {
  const [, kind = "", name = "", rest = ""] = /^(\w+):([\s\S]*?)(?::([^:]*))?$/.exec(grant) ?? []
  if (grant.startsWith(COMMAND)) return `commands like ${grant.slice(COMMAND.length).split("\n").join(", ")}`
  if (kind === "tool") return name.startsWith("mcp__") ? `${name}, whatever it is given` : `${name} inside the workspace`
  return kind === "host" ? `${name} on ${rest}` : "one call exactly as it was"
}

/** The patterns of command lines among what was granted. */
export function grantedPatterns(grants: Iterable<string>): string[] {
  return [...grants].flatMap((grant) => (grant.startsWith(COMMAND) ? grant.slice(COMMAND.length).split("\n") : []))
}

/** What stands for something else, or is more than one command. */
const NOT_ONLY_WORDS = /[$`;|&<>(){}\n\r\\]/
const LITERAL = /^[\w./:=@%+,-]+$/
const SUBCOMMAND = /^[a-z][a-z0-9:_-]*$/i
/** What they do is decided by what follows: other programs, scripts, or what they destroy. */
const SAYS_TOO_LITTLE = new RegExp(
  `^(?:${[
    "(?:ba|da|z|k|c|tc|fi|a)?sh|pwsh|powershell|cmd|busybox|toybox",
    "python[\\d.]*|pypy[\\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|irb|php|lua|luajit|r|rscript|julia|java|scala|groovy|tclsh|osascript",
    "npx|pnpx|bunx|uvx|uv|pipx|awk|gawk|mawk|sed|ed|vim?|nvim|emacs|nano|less|more|man",
    "sudo|doas|su|env|xargs|parallel|nohup|timeout|time|nice|ionice|setsid|script|exec|eval|command|builtin|source|watch|entr|strace|gdb",
    "ssh|scp|sftp|rsync|curl|wget|nc|ncat|socat|telnet|ftp",
    "rm|rmdir|unlink|mv|cp|dd|ln|install|chmod|chown|chgrp|truncate|shred|tee|find|fd|kill|pkill|killall|mkfs.*|mount|umount|crontab|at",
    "tar|zip|unzip|7z|cpio|systemctl|service|launchctl|export|alias|set|trap|printf|read",
  ].join("|")})$`,
  "i",
)
/** With these words behind their program, likewise. */
const DECIDES_LATER = new RegExp(
  `^(?:${[
    "git (?:push|reset|clean|checkout|restore|switch|rebase|config|filter-branch|filter-repo|update-ref|submodule|bisect|difftool|mergetool|rm|gc|reflog|worktree|remote|am|apply)",
    "(?:npm|pnpm|yarn|bun) (?:exec|x|dlx|explore|publish|config|set|unpublish|link)",
    "(?:docker|podman|nerdctl|kubectl|oc) (?:run|exec|build|compose|cp|delete|apply|rm|rmi|system|volume|prune|debug|attach)",
    "(?:terraform|tofu|pulumi) (?:apply|destroy|import|state|up)",
    "(?:cargo|go|dotnet|poetry|pdm|pipenv|hatch|rye|bundle|rails|mix|gradle|mvn|opam|stack|cabal|swift) (?:run|exec|install|generate|tool|shell|runner|console|publish|push)",
    "(?:aws|gcloud|az|gh|glab|heroku|fly|vercel|netlify) .*",
  ].join("|")})$`,
)
/** Here a third word says what is meant. */
const NAMED_SCRIPT = /^(?:npm|pnpm|yarn|bun) run$/

/** They check or test a project; whatever follows, that is what they do. */
const CHECKS =
  /^(?:pytest|vitest|jest|mocha|ava|tsc|eslint|biome|prettier|stylelint|ruff|mypy|pyright|black|isort|flake8|pylint|rubocop|rspec|phpunit|phpstan|ctest|shellcheck|golangci-lint|gofmt|rustfmt|clang-format|clang-tidy)$/

function coverageOf({ command, words, coverable }: AskedCommand): string | undefined {
  const [program = "", second = "", third = ""] = words ?? command.split(" ")
  if (coverable === false || (words === undefined && NOT_ONLY_WORDS.test(command))) return undefined
  const name = program.slice(program.lastIndexOf("/") + 1)
  if (!LITERAL.test(program) || program !== name || SAYS_TOO_LITTLE.test(name)) return undefined
  if (CHECKS.test(name)) return `${program} *`
  if (!SUBCOMMAND.test(second)) return undefined
  const pair = `${program} ${second}`
  if (DECIDES_LATER.test(pair)) return undefined
  if (!NAMED_SCRIPT.test(pair)) return `${pair} *`
  return SUBCOMMAND.test(third) ? `${pair} ${third} *` : undefined
}
