/** A list to choose from, narrowed by typing. Pure: keys in, a new state or a choice out. */
import { scoreOf } from "./fuzzy.ts"
import type { Key } from "./keys.ts"
import { clipLine, EMPTY, type Line, line, safe, styled } from "./line.ts"

export interface Choice {
  value: string
  label: string
  detail?: string
}

export interface Picker {
  title: string
  choices: readonly Choice[]
  query: string
  at: number
}

export type Picked = { kind: "open"; picker: Picker } | { kind: "chosen"; value: string } | { kind: "left" }

const SHOWN = 10

export function openPicker(title: string, choices: readonly Choice[], current?: string): Picker {
  return {
    title,
    choices,
    query: "",
    at: Math.max(
      0,
      choices.findIndex(({ value }) => value === current),
    ),
  }
}

export function matching({ choices, query }: Picker): readonly Choice[] {
  const wanted = query.toLowerCase().replaceAll(" ", "")
  if (wanted === "") return choices
  return choices
    .flatMap((choice) => {
      const score = scoreOf(`${choice.label} ${choice.detail ?? ""}`.toLowerCase(), wanted)
      return score === undefined ? [] : [{ choice, score }]
    })
    .sort((one, other) => other.score - one.score)
    .map(({ choice }) => choice)
}

export function pick(picker: Picker, key: Key): Picked {
  const found = matching(picker)
  const to = (at: number): Picked => ({
    kind: "open",
    picker: { ...picker, at: Math.min(Math.max(0, at), Math.max(0, found.length - 1)) },
  })
  const typed = (query: string): Picked => ({ kind: "open", picker: { ...picker, query, at: 0 } })
  if (key.name === "escape" || (key.name === "c" && key.ctrl)) return { kind: "left" }
  if (key.name === "up" || (key.name === "p" && key.ctrl)) return to(picker.at - 1)
  if (key.name === "down" || (key.name === "n" && key.ctrl)) return to(picker.at + 1)
  if (key.name === "page-up") return to(picker.at - SHOWN)
  if (key.name === "page-down") return to(picker.at + SHOWN)
  if (key.name === "enter" || key.name === "tab") {
    const choice = found[picker.at]
    return choice ? { kind: "chosen", value: choice.value } : { kind: "open", picker }
  }
  if (key.name === "backspace") return typed(picker.query.slice(0, -1))
  if (key.name === "u" && key.ctrl) return typed("")
  if (key.name === "text" || key.name === "paste") return typed(picker.query + key.text.replace(/\s+/g, " "))
  return { kind: "open", picker }
}

export function pickerLines(picker: Picker, width: number, rows = SHOWN): Line[] {
  const found = matching(picker)
  const asked =
    picker.query === ""
      ? styled("dim", "type to narrow · enter chooses · esc leaves")
      : styled("accent", `${safe(picker.query)}▏`)
  return [
    EMPTY,
    clipLine(line(styled("strong", `${picker.title}  `), asked), width),
    ...(found.length === 0 ? [line(styled("dim", "  nothing fits"))] : choiceLines(found, picker.at, width, rows)),
  ]
}

/** A window on the list, around what is chosen. */
export function choiceLines(choices: readonly Choice[], at: number, width: number, rows: number): Line[] {
  const first = Math.min(Math.max(0, at - Math.floor(rows / 2)), Math.max(0, choices.length - rows))
  const shown = choices.slice(first, first + rows)
  const widest = Math.min(Math.max(...shown.map(({ label }) => label.length)), Math.floor(width / 2))
  const lines = shown.map(({ label, detail }, index): Line => {
    const isChosen = first + index === at
    const name = safe(label).padEnd(detail ? widest : 0)
    const spans = line(
      isChosen ? styled("selected", `❯ ${name}`) : `  ${name}`,
      detail !== undefined && styled("dim", `  ${safe(detail)}`),
    )
    return clipLine(spans, width)
  })
  const left = choices.length - shown.length
  return left > 0 ? [...lines, line(styled("dim", `  … ${left} more`))] : lines
}
