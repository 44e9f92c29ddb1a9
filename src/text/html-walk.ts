/** Follows the tags of a page and writes them as Markdown. What is open is remembered up to a depth; nothing recurses. */
import { codeBlock, htmlTables, type TablePart } from "./html-tables.ts"
import { attributeOf, type HtmlToken } from "./html-tokens.ts"
import { type Mark, type MarkdownWriter, markdownWriter } from "./markdown-writer.ts"

const APART = new Set(
  "p ul ol blockquote dl figure section article main header footer nav form details fieldset address h1 h2 h3 h4 h5 h6".split(
    " ",
  ),
)
const OWN_LINE = new Set("div li dt dd summary figcaption caption tr option legend hgroup body html pre table".split(" "))
const MARKS = new Map<string, [mark: Mark, sign: string]>([
  ["b", ["bold", "**"]],
  ["strong", ["bold", "**"]],
  ["i", ["italic", "*"]],
  ["em", ["italic", "*"]],
  ["del", ["strike", "~~"]],
  ["s", ["strike", "~~"]],
])
const DEEPEST = 100
const LONGEST_ADDRESS = 1000

interface Walk {
  writer: MarkdownWriter
  tables: ReturnType<typeof htmlTables>
  base: string | undefined
  /** Open lists, items, quotes and headings; deeper ones are counted by name only. */
  open: { name: string; number: number }[]
  uncounted: Map<string, number>
  marks: Map<Mark, number>
  /** Code that is being read, inside a line or as a block. */
  code: { pieces: string[]; block: boolean; language: string } | undefined
}

export interface HtmlWalk {
  step(token: HtmlToken): void
  size(): number
  result(): string
}

export function htmlWalk(base: string | undefined): HtmlWalk {
  const writer = markdownWriter()
  const tables = htmlTables(writer)
  const walk: Walk = { writer, tables, base, open: [], uncounted: new Map(), marks: new Map(), code: undefined }
  return {
    step: (token) => step(walk, token),
    size: () => writer.size() + tables.size(),
    result() {
      endCode(walk)
      tables.close()
      return writer.result().trim()
    },
  }
}

function step(walk: Walk, token: HtmlToken): void {
  if (walk.code) stepInCode(walk, walk.code, token)
  else if (token.type === "text") walk.writer.text(token.text)
  else if (token.type === "open") open(walk, token.name, token.attributes)
  else close(walk, token.name)
}

function stepInCode(walk: Walk, code: NonNullable<Walk["code"]>, token: HtmlToken): void {
  if (token.type === "text") code.pieces.push(token.text)
  else if (token.type === "open" && token.name === "br") code.pieces.push("\n")
  else if (token.type === "open" && token.name === "code") code.language ||= languageOf(token.attributes)
  else if (token.type === "close" && token.name === (code.block ? "pre" : "code")) endCode(walk)
  else if (!code.block && isBlock(token.name)) {
    endCode(walk) // it was never closed
    step(walk, token)
  }
}

function endCode(walk: Walk): void {
  const { code, writer, tables } = walk
  walk.code = undefined
  const text = code?.pieces.join("") ?? ""
  if (code?.block) {
    tables.dissolve()
    writer.lines(codeBlock(text, code.language))
    writer.endBlock(true)
  } else writer.code(text)
}

function open(walk: Walk, name: string, attributes: string): void {
  const mark = MARKS.get(name)
  const opener = OPENERS.get(name)
  if (mark) openMark(walk, mark[0], mark[1], mark[1])
  else if (opener) opener(walk, attributes)
  else if (isTablePart(name)) walk.tables.open(name)
  else openBlock(walk, name)
}

const OPENERS = new Map<string, (walk: Walk, attributes: string) => void>([
  ["a", openLink],
  ["img", image],
  ["br", ({ tables, writer }) => (tables.inCell() ? writer.space() : writer.lineBreak())],
  ["hr", rule],
  ["pre", openCodeBlock],
  ["code", openCode],
])

function openCode(walk: Walk): void {
  walk.code = { pieces: [], block: false, language: "" }
}

function openCodeBlock(walk: Walk, attributes: string): void {
  if (!walk.tables.inCell()) walk.writer.endBlock(true)
  walk.code = { pieces: [], block: true, language: languageOf(attributes) }
}

function rule({ tables, writer }: Walk): void {
  tables.dissolve()
  writer.endBlock(true)
  writer.lines(["---"])
  writer.endBlock(true)
}

