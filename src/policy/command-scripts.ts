/** Little programs inside a word: what sed, awk and jq are told to do. Only what can be seen to do no more than print is fine. */

const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`
const SUBSTITUTE = ["/", "|", "#", ",", ":", "@"]
  .map((mark) => {
    const escaped = mark === "|" ? "\\|" : mark
    return `s${escaped}(?:[^${escaped}\\\\\\n]|\\\\.)*${escaped}(?:[^${escaped}\\\\\\n]|\\\\.)*${escaped}[gpiI\\d]*`
  })
  .join("|")
const SAFE_SED = new RegExp(`^(?:\\s*(?:${ADDRESS}(?:,\\+?${ADDRESS})?)?\\s?!?(?:[pdq=]|${SUBSTITUTE})\\s*(?:;|$))+$`)
const UNSAFE_AWK = /system|getline|ENVIRON|ARGV|ARGC|SYMTAB|FUNCTAB|PROCINFO|[|>@]|close|fflush/
const UNSAFE_JQ = /\benv\b|\$ENV|\$__prog|input_filename|\bimport\b|\binclude\b|\bdebug\b|\bhalt/
const LONGEST = 600

/** Why the word at this place makes the program more than a filter, or undefined. */
export function unsafeScript(name: string, argv: readonly (string | undefined)[], index: number): string | undefined {
  const word = argv[index] ?? ""
  if (name === "sed" || name === "gsed") {
    if (word.startsWith("-")) {
      const plain = /^-[nErsuz]*e?$|^--(?:quiet|silent|regexp-extended|posix|null-data)$|^--expression=/.test(word)
      if (!plain) return `${word} lets sed do more than print`
      return word.startsWith("--expression=") ? safeSed(word.slice(13)) : undefined
    }
    return isScript(argv, index, /^-[nErsuz]*e$/) ? safeSed(word) : undefined
  }
  if (/^[gm]?awk$|^nawk$/.test(name)) {
    if (/^-(?:[fiIlEo]|-)/.test(word)) return `${word} lets awk do more than print`
    return isScript(argv, index, /^$/, /^-[Fv]$/) && UNSAFE_AWK.test(word) ? "the awk program may do more than print" : undefined
  }
  if (name === "jq") {
    if (/^-L|^--(?:from|lib)/.test(word)) return `${word} lets jq load a program`
    return UNSAFE_JQ.test(word) ? "the jq program may read the environment or other files" : undefined
  }
  return undefined
}

function safeSed(script: string): string | undefined {
  return script.length <= LONGEST && SAFE_SED.test(script) ? undefined : "the sed script may do more than print"
}

/** The word behind `-e`, or without one the first operand. */
export function isScript(argv: readonly (string | undefined)[], index: number, option: RegExp, withValue?: RegExp): boolean {
  const before = argv.slice(1, index)
  if (option.test(before.at(-1) ?? " ")) return true
  if (before.some((word) => option.test(word ?? " "))) return false
  return before.every((word, at) => (word?.startsWith("-") ?? false) || (withValue?.test(before[at - 1] ?? " ") ?? false))
}
