/** Commands that start other commands (`sudo`, `env`, `xargs`, `sh -c`, `find -exec` …): what they start, as far as it can be known. */
import { type Assignment, literalWord, type SimpleCommand, simpleCommand, type Word } from "./line.ts"
import { assignedValue, unknownWord } from "./resolve-word.ts"
import { readWord } from "./word.ts"
import { xargsOptions } from "./xargs.ts"

export interface Unwrapped {
  inner: SimpleCommand[]
  /** Shell text it runs. */
  scripts: { text: string; via: string }[]
  /** It does nothing but start what is inside. */
  wrapper: boolean
  doubts: string[]
}

interface Wrapper {
  /** Options with a value in the next word. */
  values?: readonly string[]
  /** Options without, or with the value attached. */
  flags?: RegExp
  /** Words of its own between the options and the command. */
  operands?: number
}

const WRAPPERS: Record<string, Wrapper> = {
  nohup: {},
  setsid: { flags: /^-[cfw]+$/ },
  nice: { values: ["-n", "--adjustment"], flags: /^(?:-\d+|-n-?\d+|--adjustment=-?\d+)$/ },
  ionice: { values: ["-c", "-n"], flags: /^-(?:[cn]\d|t)$/ },
  timeout: {
    values: ["-k", "-s", "--kill-after", "--signal"],
    flags: /^(?:-[ksv][\w.]*|--(?:kill-after|signal)=[\w.]+|--foreground|--preserve-status|--verbose)$/,
    operands: 1,
  },
  time: { flags: /^-p$/ },
  stdbuf: { values: ["-i", "-o", "-e"], flags: /^-[ioe][L\d]+[KMG]?$/ },
  unbuffer: {},
  command: { flags: /^-p$/ },
  builtin: {},
  exec: { flags: /^-[cl]+$/ },
  busybox: {},
  toybox: {},
  sudo: { values: ["-u", "-g", "-U", "-C", "-p", "-h", "-r", "-t", "-T", "-D", "-R"], flags: /^-[nEHkSbKiPABs]+$|^--[a-z-]+/ },
  doas: { values: ["-u", "-C", "-a"], flags: /^-[nLs]+$/ },
  chronic: {},
  env: { values: ["-u", "--unset"], flags: /^(?:-i|-|-0|--ignore-environment|--unset=\w+|-u\w+)$/ },
}
const SHELLS = new Set(["sh", "bash", "dash", "ash", "rbash", "zsh", "ksh", "mksh", "fish"])
const SAME_GRAMMAR = new Set(["sh", "bash", "dash", "ash"])
const INTERPRETER =
  /^(?:sh|bash|dash|ash|rbash|zsh|ksh|mksh|fish|python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|tclsh|osascript|pwsh|R|Rscript|awk|sed)$/
/** Builtins that change what later words of the line mean, or run text. */
const CHANGES_MEANING = new Set(
  "eval source . trap alias unalias enable hash bind complete compopt shopt fc mapfile readarray getopts let coproc declare typeset local readonly unset".split(
    " ",
  ),
)
const FIND_RUNS = new Set(["-exec", "-execdir", "-ok", "-okdir"])

export function unwrap(command: SimpleCommand): Unwrapped {
  const found: Unwrapped = { inner: [], scripts: [], wrapper: false, doubts: [] }
  const name = baseName(command.argv[0])
  if (name === undefined) return found
  if (CHANGES_MEANING.has(name)) unwrapBuiltin(name, command, found)
  else if (SHELLS.has(name)) unwrapShell(name, command, found)
  else if (name === "find") unwrapFind(command, found)
  else if (name === "xargs") unwrapXargs(command, found)
  else if (Object.hasOwn(WRAPPERS, name)) unwrapPlain(name, WRAPPERS[name] ?? {}, command, found)
  else if (RUNS_OPTION[name]) unwrapOption(name, command, found)
  if (INTERPRETER.test(name) && command.fed && readsProgram(command)) found.doubts.push(`a program fed into ${name}`)
  return found
}

/** The last part of a path: /usr/bin/git is git. */
export function baseName(program: string | undefined): string | undefined {
  return program?.slice(program.lastIndexOf("/") + 1)
}

function unwrapPlain(name: string, wrapper: Wrapper, command: SimpleCommand, found: Unwrapped): void {
  const { words, argv } = command
  if (name === "command" && /^-[vV]$/.test(argv[1] ?? "")) return
  let at = 1
  for (; at < argv.length; at++) {
    const word = argv[at]
    if (word === undefined) break
    if (word === "--") {
      at++
      break
    }
    if (!word.startsWith("-")) break
    if (wrapper.values?.includes(word)) at++
    else if (!wrapper.flags?.test(word)) found.doubts.push(`the option ${word} of ${name}`)
  }
  const assignments = [...command.assignments]
  while ((name === "env" || name === "time") && /^[A-Za-z_]\w*=/.test(argv[at] ?? ""))
    assignments.push(assignmentOf(argv[at++] ?? ""))
  at += wrapper.operands ?? 0
  if (argv.slice(1, at).includes(undefined)) found.doubts.push(`a word for ${name} that is not known`)
  const rest = words.slice(at)
  if (rest.length === 0) return
  found.wrapper = true
  found.inner.push(simpleCommand(rest, { ...inside(command, name), assignments }))
}

