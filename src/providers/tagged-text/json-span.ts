/** Finds the end of one JSON value in a text that comes in pieces. Whether it is valid is found out elsewhere. */

export interface JsonSpan {
  /** Where in this piece the value ends: the place behind its last character; -1 while it goes on. */
  scan(piece: string): number
}

export function jsonSpan(): JsonSpan {
  let depth = 0
  let inString = false
  let escaped = false
  let begun = false
  return {
    scan(piece) {
      for (let at = 0; at < piece.length; at++) {
        const character = piece.charAt(at)
        if (escaped) escaped = false
        else if (inString) {
          if (character === "\\") escaped = true
          else if (character === '"') inString = false
          if (!inString && depth === 0) return at + 1
        } else if (character === '"') {
          inString = true
          begun = true
        } else if (character === "{" || character === "[") {
          depth++
          begun = true
        } else if (character === "}" || character === "]") {
          depth--
          if (depth <= 0) return at + 1
        } else if (depth === 0) {
          const scalar = !/[\s,]/.test(character)
          if (begun && !scalar) return at // a number or a word
          begun ||= scalar
        }
      }
      return -1
    },
  }
}
