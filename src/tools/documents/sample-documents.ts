/** For tests: small documents made on the spot. */
import { deflateRawSync } from "node:zlib"

/** One font, lines of text per page. */
export function pdfWith(pages: readonly (readonly string[])[]): Uint8Array {
  const objects = ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
  const tree = 2 + 2 * pages.length
  const kids = pages.map((lines) => {
    const content = `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    const parts = `/Contents ${objects.length} 0 R /Resources << /Font << /F1 1 0 R >> >>`
    objects.push(`<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] ${parts} >>`)
    return `${objects.length} 0 R`
  })
  objects.push(`<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${kids.length} >>`)
  objects.push(`<< /Type /Catalog /Pages ${tree} 0 R >>`)
  let text = "%PDF-1.4\n"
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, "0")} 00000 n \n`
  })
  const directory = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`
  const trailer = `trailer << /Size ${objects.length + 1} /Root ${objects.length} 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text + directory + trailer, "latin1")
}

export function zipWith(files: Record<string, string | Uint8Array>): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(crc32(Buffer.from(content)), 14)
    local.writeUInt32LE(data.length, 18)
    local.writeUInt32LE(content.length, 22)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    local.copy(entry, 6, 4, 28)
    entry.writeUInt32LE(at, 42)
    parts.push(local, Buffer.from(name), data)
    directory.push(entry, Buffer.from(name))
    at += local.length + name.length + data.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, ...directory, end])
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

/** `body` is what stands in `w:body`. */
export function wordWith(body: string): Uint8Array {
  return zipWith({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
  })
}

export function workbookWith(sheet: string, shared: readonly string[]): Uint8Array {
  return zipWith({
    "xl/workbook.xml": `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="Prices &amp; more" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/sharedStrings.xml": `<sst>${shared.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  })
}
