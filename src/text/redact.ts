/**
 * Takes secrets out of text that leaves the task's own files; the one choke point for logs, exports and reports. Four kinds:
 * values we hold, keys of a known form, values that stand behind a telling name, and tokens that only a random generator writes.
 */
import { isRandomToken, LONGEST_TOKEN, mixesLettersAndDigits } from "./randomness.ts"

// Every repetition is bounded: on a run of some megabytes an unbounded one exhausts the stack of the expression engine.

const KNOWN_KEYS = [
  /sk-[A-Za-z0-9_-]{16,512}/g, // OpenAI, Anthropic, OpenRouter and many that copy the form
  /[sr]k_(?:live|test)_[A-Za-z0-9]{16,512}/g,
  /gh[opsur]_[A-Za-z0-9]{20,512}|github_pat_[A-Za-z0-9_]{20,512}/g,
  /glpat-[A-Za-z0-9_-]{16,512}/g,
  /A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9_])/g,
  /AIza[A-Za-z0-9_-]{30,512}/g,
  /xox[abprs]-[A-Za-z0-9-]{10,512}/g,
  /npm_[A-Za-z0-9]{30,512}|hf_[A-Za-z0-9]{20,512}|gsk_[A-Za-z0-9]{20,512}|xai-[A-Za-z0-9]{20,512}/g,
  /eyJ[A-Za-z0-9_-]{10,4096}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]{10,4096}/g, // JSON web tokens
]
/** A word begins here, also behind the `\n` of JSON and behind a colour code: both end in a letter. */
const WORD_BEGINS = /(?:^|[^A-Za-z0-9_]|\\[nrt]|\[[\d;]{1,8}m)$/
/** Also one that was cut off; it ends with the text it stands in. */
const PRIVATE_KEY =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-"]{0,16384}(?:-(?!----)[^-"]{0,16384}){0,64}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g
/** The value after one of these words: the word stays. */
const BEARERS = /((?:bearer|authorization:\s{0,9}basic)\s{1,9}|hooks\.slack\.com\/services\/)[A-Za-z0-9._~+/-]{12,4096}={0,2}/gi
/** `://user:password@`, unless it is a placeholder. */
const PASSWORD_IN_ADDRESS = /(:\/\/[^\s/:@"']{0,100}:)(?![$<{])[^\s/:@"']{1,200}@/g
/** `API_TOKEN=…`, `"clientSecret": "…"`, also inside JSON inside JSON. */
const NAMED_VALUES =
  /((?:api|access|secret|private|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|passphrase|credential)(\\{0,8}["']?\s{0,9}[:=]\s{0,9}\\{0,8}["']?)([A-Za-z0-9_+/~.-]{12,256}={0,2})/gi
/** A run of what tokens are made of. The `n` of JSON's `\n` is not part of it. */
const TOKENS = new RegExp(String.raw`(\\[nrt]|(?<![A-Za-z0-9_-]))([A-Za-z0-9_-]{24,${LONGEST_TOKEN + 1}})`, "g")

const SHORTEST_SECRET = 6
const MARK = "[redacted]"

/** `held`: values that are secret whatever they look like. Those too short to be told from ordinary words are not. */
export function redact(text: string, held: readonly string[] = []): string {
  let safe = text
  for (const value of formsOf(held)) safe = safe.replaceAll(value, MARK)
  for (const pattern of KNOWN_KEYS) {
    safe = safe.replace(pattern, (key, at: number, whole: string) => {
      return WORD_BEGINS.test(whole.slice(Math.max(0, at - 10), at)) ? MARK : key
    })
  }
  return safe
    .replace(PRIVATE_KEY, MARK)
    .replace(BEARERS, `$1${MARK}`)
    .replace(PASSWORD_IN_ADDRESS, `$1${MARK}@`)
    .replace(NAMED_VALUES, (all, name, between, value) => (mixesLettersAndDigits(value) ? `${name}${between}${MARK}` : all))
    .replace(TOKENS, (all: string, before: string, token: string, at: number, whole: string) => {
      return isRandomToken(token, at + before.length, whole) ? before + MARK : all
    })
}

/** As they are and as JSON writes them; long ones first, so that none leaves the tail of another that begins with it. */
function formsOf(held: readonly string[]): string[] {
  const secrets = held.filter((value) => value.length >= SHORTEST_SECRET)
  const forms = new Set(secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))
  return [...forms].sort((one, other) => other.length - one.length)
}