function openBlock(walk: Walk, name: string): void {
  const { writer, tables } = walk
  const heading = /^h([1-6])$/.exec(name)?.[1]
  const structures = heading !== undefined || name === "ul" || name === "ol" || name === "li" || name === "blockquote"
  if (structures) tables.dissolve()
  else if (tables.inCell()) {
    if (isBlock(name)) writer.space()
    return
  }
  if (name === "li") closeItem(walk)
  if (APART.has(name)) writer.endBlock(!isNestedList(walk, name))
  else if (OWN_LINE.has(name)) writer.endBlock(false)
  if (!structures) return
  if (walk.open.length >= DEEPEST) {
    walk.uncounted.set(name, (walk.uncounted.get(name) ?? 0) + 1)
    return
  }
  const list = walk.open.at(-1)
  walk.open.push({ name, number: 0 })
  if (heading !== undefined) writer.indent(`${"#".repeat(Number(heading))} `, "")
  else if (name === "blockquote") writer.indent("> ", "> ")
  else if (name === "li") indentItem(writer, list)
}

function indentItem(writer: MarkdownWriter, list: { name: string; number: number } | undefined): void {
  if (list) list.number++
  const sign = list?.name === "ol" ? `${list.number}. ` : "- "
  writer.indent(sign, " ".repeat(sign.length))
}

/** An item ends where the next one of its list begins. */
function closeItem(walk: Walk): void {
  const at = walk.open.findLastIndex(({ name }) => name === "li" || name === "ul" || name === "ol")
  if (walk.open[at]?.name === "li") closeFrom(walk, at)
}

function isNestedList({ open }: Walk, name: string): boolean {
  return (name === "ul" || name === "ol") && open.some((one) => one.name === "li")
}

function close(walk: Walk, name: string): void {
  const mark = name === "a" ? "link" : MARKS.get(name)?.[0]
  if (mark) closeMark(walk, mark)
  else if (isTablePart(name)) walk.tables.close(name)
  else if (walk.tables.inCell()) walk.writer.space()
  else if (isBlock(name)) closeBlock(walk, name)
}

function closeBlock(walk: Walk, name: string): void {
  const deeper = walk.uncounted.get(name) ?? 0
  const at = deeper > 0 ? -1 : walk.open.findLastIndex((one) => one.name === name)
  if (deeper > 0) walk.uncounted.set(name, deeper - 1)
  if (at !== -1) closeFrom(walk, at)
  walk.writer.endBlock(APART.has(name) && !isNestedList(walk, name))
}

function closeFrom(walk: Walk, at: number): void {
  walk.writer.endBlock(false)
  for (const { name } of walk.open.splice(at)) if (name !== "ul" && name !== "ol") walk.writer.outdent()
}

/** Only the outermost of a kind is written: bold in bold is bold. */
function openMark({ writer, marks }: Walk, mark: Mark, opening: string, closing: string): void {
  const depth = marks.get(mark) ?? 0
  marks.set(mark, depth + 1)
  if (depth === 0) writer.openMark(mark, opening, closing)
}

function closeMark({ writer, marks }: Walk, mark: Mark): void {
  const depth = marks.get(mark) ?? 0
  if (depth === 0) return
  marks.set(mark, depth - 1)
  if (depth === 1) writer.closeMark(mark)
}

/** Without an address that leads somewhere it is only its text; it is opened all the same, for its end to be found. */
function openLink(walk: Walk, attributes: string): void {
  if ((walk.marks.get("link") ?? 0) > 0) closeMark(walk, "link") // links do not nest: this one ends the last
  const address = addressOf(attributeOf(attributes, "href"), walk.base)
  if (address === undefined) openMark(walk, "link", "", "")
  else openMark(walk, "link", "[", `](${address})`)
}

function image({ writer, base }: Walk, attributes: string): void {
  const alternative = (attributeOf(attributes, "alt") ?? "").replace(/\s+/g, " ").trim()
  const address = addressOf(attributeOf(attributes, "src"), base)
  if (alternative === "") return
  writer.text(address === undefined ? `(image: ${alternative})` : `![${alternative}](${address})`)
}

function addressOf(written: string | undefined, base: string | undefined): string | undefined {
  const address = written?.trim()
  if (!address || address.startsWith("#") || address.length > LONGEST_ADDRESS) return undefined
  if (base === undefined) return /^https?:\/\/[^\s()<>]+$/i.test(address) ? address : undefined
  if (!URL.canParse(address, base)) return undefined
  const { protocol, href } = new URL(address, base)
  return /^(?:https?|mailto):$/.test(protocol) ? href.replaceAll("(", "%28").replaceAll(")", "%29") : undefined
}

function languageOf(attributes: string): string {
  const classes = attributeOf(attributes, "class") ?? ""
  return /(?:^|\s)(?:highlight-source|language|lang|brush:)-?\s*([\w+#-]{1,20})/i.exec(classes)?.[1]?.toLowerCase() ?? ""
}

function isBlock(name: string): boolean {
  return APART.has(name) || OWN_LINE.has(name)
}

function isTablePart(name: string): name is TablePart {
  return name === "table" || name === "tr" || name === "td" || name === "th"
}
