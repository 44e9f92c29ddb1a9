import { expect, it } from "vitest"
import { durationWords, sizeWords } from "./size-words.ts"

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1234, "1.2 KB"],
  [999_499, "999 KB"],
  [999_500, "1.0 MB"],
  [200_000_000, "200 MB"],
  [2 ** 30, "1.1 GB"],
])("%i bytes are %s", (bytes, words) => expect(sizeWords(bytes)).toBe(words))

it.each([
  [-5, "0 s"],
  [40, "0 s"],
  [440, "0.4 s"],
  [9960, "10 s"],
  [59_400, "59 s"],
  [59_600, "1 min 0 s"],
  [125_000, "2 min 5 s"],
  [11_520_000, "3 h 12 min"],
])("%i ms are %s", (ms, words) => expect(durationWords(ms)).toBe(words))
