/** What every part of the request checker needs: how a problem is told, and the rules that hold for any value. */

/** Tells where a rule is broken, and how. */
export type Report = (where: string, problem: string) => void

/**
 * No NUL and no half of a surrogate pair in any text, keys included: servers that store or re-encode the request fail on
 * them. Walks with a stack of its own, so that no nesting is too deep for it.
 */
export function checkTexts(root: unknown, where: string, report: Report): void {
  const open: { value: unknown; path: string }[] = [{ value: root, path: where }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, path } = next
    if (typeof value === "string") checkText(value, path, report)
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) open.push({ value: item, path: `${path}[${index}]` })
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        checkText(key, `${path} (a key)`, report)
        open.push({ value: item, path: path === "" ? key : `${path}.${key}` })
      }
    }
  }
}

function checkText(text: string, where: string, report: Report): void {
  if (text.includes("\u0000")) report(where, "contains a NUL character")
  // With the u flag only a surrogate that stands alone matches.
  const lone = text.search(/[\uD800-\uDFFF]/u)
  if (lone >= 0) report(where, `contains half of a surrogate pair at ${lone}`)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The name a function may have, offered or called. */
export function isFunctionName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name)
}

/** A value in a few words that fit on one line. Never looks inside lists and objects: they may be huge, or very deep. */
export function quote(value: unknown): string {
  if (value === undefined) return "nothing"
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 59)}…` : value)
  if (Array.isArray(value)) return "a list"
  return isObject(value) ? "an object" : String(value)
}

/** A field that the wire does not know: stricter servers refuse the request for it, and it is often a leak or a typo. */
export function checkFields(value: Record<string, unknown>, known: readonly string[], where: string, report: Report): void {
  for (const field of Object.keys(value)) if (!known.includes(field)) report(`${where}.${field}`, "not a field of this wire")
}
