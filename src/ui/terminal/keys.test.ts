/** Bytes → keys, however they are cut. */
import { expect, it } from "vitest"
import { type Key, keyReader } from "./keys.ts"

const ESCAPE = "\u001b"
const name = ({ name, text, ctrl, alt, shift }: Key) =>
  `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}${text ? `:${text}` : ""}`
const read = (...pieces: string[]) => {
  const reader = keyReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.settle()].map(name)
}

it.each([
  ["hello", ["text:hello"]],
  ["größe 日本 👍", ["text:größe 日本 👍"]],
  ["a\rb", ["text:a", "enter", "text:b"]],
  ["\n", ["ctrl-j"]],
  ["\u0003\u0015", ["ctrl-c", "ctrl-u"]],
  ["\u007f", ["backspace"]],
  [ESCAPE, ["escape"]],
  [`${ESCAPE}${ESCAPE}`, ["escape", "escape"]],
  [`${ESCAPE}[A${ESCAPE}OB`, ["up", "down"]],
  [`${ESCAPE}[1;5D`, ["ctrl-left"]],
  [`${ESCAPE}[1;3C`, ["alt-right"]],
  [`${ESCAPE}[3~`, ["delete"]],
  [`${ESCAPE}[Z`, ["shift-tab"]],
  [`${ESCAPE}b`, ["alt-b:b"]],
  [`${ESCAPE}\r`, ["alt-enter"]],
  [`${ESCAPE}[13;2u`, ["shift-enter"]],
  [`${ESCAPE}[27;2;13~`, ["shift-enter"]],
  [`${ESCAPE}[99;5u`, ["ctrl-c"]],
  [`${ESCAPE}[27u`, ["escape"]],
  [`${ESCAPE}[I${ESCAPE}[O`, ["focus", "blur"]],
  [`${ESCAPE}[?1u`, []],
  [`${ESCAPE}[57441;2u`, []],
])("reads %j", (text, keys) => {
  expect(read(text)).toEqual(keys)
})

it("a sequence or a paste cut at any place gives the same keys", () => {
  const text = `a${ESCAPE}[1;5D${ESCAPE}[200~one\r\ntwo ${ESCAPE}[A three${ESCAPE}[201~${ESCAPE}OAb`
  const whole = read(text)
  expect(whole).toEqual(["text:a", "ctrl-left", `paste:one\ntwo ${ESCAPE}[A three`, "up", "text:b"])
  for (let cut = 1; cut < text.length; cut++) expect(read(text.slice(0, cut), text.slice(cut)), `cut at ${cut}`).toEqual(whole)
  expect(read(...text)).toEqual(whole)
})

it("a large paste in small pieces is read once, not again and again", () => {
  const reader = keyReader()
  reader.push(`${ESCAPE}[200~`)
  const started = performance.now()
  for (let piece = 0; piece < 20_000; piece++) reader.push("x".repeat(50))
  const [key] = reader.push(`${ESCAPE}[201~`)
  expect(key?.text.length).toBe(1_000_000)
  expect(performance.now() - started).toBeLessThan(5_000) // quadratic would take minutes
})
