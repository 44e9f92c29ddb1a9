/** An Excel workbook as text: each sheet under a line that names it, a line per row, cells apart by tabs. Formulas show what they gave. */
import { attributeOf, type HtmlToken, htmlTokens } from "../../text/html-tokens.ts"
import { truncate } from "../../text/truncate.ts"
import { ToolError } from "../../types/tool.ts"
import { type ZipEntry, zipEntries } from "./zip.ts"

const MOST_UNPACKED = 60_000_000
const MOST_CHARACTERS = 2_000_000
const MOST_COLUMNS = 500
const LONGEST_CELL = 2000

export async function spreadsheetText(bytes: Uint8Array): Promise<string> {
  const entries = new Map(zipEntries(bytes).map((entry) => [entry.name, entry]))
  let room = MOST_UNPACKED
  const xml = async (entry: ZipEntry | undefined) => {
    const unpacked = (await entry?.read(room)) ?? new Uint8Array()
    room -= unpacked.length
    return new TextDecoder().decode(unpacked)
  }
  const workbook = await xml(entries.get("xl/workbook.xml"))
  if (workbook === "") throw new ToolError("it is no workbook")
  const places = placesOf(await xml(entries.get("xl/_rels/workbook.xml.rels")))
  const shared = sharedStrings(await xml(entries.get("xl/sharedStrings.xml")))
  const parts: string[] = []
  let characters = 0
  for (const { name, id } of sheetsOf(workbook)) {
    const rows = sheetRows(await xml(entries.get(places.get(id) ?? "")), shared, MOST_CHARACTERS - characters)
    parts.push(`--- sheet ${name} ---`, ...rows)
    characters = parts.reduce((sum, part) => sum + part.length, 0)
    if (characters >= MOST_CHARACTERS) break
  }
  return parts.join("\n")
}

function sheetsOf(workbook: string): { name: string; id: string }[] {
  return opened(workbook, "sheet").map(({ attributes }) => ({
    name: attributeOf(attributes, "name") ?? "",
    id: attributeOf(attributes, "r:id") ?? "",
  }))
}

function placesOf(relations: string): Map<string, string> {
  return new Map(
    opened(relations, "relationship").map(({ attributes }) => {
      const target = attributeOf(attributes, "target") ?? ""
      return [attributeOf(attributes, "id") ?? "", target.startsWith("/") ? target.slice(1) : `xl/${target}`]
    }),
  )
}

function opened(xml: string, name: string): (HtmlToken & { type: "open" })[] {
  const found: (HtmlToken & { type: "open" })[] = []
  for (const token of htmlTokens(xml)) if (token.type === "open" && plain(token.name) === name) found.push(token)
  return found
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = []
  let text = ""
  let within = false
  for (const token of htmlTokens(xml)) {
    if (token.type === "text") text += within ? token.text : ""
    else if (plain(token.name) === "t") within = token.type === "open" && !token.attributes.endsWith("/")
    else if (plain(token.name) === "si" && token.type === "close") strings.push(text)
    if (token.type === "open" && plain(token.name) === "si") text = ""
  }
  return strings
}

function sheetRows(xml: string, shared: readonly string[], most: number): string[] {
  const rows: string[] = []
  let row: string[] = []
  let cell = { column: 0, type: "" }
  let within = false
  let room = most
  for (const token of htmlTokens(xml)) {
    if (token.type === "text") {
      const begun = row[cell.column] ?? ""
      // A row may name one long text again and again.
      if (within && begun.length < LONGEST_CELL) {
        row[cell.column] = begun + truncate(cellText(token.text, cell.type, shared), LONGEST_CELL)
      }
      continue
    }
    const name = plain(token.name)
    if (name === "v" || name === "t") within = token.type === "open" && !token.attributes.endsWith("/")
    if (token.type === "open" && name === "row") row = []
    if (token.type === "open" && name === "c") {
      const column = columnOf(attributeOf(token.attributes, "r") ?? "") ?? row.length
      cell = { column: Math.min(column, MOST_COLUMNS), type: attributeOf(token.attributes, "t") ?? "" }
    }
    if (token.type === "close" && name === "row" && row.length > 0) {
      const line = Array.from(row, (value) => (value ?? "").replace(/\s+/g, " ")).join("\t")
      rows.push(line)
      room -= line.length
      if (room < 0) break
    }
  }
  return rows
}

function cellText(text: string, type: string, shared: readonly string[]): string {
  if (type === "s") return shared[Number(text)] ?? ""
  if (type === "b") return text === "1" ? "TRUE" : "FALSE"
  return text
}

/** "C5" is column 2, counted from 0. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

/** Without the prefix of a name space. */
function plain(name: string): string {
  return name.slice(name.indexOf(":") + 1)
}
