/** Everything that can be typed, on one screen. */
import { frontCommands } from "../../view/front-commands.ts"
import { EMPTY, type Line, line, styled, wrapLine } from "./line.ts"

const KEYS: readonly (readonly [string, string])[] = [
  ["enter", "send; while Joey works: for the next turn"],
  ["tab", "while Joey works: for after the task; or to the next question"],
  ["shift-enter, ctrl-j, \\ enter", "a further line"],
  ["↑ ↓", "take back words that wait; earlier words"],
  ["esc", "stop, subtasks too; what waits comes back to you"],
  ["ctrl-c twice", "leave; the task keeps its place"],
  ["@  !", "name a file; run a line of your own in the shell"],
  ["ctrl-o", "look at everything, whole; / finds"],
  ["ctrl-g", "write in your own editor"],
  ["shift-tab", "next mode"],
]
const WIDEST = 30

export function helpLines(width: number): Line[] {
  const commands = frontCommands.map(({ name, hint }) => `/${name}${hint ? ` ${hint}` : ""}`).join("  ")
  const column = width >= 72 ? WIDEST : 18
  return [
    ...KEYS.flatMap(([key, what]) => wrapLine(line(styled("accent", key.padEnd(column)), " ", what), width, column + 1)),
    EMPTY,
    ...wrapLine(line(styled("accent", commands)), width),
    ...wrapLine(line(styled("dim", "/ shows what each of them does, and the commands and skills of the project.")), width),
  ]
}
