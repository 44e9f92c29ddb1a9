/** Forms in which lines that look alike are equal. For comparing only: nothing folded is ever written. */

/** White space at the edges dropped, inside reduced to one blank. */
export function foldWhiteSpace(line: string): string {
  const text = line.trim()
  return /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, " ") : text
}

/** The same, with typographic variants as their plain ones. */
export function foldLine(line: string): string {
  return foldWhiteSpace(foldPunctuation(line))
}

function foldPunctuation(line: string): string {
  if (isPlain(line)) return line
  return line
    .normalize("NFC")
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, "")
    .replace(/./gsu, (character) => foldCharacter(character))
}

export function isPlain(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text)
}

/** A character as its plain variant, or as it is. */
export function foldCharacter(character: string): string {
  return VARIANTS.get(character) ?? character
}

const VARIANTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    "...": "\u2026",
  }).flatMap(([plain, variants]) => [...variants].map((variant) => [variant, plain])),
)
