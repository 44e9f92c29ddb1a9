/** A file's name on one line: one with line ends, controls or marks that reorder text is quoted, so that no name can forge a line. */

const STRANGE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export function shownName(name: string): string {
  if (name.search(STRANGE) === -1) return name
  const quoted = JSON.stringify(name).replace(STRANGE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return quoted
}
