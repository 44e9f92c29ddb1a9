/** Writes Markdown piece by piece: white space as HTML means it, marks around words only, blocks apart, quotes and lists indented. */

export type Mark = "bold" | "italic" | "strike" | "link"

interface OpenMark {
  mark: Mark
  opening: string
  closing: string
  written: boolean
}

interface Indent {
  first: string | undefined
  rest: string
}

/** Deeper indentation is not shown: a page of nothing but nesting would otherwise grow by its square. */
const DEEPEST = 12

export interface MarkdownWriter {
  /** White space in it counts as one blank. */
  text(text: string): void
  /** As it is, without a mark getting in between. */
  code(text: string): void
  space(): void
  openMark(mark: Mark, opening: string, closing: string): void
  /** A mark around nothing leaves no trace. */
  closeMark(mark: Mark): void
  lineBreak(): void
  /** Ends the paragraph; a blank line follows when asked for. */
  endBlock(blank: boolean): void
  /** What the next line begins with, and those behind it. */
  indent(first: string, rest: string): void
  outdent(): void
  /** Lines as they are. */
  lines(lines: readonly string[]): void
  /** The line begun so far, which is then not written. */
  takeLine(): string
  /** Characters written. */
  size(): number
  result(): string
}

export function markdownWriter(): MarkdownWriter {
  const written: string[] = []
  const indents: Indent[] = []
  let tooDeep = 0
  let size = 0
  let gap = false // a blank line goes before the next one
  let line: string[] = []
  let blank = false // white space was seen since the last word
  let marks: OpenMark[] = []

  const word = (text: string) => {
    if (blank && line.length > 0) line.push(" ")
    blank = false
    for (const mark of marks) {
      if (!mark.written) line.push(mark.opening)
      mark.written = true
    }
    line.push(text)
  }
  const endLine = () => {
    for (const mark of marks.toReversed()) {
      if (mark.written) line.push(mark.closing)
      mark.written = false
    }
    const text = line.join("")
    // What a link says behind a break is plain text: its address is known by then.
    if (text !== "") marks = marks.filter(({ mark }) => mark !== "link")
    line = []
    blank = false
    return text
  }
  const write = (text: string) => {
    if (gap && written.length > 0) written.push(prefix(indents, false).trimEnd())
    gap = false
    const whole = (prefix(indents, true) + text).trimEnd()
    written.push(whole)
    size += whole.length + 1
  }
  const flush = () => {
    const text = endLine()
    if (text !== "") write(text)
  }
  return {
    text(text) {
      if (/^\s/.test(text)) blank = true
      const words = text.replace(/\s+/g, " ").trim()
      if (words !== "") word(words)
      if (/\s$/.test(text)) blank = true
    },
    code(text) {
      const inside = text.replace(/\s+/g, " ")
      if (inside.trim() === "") return
      word(inside.includes("`") ? `\`\` ${inside} \`\`` : `\`${inside}\``)
    },
    space() {
      blank = true
    },
    openMark(mark, opening, closing) {
      marks.push({ mark, opening, closing, written: false })
    },
    closeMark(mark) {
      const open = marks.find((one) => one.mark === mark)
      if (open?.written) line.push(open.closing)
      marks = marks.filter((one) => one !== open)
    },
    lineBreak: flush,
    endBlock(wantsGap) {
      flush()
      const isFresh = indents.at(-1)?.first !== undefined // an item's first paragraph stands beside its sign
      gap ||= wantsGap && !isFresh
    },
    indent(first, rest) {
      if (indents.length >= DEEPEST) tooDeep++
      else indents.push({ first, rest })
    },
    outdent() {
      if (tooDeep > 0) tooDeep--
      else indents.pop()
    },
    lines(lines) {
      flush()
      for (const text of lines) write(text)
    },
    takeLine: endLine,
    size: () => size,
    result() {
      flush()
      return written.join("\n")
    },
  }
}

function prefix(indents: readonly Indent[], isLine: boolean): string {
  let text = ""
  for (const indent of indents) {
    text += indent.first !== undefined && isLine ? indent.first : indent.rest
    if (isLine) indent.first = undefined
  }
  return text
}
