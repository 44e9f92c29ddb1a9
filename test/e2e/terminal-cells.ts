/** What the emulator shows, cell by cell. */
import type { PseudoTerminal } from "./pseudo-terminal.ts"

export interface Cell {
  text: string
  /** Of the sixteen; absent: the terminal's own. */
  colour?: number
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  inverse: boolean
  cursor: boolean
}

export function cellsOf({ emulator, raw }: PseudoTerminal): Cell[][] {
  const { active } = emulator.buffer
  const written = raw()
  const isHidden = written.lastIndexOf("\u001b[?25l") > written.lastIndexOf("\u001b[?25h")
  return Array.from({ length: emulator.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row)
    return Array.from({ length: emulator.cols }, (_, column): Cell => {
      const cell = line?.getCell(column)
      const isColoured = cell?.isFgPalette() ?? false
      return {
        text: cell?.getWidth() === 0 ? "" : cell?.getChars() || " ",
        ...(isColoured && cell && { colour: cell.getFgColor() }),
        bold: Boolean(cell?.isBold()),
        dim: Boolean(cell?.isDim()),
        italic: Boolean(cell?.isItalic()),
        underline: Boolean(cell?.isUnderline()),
        inverse: Boolean(cell?.isInverse()),
        cursor: !isHidden && active.cursorX === column && active.cursorY === row,
      }
    })
  })
}
