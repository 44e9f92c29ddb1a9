/**
 * Takes secrets out of text that leaves the task's own files; the one choke point for logs, exports and reports. Four kinds:
 * values we hold, keys of a known form, values that stand behind a telling name, and tokens that only a random generator writes.
 */
import { isRandomToken, mixesLettersAndDigits } from "./randomness.ts"

const KNOWN_KEYS = [
  /\bsk-[A-Za-z0-9_-]{16,}|\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g, // OpenAI, Anthropic, OpenRouter and many that copy the form; Stripe
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgsk_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, // JSON web tokens
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-"]|-(?!----))*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, // also one that was cut off
]
/** The value after one of these words: the word stays. */
const BEARERS = /\b((?:bearer|authorization:\s*basic)\s+|hooks\.slack\.com\/services\/)[A-Za-z0-9._~+/-]{12,}=*/gi
/** `://user:password@`, unless it is a placeholder. */
const PASSWORD_IN_ADDRESS = /(:\/\/[^\s/:@"']{0,100}:)(?![$<{])[^\s/:@"']{1,200}@/g
/** `API_TOKEN=…`, `"clientSecret": "…"`, also inside JSON inside JSON. */
const NAMED_VALUES =
  /((?:api|access|secret|private|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|passphrase|credential)(\\*["']?\s*[:=]\s*\\*["']?)([A-Za-z0-9_+/~.-]{12,256}=*)/gi
/** A run of what tokens are made of, seen whole: what stands beside it says what it is part of. */
const TOKENS = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{24,}/g

const SHORTEST_SECRET = 6
const MARK = "[redacted]"

/** `held`: values that are secret whatever they look like. Those too short to be told from ordinary words are not. */
export function redact(text: string, held: readonly string[] = []): string {
  let safe = text
  for (const value of formsOf(held)) safe = safe.replaceAll(value, MARK)
  for (const pattern of KNOWN_KEYS) safe = safe.replace(pattern, MARK)
  return safe
    .replace(BEARERS, `$1${MARK}`)
    .replace(PASSWORD_IN_ADDRESS, `$1${MARK}@`)
    .replace(NAMED_VALUES, (all, name, between, value) => (mixesLettersAndDigits(value) ? `${name}${between}${MARK}` : all))
    .replace(TOKENS, (token, start: number, whole: string) => (isRandomToken(token, start, whole) ? MARK : token))
}

/** As they are and as JSON writes them; long ones first, so that none leaves the tail of another that begins with it. */
function formsOf(held: readonly string[]): string[] {
  const secrets = held.filter((value) => value.length >= SHORTEST_SECRET)
  const forms = new Set(secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))
  return [...forms].sort((one, other) => other.length - one.length)
}
