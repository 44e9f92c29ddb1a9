/**
 * Programs that find and start another one (`npx`, `npm exec`, `uv run`, `strace`, `python -c` …). What they start is compared with rules
 * that deny or ask; a rule that allows has to name the runner itself.
 */
import { type CommandRule, type Fit, fitsLoosely, occursIn } from "./command-rules.ts"
import { literalWord, type SimpleCommand, type Word } from "./shell/line.ts"
import { baseName, splitWords } from "./shell/unwrap.ts"

/** The first operand is the program. */
const RUNNERS = /^(?:npx|bunx|pnpx|uvx|corepack|yarn|yarnpkg)$/
/** The first operand behind this command of theirs. */
const RUNNING: Record<string, RegExp> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx|x)$/,
  yarn: /^(?:exec|dlx|run)$/,
  yarnpkg: /^(?:exec|dlx|run)$/,
  bun: /^(?:x|run|exec)$/,
  deno: /^(?:run|x)$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  pdm: /^run$/,
  hatch: /^run$/,
  rye: /^run$/,
  pipx: /^run$/,
  conda: /^run$/,
  bundle: /^exec$/,
  mise: /^(?:exec|x)$/,
  asdf: /^exec$/,
  volta: /^run$/,
  fnm: /^exec$/,
  nvm: /^(?:exec|run)$/,
}
/** Some operand is the program; which, depends on their options. */
const LAUNCHERS =
  /^(?:cross-env|env-cmd|dotenv|direnv|strace|ltrace|gdb|perf|valgrind|chroot|unshare|nsenter|setarch|linux(?:32|64)|taskset|chrt|prlimit|flock|script|firejail|bwrap|fakeroot|faketime|xvfb-run|dbus-run-session|dbus-launch|systemd-run|ssh-agent|caffeinate|arch|proxychains4?|torsocks|entr|watchexec|nodemon|hyperfine|parallel|watch|op|aws-vault|dotenvx|nix|nix-shell|cmd|cmd\.exe|wsl|start|su|runuser|pkexec|run0|setpriv|capsh|numactl|cgexec|daemonize|start-stop-daemon|tmux|screen|at|batch|rlwrap|expect|catchsegv|tini|dumb-init|gosu|su-exec|ionice|toybox|busybox|rtk)$/
const QUIET = /^(?:-y|--yes|--no|--no-install|-q|--quiet|--silent|-s|--)$/
const TEXT_OPTION = /^(?:-[a-zA-Z]*c|--call|--run|--command|-Command|-command|\/[cC]|-S)$/
const INTERPRETERS =
  /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|Rscript|tclsh|[gmn]?awk|pwsh|powershell)$/

/** How a rule that denies or asks fits what this command starts. */
export function fitsStarted(command: SimpleCommand, { pattern }: CommandRule): Fit {
  const { words, argv } = command
  const name = baseName(argv[0]) ?? ""
  if (pattern.trim() === "*") return "no" // it fits the runner already
  if (INTERPRETERS.test(name) && argv.slice(1).some((word) => word !== undefined && occursIn(pattern, word) && /\W/.test(word)))
    return "possibly"
  let fit: Fit = "no"
  for (const { started, sure } of startedBy(name, words)) {
    const found = fitsLoosely({ words: started }, pattern)
    if (found === "yes" && sure) return "yes"
    if (found !== "no") fit = "possibly"
  }
  return fit
}

interface Started {
  started: readonly Word[]
  /** Nothing in front of it could be meant otherwise. */
  sure: boolean
}

function startedBy(name: string, words: readonly Word[]): Started[] {
  if (/^(?:python[\d.]*|pypy3?)$/.test(name)) {
    const at = words.findIndex(({ value }) => value === "-m")
    return at < 0 ? [] : [{ started: words.slice(at + 1), sure: at === 1 }]
  }
  const found: Started[] = []
  const running = Object.hasOwn(RUNNING, name) ? RUNNING[name] : undefined
  const at = running ? words.findIndex(({ value }, index) => index > 0 && running.test(value ?? "")) : -1
  if (at > 0) found.push(...operandsOf(words.slice(at)))
  if (RUNNERS.test(name)) found.push(...operandsOf(words))
  if (LAUNCHERS.test(name))
    found.push(...words.slice(1, 12).map((_, index) => ({ started: words.slice(index + 1), sure: false })))
  if (at > 0 || RUNNERS.test(name) || LAUNCHERS.test(name)) found.push(...textsOf(words))
  return found
}

/** The first operand, or those that may be it because the ones before may be the values of options. */
function operandsOf(words: readonly Word[]): Started[] {
  const found: Started[] = []
  let sure = true
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value
    if (value?.startsWith("-")) {
      sure &&= QUIET.test(value)
      continue
    }
    const [program, ...rest] = words.slice(at)
    if (program) found.push({ started: [withoutVersion(program), ...rest], sure })
    const before = words[at - 1]?.value ?? ""
    if (!before.startsWith("-") || QUIET.test(before)) break
  }
  return found
}

/** `npm@latest` and `npm:npm` are npm. */
function withoutVersion(word: Word): Word {
  const value = word.value?.replace(/^npm:/, "").replace(/^(@?[^@]+)@.*$/s, "$1")
  return { ...word, value }
}

/** A line in the value of an option. */
function textsOf(words: readonly Word[]): Started[] {
  return words.flatMap(({ value }, at) => {
    const attached = /^--(?:call|run|command)=(.*)$/s.exec(value ?? "")?.[1]
    const text = attached ?? (TEXT_OPTION.test(value ?? "") ? words[at + 1]?.value : undefined)
    return text === undefined
      ? []
      : text.split(/&&|\|\||[;|&\n]/).map((line) => ({ started: splitWords(line).map(literalWord), sure: false }))
  })
}
