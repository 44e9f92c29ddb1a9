/**
 * Markdown of others stays Markdown, but without HTML, without images that load, without links that run, whoever shows it. Code stays
 * as it is only where every reader of Markdown agrees that it is code; in doubt it is shown a little worse.
 */

/** At the first column it is a fence wherever it stands; further in, a list may end it early. */
const OPENING = /^(?:(`{3,})[^`]*|(~{3,}).*)$/
const CLOSING = /^ {0,3}(`{3,}|~{3,})\s*$/
const CODE_SPAN = /(?<![\\`])(`[^`]+`)(?!`)/

export function harmlessMarkdown(text: string): string {
  let bar: string | undefined
  let isPaired = true // no backtick of this paragraph waits for another one
  const lines = text.split("\n").map((line) => {
    if (bar !== undefined) {
      if (CLOSING.exec(line)?.[1]?.startsWith(bar)) bar = undefined
      return line
    }
    const opening = OPENING.exec(line)
    bar = opening?.[1] ?? opening?.[2]
    if (bar !== undefined) return line
    const pieces = line.split(CODE_SPAN)
    if (line.trim() === "") isPaired = true
    else if (pieces.some((piece, at) => at % 2 === 0 && piece.includes("`"))) isPaired = false
    return isPaired ? pieces.map((piece, at) => (at % 2 === 1 ? piece : disarmed(piece))).join("") : disarmed(line)
  })
  return [...lines, ...(bar === undefined ? [] : [bar])].join("\n")
}

/** Where a link leads must be plain to see: to the web, to mail, or to a file beside. */
const OTHER_LINK = /\]\((?!(?:https?:\/\/|mailto:)\S|[\w./#-][^\s:\\&)]*\))/gi

function disarmed(text: string): string {
  return text
    .replace(/<(?=[A-Za-z/!?])/g, "&lt;")
    .replaceAll("![", "[")
    .replace(OTHER_LINK, "]\\(")
    .replaceAll("]:", "]\\:") // where a link is defined
}
