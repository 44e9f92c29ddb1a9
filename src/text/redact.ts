/** Takes secrets out of text that leaves the task's own files: values we hold, and what looks like a key of a known kind. */

const KNOWN_KEYS = [
  /\bsk-[A-Za-z0-9_-]{16,}/g, // OpenAI, Anthropic, OpenRouter and many that copy the form
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgsk_[A-Za-z0-9]{20,}|\bxai-[A-Za-z0-9]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, // JSON web tokens
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
]
/** The value after one of these words: the word stays. */
const NAMED_VALUES = /\b((?:bearer|authorization:\s*basic)\s+)[A-Za-z0-9._~+/-]{12,}=*/gi

const SHORTEST_SECRET = 6
const MARK = "[redacted]"

/** `held`: values that are secret whatever they look like. Those too short to be told from ordinary words are not. */
export function redact(text: string, held: readonly string[] = []): string {
  let safe = text
  for (const value of held) if (value.length >= SHORTEST_SECRET) safe = safe.replaceAll(value, MARK)
  for (const pattern of KNOWN_KEYS) safe = safe.replace(pattern, MARK)
  return safe.replace(NAMED_VALUES, `$1${MARK}`)
}
