/** A file on one line: how long it is, and what it declares, as far as that can be told without a parser. Pure. */
import { count } from "../text/count.ts"
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"

const DECLARATION =
  /^(?: {0,4}|\t)(?:export\s+|default\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+)*(?:function\*?|class|interface|type|enum|struct|trait|impl|def|fn|func|fun|module|namespace)\s+[A-Za-z_$(][^\n]{0,200}/gm
const EXPORTED = /^export\s+(?:const|let|var)\s+[A-Za-z_$][\w$]*/gm
const LONGEST_NAME = 70
/** A longer text is looked at up to here: enough for any outline. */
const LONGEST_LOOK = 256 * 1024

export function outlineOf(text: string, most: number): string {
  const lines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  const looked = text.slice(0, LONGEST_LOOK)
  const found = [...looked.matchAll(DECLARATION), ...looked.matchAll(EXPORTED)].sort((one, other) => one.index - other.index)
  let outline = count(lines, "line")
  for (const [at, [declared]] of found.entries()) {
    const name = truncate(oneLine(declared.replace(/^\s*export\s+/, "").replace(/\s*[{=:]\s*$|\s*\{.*$/, "")), LONGEST_NAME)
    const next = `${outline}${at === 0 ? ": " : "; "}${name}`
    if (next.length > most) return `${outline}; … ${found.length - at} more`
    outline = next
  }
  return outline
}
