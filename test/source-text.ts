/** TypeScript source as text, for tests that hold rules about it: enough of the grammar to tell code from comments and literals. */

type Kind = "comment" | "string" | "template" | "pattern"

/** Blanks out the named kinds, keeping line ends, so that what is left can be searched line by line. */
export function without(text: string, ...kinds: Kind[]): string {
  let kept = ""
  let from = 0
  let at = 0
  while (at < text.length) {
    const kind = kindAt(text, at)
    if (!kind) {
      at++
      continue
    }
    const end = endOf(kind, text, at)
    if (kinds.includes(kind)) {
      kept += text.slice(from, at) + text.slice(at, end).replace(/[^\n]/g, " ")
      from = end
    }
    at = end
  }
  return kept + text.slice(from)
}

/** Where a file's modules come from: static, type-only, re-exported and dynamic imports, and imports of a type in place. */
export function importsOf(text: string): string[] {
  const code = without(text, "comment", "template", "pattern")
  const found: string[] = []
  for (const match of code.matchAll(/\b(?:import|export)\b[^"'()=]*?\bfrom\s*["']([^"'\n]+)["']/g)) found.push(match[1] ?? "")
  for (const match of code.matchAll(/\bimport\s*\(?\s*["']([^"'\n]+)["']/g)) found.push(match[1] ?? "")
  return found
}

function kindAt(text: string, at: number): Kind | undefined {
  const char = text[at]
  if (char === '"' || char === "'") return "string"
  if (char === "`") return "template"
  if (char !== "/") return undefined
  const next = text[at + 1]
  if (next === "/" || next === "*") return "comment"
  // A slash divides after a value and starts a pattern anywhere else.
  const before = text.slice(Math.max(0, at - 20), at).trimEnd()
  return /(?:^|[=(,:[!&|?{};+>]|\b(?:return|case|of|in))$/.test(before) ? "pattern" : undefined
}

function endOf(kind: Kind, text: string, at: number): number {
  if (kind === "comment") return text[at + 1] === "/" ? until(text, "\n", at) : until(text, "*/", at + 2) + 2
  if (kind === "template") return endOfTemplate(text, at)
  let inClass = false
  for (let end = at + 1; end < text.length; end++) {
    const char = text[end]
    if (char === "\\") end++
    else if (char === "\n") return end
    else if (kind === "pattern" && char === "[") inClass = true
    else if (kind === "pattern" && char === "]") inClass = false
    else if (char === text[at] && !inClass) return end + 1
  }
  return text.length
}

function endOfTemplate(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === "\\") end++
    else if (text[end] === "`") return end + 1
    else if (text[end] === "$" && text[end + 1] === "{") end = endOfBraces(text, end + 2)
  }
  return text.length
}

/** The index of the brace that closes the one before `at`. */
function endOfBraces(text: string, at: number): number {
  let depth = 1
  for (let end = at; end < text.length; end++) {
    const kind = kindAt(text, end)
    if (kind) end = endOf(kind, text, end) - 1
    else if (text[end] === "{") depth++
    else if (text[end] === "}" && --depth === 0) return end
  }
  return text.length
}

function until(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}
