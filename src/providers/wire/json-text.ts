/**
 * JSON for the wire. What belongs to the history is written once and not once per request: history only grows at its end, and
 * escaping all of it again each turn would become most of a long task's work.
 */

/**
 * JSON that every server can decode: lone surrogates and NUL, which a tool may have read from a file and which several servers
 * refuse, become replacement characters. `JSON.stringify` writes both as escapes, so that a search for these is enough.
 */
export function jsonText(value: unknown): string {
  const json = JSON.stringify(value)
  if (!json.includes("\\ud") && !json.includes("\\u0000")) return json
  return json.replace(/\\(u(?:d[89a-f][\da-f]{2}|0000)|.)/g, (whole, kind) => (kind.length > 1 ? "\ufffd" : whole))
}

/** The JSON that belongs to a part of the history, which never changes. One holder has one JSON. */
export type Once = (holder: object, write: () => string) => string

/** A memory of its own for each wire: the same part of the history is written differently there. */
export function rememberJson(): Once {
  const written = new WeakMap<object, string>()
  return (holder, write) => {
    let json = written.get(holder)
    if (json === undefined) {
      json = write()
      written.set(holder, json)
    }
    return json
  }
}

const onceEscaped = rememberJson()

/** A text as it stands between the quotes of a JSON string, so that several can be joined to one. The same on every wire. */
export function escapedText(part: { text: string }): string {
  return onceEscaped(part, () => jsonText(part.text).slice(1, -1))
}
