/** Lines of JSON: bytes in, each whole line out, blank ones left out. It can be fed at any byte boundary and reads each byte once. */
import { StringDecoder } from "node:string_decoder"

export interface LineSplitter {
  push(bytes: Uint8Array): string[]
  /** The last line, if nothing ended it. */
  end(): string[]
}

export function splitLines(): LineSplitter {
  const decoder = new StringDecoder("utf8")
  /** The line that is still being received. It only grows at its end, and is read when its end has come. */
  let line = ""

  function take(lines: string[], text: string): void {
    // A byte order mark counts as white space here.
    const trimmed = text.trim()
    if (trimmed !== "") lines.push(trimmed)
  }
  return {
    push(bytes) {
      const lines: string[] = []
      const pieces = decoder.write(bytes).split(/[\r\n]/)
      const last = pieces.pop() ?? ""
      for (const piece of pieces) {
        take(lines, line === "" ? piece : line + piece)
        line = ""
      }
      line += last
      return lines
    },
    end() {
      const lines: string[] = []
      take(lines, line + decoder.end())
      line = ""
      return lines
    },
  }
}
