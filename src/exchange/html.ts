/**
 * HTML that nothing put into it can break: a value is text and is escaped, unless it was made here. Control characters and marks
 * that reorder text become visible on the way.
 */
import { visible } from "../text/printable.ts"

/** A class, so that no value from outside can pass for one. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Value = Html | string | number | false | undefined | readonly Value[]

/** `html`<p>${words}</p>``. False and undefined are nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  let text = parts[0] ?? ""
  for (const [at, value] of values.entries()) text += write(value) + (parts[at + 1] ?? "")
  return new Html(text)
}

function write(value: Value): string {
  if (value instanceof Html) return value.text
  if (value === undefined || value === false) return ""
  return typeof value === "object" ? value.map(write).join("") : escaped(String(value))
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
}
