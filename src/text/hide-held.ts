/**
 * Keeps values we hold, such as the model's key, out of everything that is recorded or shown. Only these exact values: what is
 * recorded is also what a task goes on from, so nothing that merely looks secret may be touched here (`redact.ts` is for reports).
 */

const MARK = "[redacted]"
const SHORTEST_SECRET = 6

/** For values that JSON can write. The same value, not a copy, when there is nothing to hide in it. */
export function hideHeld<Value>(value: Value, held: readonly string[]): Value {
  const secrets = secretsOf(held)
  if (secrets.length === 0 || !holds(value, secrets)) return value
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  return JSON.parse(hideInText(JSON.stringify(value), written))
}

function holds(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === "string") return secrets.some((secret) => value.includes(secret))
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([name, member]) => holds(name, secrets) || holds(member, secrets))
}

function hideInText(text: string, secrets: readonly string[]): string {
  let safe = text
  for (const secret of secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, MARK)
  return safe
}

export interface HidingStream {
  /** What can be shown by now: the beginning of a value that may still become one of ours waits. */
  push(text: string): string
  /** What was waiting, when nothing follows. */
  end(): string
}

/** For text that arrives in pieces: a value is found however it is cut. */
export function hidingStream(held: readonly string[]): HidingStream {
  const secrets = secretsOf(held)
  let waiting = ""
  return {
    push(text) {
      if (secrets.length === 0) return text
      const safe = hideInText(waiting + text, secrets)
      const keep = Math.max(...secrets.map((secret) => begunAtEnd(safe, secret)))
      waiting = safe.slice(safe.length - keep)
      return safe.slice(0, safe.length - keep)
    },
    end() {
      const rest = waiting
      waiting = ""
      return rest
    },
  }
}

/** How many characters at the end of the text begin the secret. */
function begunAtEnd(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

/** Long ones first, so that none leaves the tail of another that begins with it. */
function secretsOf(held: readonly string[]): string[] {
  return held.filter((value) => value.length >= SHORTEST_SECRET).sort((one, other) => other.length - one.length)
}
