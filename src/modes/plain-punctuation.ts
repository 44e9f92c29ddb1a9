/** Undoes what word processors and web pages do to text that a program must read. */

/** Blanks that look like spaces, and characters that are not seen at all. Joiners between letters or emoji belong to them and stay. */
export function plainBlanks(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replace(/[\u00A0\u2007\u202F]/g, " ")
    .replace(/[\u200B\u2060\uFEFF]|(?<![^\x00-\x7F])[\u200C\u200D]/g, "")
}

/** Curly quotes and long dashes as the keys on a keyboard. */
export function plainPunctuation(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201A\u201B]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
}
