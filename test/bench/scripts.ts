/** What the scripted models of the benchmarks say, one piece a turn. */
import { call, type Piece } from "../../src/scripted-model/scenario.ts"

/** By turn 300 what was read and edited fills a window of about 200,000 tokens. */
const LINES = 60
export const PAGE = Array.from({ length: LINES }, (_, line) => pageLine(line, 0)).join("\n")

const LINE = `export const value = "some text of a usual length, with \\"quotes\\" and \\\\ in it"\n`
export const BIG_FILE = LINE.repeat(Math.ceil(2 ** 20 / LINE.length))

export const SCRIPTS: Record<string, () => Piece[]> = {
  "big-call": () => [call("write_to_file", { path: "big.ts", content: BIG_FILE }), done()],
  "turns-30": () => turns(30),
  "turns-300": () => turns(300),
  "turns-1000": () => turns(1_000),
}

/** Reads a page, edits a line of it, reads it, … */
function turns(count: number): Piece[] {
  const edits = new Map<number, number>()
  const pieces = Array.from({ length: count }, (_, turn): Piece => {
    if (turn % 2 === 0) return call("read_file", { path: "page.txt" })
    const line = (turn * 7) % LINES
    const times = edits.get(line) ?? 0
    edits.set(line, times + 1)
    const [before, after] = [pageLine(line, times), pageLine(line, times + 1)]
    const diff = `<<<<<<< SEARCH\n:start_line:${line + 1}\n-------\n${before}\n=======\n${after}\n>>>>>>> REPLACE`
    return call("apply_diff", { path: "page.txt", diff })
  })
  return [...pieces, done()]
}

function pageLine(line: number, edits: number): string {
  return `line ${line} of a page with some text in it, edited ${edits} times`
}

function done(): Piece {
  return call("attempt_completion", { result: "Done." })
}
