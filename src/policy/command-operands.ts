/** Which words of a command may name files, and the paths that a word may hold. What only looks like a path (patterns, messages) is left out. */
import { baseName } from "./shell/unwrap.ts"

type Argv = readonly (string | undefined)[]

/** Programs none of whose words are opened as files. */
const TEXT_ONLY = new Set(
  "echo printf true false : tr basename dirname seq date which type expr sleep exit return set read wait hash command kill break continue test [ whoami id uname hostname nproc uptime pwd logger".split(
    " ",
  ),
)
/** The first operand is a pattern or a program unless an option brings it. */
const PATTERN_FIRST: Record<string, RegExp> = {
  grep: /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)/,
  egrep: /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)/,
  fgrep: /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)/,
  rg: /^-[a-zA-Z]*[ef]$|^--(?:regexp|file|files$)/,
  ag: /^$/,
  sed: /^-[a-zA-Z]*[ef]$|^--(?:expression|file)/,
  awk: /^-[f]$/,
  gawk: /^-[f]$/,
  jq: /^(?:-f|--from-file)$/,
  fd: /^$/,
  perl: /^-[a-zA-Z]*[eE]$/,
}
/** Letters of options whose value is no path. */
const TEXT_OPTIONS: Record<string, string> = {
  grep: "emABCd",
  egrep: "emABC",
  fgrep: "emABC",
  rg: "egtTmABCrj",
  cut: "dfcb",
  sort: "tk",
  column: "sc",
  paste: "d",
  join: "t12o",
  nl: "bsw",
  head: "nc",
  tail: "nc",
  awk: "Fv",
  gawk: "Fv",
  sed: "e",
  fold: "w",
  tree: "LIP",
  ls: "Iw",
  du: "d",
  jq: "",
  git: "mSGnUL",
  find: "",
  fd: "etEd",
  xargs: "InPLdE",
  split: "lb",
  make: "j",
}
const TEXT_LONG =
  /^--(?:message|grep|author|committer|format|pretty|since|until|after|before|regexp|glob|type|include|exclude|exclude-dir|arg|argjson|color|sort|date|max-count|name|test-name-pattern|delimiter|iglob)(?:=|$)/

/** Places of words that may name files. */
export function pathWords(argv: Argv): number[] {
  const name = baseName(argv[0]) ?? ""
  if (TEXT_ONLY.has(name)) return []
  if (name === "find") return [...startPoints(argv), ...findFiles(argv)]
  const pattern = Object.hasOwn(PATTERN_FIRST, name) ? PATTERN_FIRST[name] : undefined
  const letters = Object.hasOwn(TEXT_OPTIONS, name) ? (TEXT_OPTIONS[name] ?? "") : ""
  let patternSeen = !pattern || argv.some((word) => word !== undefined && pattern.test(word))
  let literal = false
  const places: number[] = []
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]
    if (word === "--" && !literal) {
      literal = true
      continue
    }
    if (word?.startsWith("-") && word !== "-" && !literal) {
      if (isTextOption(word, letters)) {
        if (takesNext(word, name)) at += word.startsWith("--arg") ? 2 : 1
      } else places.push(at)
    } else if (!patternSeen) patternSeen = true
    else places.push(at)
  }
  return places
}

function isTextOption(word: string, letters: string): boolean {
  if (word.startsWith("--")) return TEXT_LONG.test(word)
  const letter = word[1] ?? ""
  return letters.includes(letter) || (/^-[a-zA-Z]+$/.test(word) && letters.includes(word.at(-1) ?? " "))
}

/** The value stands in the next word. */
function takesNext(word: string, name: string): boolean {
  if (word.startsWith("--")) return !word.includes("=") && !/^--(?:color|pretty)$/.test(word)
  if (name === "git" && !/^-[mSGn]$|^-[a-z]*m$/.test(word)) return false
  return word.length === 2 || /^-[a-zA-Z]+$/.test(word)
}