function unwrapXargs(command: SimpleCommand, found: Unwrapped): void {
  const { at, replaced, doubts } = xargsOptions(command.argv)
  found.doubts.push(...doubts)
  if (command.argv.slice(1, at).includes(undefined)) found.doubts.push("a word for xargs that is not known")
  found.wrapper = true
  found.inner.push(simpleCommand(fedByXargs(command.words.slice(at), replaced), inside(command, "xargs")))
}

function fedByXargs(words: readonly Word[], replaced: string | undefined): Word[] {
  if (words.length === 0) return [literalWord("echo"), unknownWord("…")]
  if (replaced === undefined) return [...words, unknownWord("…")]
  return words.map((word) => (word.value?.includes(replaced) ? unknownWord(word.text) : word))
}

function assignmentOf(text: string): Assignment {
  const equals = text.indexOf("=")
  return { name: text.slice(0, equals), value: text.slice(equals + 1), exported: true }
}

function unwrapFind(command: SimpleCommand, found: Unwrapped): void {
  const { words, argv } = command
  for (let at = 1; at < argv.length; at++) {
    const option = argv[at]
    if (option === undefined || !FIND_RUNS.has(option)) continue
    const rest = argv.slice(at + 1)
    const end = rest.findIndex((word, index) => word === ";" || (word === "+" && rest[index - 1] === "{}"))
    const inner = words.slice(at + 1, end < 0 ? undefined : at + 1 + end)
    if (end < 0) found.doubts.push("a find -exec without an end")
    const filled = inner.map((word) => (word.value?.includes("{}") ? unknownWord(word.text) : word))
    found.inner.push(simpleCommand(filled, inside(command, "find -exec")))
    at += inner.length
  }
}

function unwrapShell(name: string, command: SimpleCommand, found: Unwrapped): void {
  const { argv } = command
  let runsText = false
  let at = 1
  for (; at < argv.length; at++) {
    const word = argv[at]
    if (word === undefined || !/^[-+]/.test(word) || word === "-" || word === "--") break
    if (/^-[eluxvc]*o?$/.test(word) && word.length > 1) {
      runsText ||= word.includes("c")
      if (word.endsWith("o") && argv[++at] !== "pipefail") found.doubts.push(`an option of ${name}`)
    } else if (!/^(?:--login|--norc|--noprofile|--version|--help)$/.test(word)) {
      runsText ||= /^-[a-zA-Z]*c/.test(word)
      found.doubts.push(`the option ${word} of ${name}`)
    }
  }
  if (argv[at] === "--") at++
  if (!runsText && at < argv.length && argv[at] === undefined)
    found.doubts.push(`a script for ${name} that is only known when it runs`)
  if (!runsText) return
  const text = argv[at]
  found.wrapper = true
  if (!SAME_GRAMMAR.has(name)) found.doubts.push(`a script for ${name}, which has a grammar of its own`)
  if (text === undefined) found.doubts.push(`a script for ${name} that is only known when it runs`)
  else found.scripts.push({ text, via: `${name} -c` })
}

function unwrapBuiltin(name: string, command: SimpleCommand, found: Unwrapped): void {
  const { words, argv } = command
  const known = !argv.includes(undefined)
  found.doubts.push(
    known ? `${name}, which can change what the line means` : `${name} with words that are only known when it runs`,
  )
  if (name === "coproc") found.inner.push(simpleCommand(words.slice(1), inside(command, name)))
  if (name !== "eval" && name !== "trap") return
  const text = (name === "eval" ? argv.slice(1) : argv.slice(1, 2)).filter((word) => word !== undefined).join(" ")
  found.scripts.push({ text, via: name })
}

/** Programs that take a shell line in an option or as their words. They are judged as themselves too. */
const RUNS_OPTION: Record<string, RegExp | "words"> = {
  su: /^(?:-c|--command)$/,
  script: /^-[a-z]*c$/,
  flock: /^-c$/,
  runuser: /^(?:-c|--command)$/,
  watch: "words",
  parallel: "words",
}

function unwrapOption(name: string, command: SimpleCommand, found: Unwrapped): void {
  const option = RUNS_OPTION[name]
  const { argv } = command
  if (option === "words") {
    const words = argv.slice(1).filter((word) => word !== undefined && !word.startsWith("-"))
    found.scripts.push({ text: words.join(" "), via: name })
    found.doubts.push(`${name}, which runs its words as a line of its own`)
    return
  }
  const at = argv.findIndex((word) => word !== undefined && option?.test(word))
  const text = at < 0 ? undefined : argv[at + 1]
  if (text !== undefined) found.scripts.push({ text, via: name })
}

/** No file is named that the program would come from. */
function readsProgram({ argv }: SimpleCommand): boolean {
  const name = baseName(argv[0]) ?? ""
  if (/^(?:awk|sed)$/.test(name)) return argv.some((word) => word === "-" || word === "/dev/stdin") && argv.includes("-f")
  const operand = argv.slice(1).find((word) => word === undefined || word === "-" || !word.startsWith("-"))
  return (
    operand === undefined || operand === "-" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(operand) || argv.includes("-s")
  )
}

function inside(command: SimpleCommand, wrapper: string) {
  const { folders, via, assignments, fed } = command
  return { folders, via: [...via, wrapper], assignments, fed }
}

/** For a pattern in a rule: words with quotes taken off. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? "")) {
      at++
      continue
    }
    const word = readWord(text, at, () => -1)
    const end = word.end > at ? word.end : at + 1
    words.push(word.end > at ? (assignedValue(word.parts, () => undefined) ?? word.text) : text.slice(at, end))
    at = end
  }
  return words
}
