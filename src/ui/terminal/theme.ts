/** What each style looks like. Only the sixteen colours that every terminal lets its owner choose. */
import type { Line, Style } from "./line.ts"

const CODES: Record<Style, string> = {
  accent: "36",
  added: "32",
  "added-word": "1;32;7",
  bad: "31",
  code: "36",
  comment: "2",
  dim: "2",
  emphasis: "3",
  good: "32",
  heading: "1;36",
  keyword: "35",
  link: "4",
  number: "33",
  removed: "31",
  "removed-word": "1;31;7",
  selected: "1;36",
  string: "32",
  strike: "9",
  strong: "1",
  warning: "33",
}

export type Painter = (line: Line) => string

/** Without colours a style is not seen: whatever carries meaning has a mark of its own besides. */
export function painter(colour: boolean): Painter {
  return (line) =>
    line.map(({ text, style }) => (style && colour && text ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text)).join("")
}

export function hasColour(env: Readonly<Record<string, string | undefined>>): boolean {
  return !env["NO_COLOR"] && env["TERM"] !== "dumb"
}