/** Only what stands in front of the tests is walked through. */
export function startPoints(argv: Argv): number[] {
  const end = argv.findIndex(
    (word, at) => at > 0 && word !== undefined && /^(?:-[a-zA-Z]{2,}|-[a-z]$|[(!])/.test(word) && !/^-[HLPD]$/.test(word),
  )
  return argv.map((_, at) => at).slice(1, end < 0 ? undefined : end)
}

/** What find writes to, or reads names from. */
function findFiles(argv: Argv): number[] {
  return argv.flatMap((word, at) => (/^-(?:fprint0?|fprintf|fls|files0-from)$/.test(word ?? "") ? [at + 1] : []))
}

/** The paths a word may hold: itself, the value of an option, what stands behind `=`, `:`, `,` or `@`. */
export function pathsIn(word: string): string[] {
  if (word === "-" || word === "--" || word === "") return []
  if (word.startsWith("--")) {
    const equals = word.indexOf("=")
    return equals < 0 ? [] : pathsIn(word.slice(equals + 1))
  }
  if (/^-[A-Za-z]/.test(word)) return /[/~.]/.test(word) ? inPieces(word.slice(2)) : []
  const equals = /^[A-Za-z_]\w*=(.*)$/s.exec(word)?.[1]
  if (equals !== undefined) return [word, ...pathsIn(equals)]
  return [word, ...inPieces(word)]
}

function inPieces(text: string): string[] {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return []
  const [first = "", ...further] = text.split(/[:,@=]/)
  return [...new Set([text, first])].filter((piece) => /^[/~.]/.test(piece)).concat(further.filter((piece) => piece !== ""))
}

/** `--outp=x` is `--output=x` to many programs. */
export function isLong(word: string, names: string | undefined): boolean {
  const option = word.slice(2).replace(/=.*/s, "")
  return option !== "" && (names ?? "").split(" ").some((name) => name !== "" && name.startsWith(option))
}

/** Its files are read and shown: it tells what is in them. */
export function tellsContent(argv: Argv): boolean {
  const name = baseName(argv[0]) ?? ""
  return /^(?:cat|tac|head|tail|less|more|nl|[ef]?grep|rg|ag|sed|[gmn]?awk|cut|sort|uniq|paste|join|comm|diff|cmp|jq|yq|strings|xxd|od|hexdump|base64|fold|rev|column|bat)$/.test(
    name,
  )
}

/** It reads whole folders and tells what is in their files: which, and whether hidden files are among them. */
export function searchesFolders(argv: Argv): { hidden: boolean; folders: number[] } | undefined {
  const name = baseName(argv[0]) ?? ""
  const options = argv.filter((word) => word?.startsWith("-"))
  const folders = pathWords(argv).filter((at) => !argv[at]?.startsWith("-"))
  if (name === "rg" && !argv.includes("--files")) {
    return { hidden: options.some((word) => /^(?:--hidden|--no-ignore|-[a-zA-Z]*\.|-[a-zA-Z]*uu)/.test(word ?? "")), folders }
  }
  const recursive = options.some((word) =>
    /^(?:-[a-zA-Z]*[rR][a-zA-Z]*|--(?:dereference-)?recursive|--directories=recurse)$/.test(word ?? ""),
  )
  if (!/^(?:[ef]?grep|diff)$/.test(name) || !recursive) return undefined
  const included = options.flatMap((word) => /^--include=(.*)$/.exec(word ?? "")?.[1] ?? [])
  return included.length > 0 && included.every((glob) => SOURCE_FILES.test(glob)) ? undefined : { hidden: true, folders }
}

/** Names that nobody gives to a file with secrets. */
export const SOURCE_FILES =
  /^\*\.(?:\{[a-z,]+\}|[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|md|css|scss|html|vue|svelte|sh|sql|proto|toml|lua|ex|exs)$/
