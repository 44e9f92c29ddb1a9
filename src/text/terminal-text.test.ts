import { describe, expect, it } from "vitest"
import { readableLine, terminalText } from "./terminal-text.ts"

function pushed(pieces: string[]): string {
  const text = terminalText()
  return pieces.map((piece) => text.push(piece)).join("")
}

/** All ways to cut a text into two pieces, and into single characters. */
function cuts(text: string): string[][] {
  return [[...text], ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)])]
}

describe("text written for a terminal", () => {
  it.each([
    ["colours", "\u001b[1;31mred\u001b[0m plain\u001b[38;5;12m", "red plain"],
    ["a title and a link", "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\", "ab"],
    ["device strings and short sequences", "\u001bPq#0;2\u001b\\x\u001b(B\u001b7\u001b=y\u001bc", "xy"],
    ["cursor movements", "a\u001b[2Ab\u001b[?25lc\u001b[6nd", "abcd"],
    ["a bell and shifts", "a\u0007b\u000e\u000fc\u007f", "abc"],
  ])("loses %s, however it was cut", (_, written, read) => {
    for (const pieces of cuts(written)) expect(pushed(pieces)).toBe(read)
  })

  it("shows other controls as pictures, so that a NUL still parts two names", () => {
    expect(pushed(["a\u0000b\u0001\u009b\u202ec"])).toBe("a␀b␁\ufffd\ufffdc")
  })

  it("takes going to the first column, or wiping the line, for a carriage return", () => {
    expect(pushed(["10%\u001b[2K\u001b[1G20%\u001b[G30%\u001b[K"])).toBe("10%\r\r20%\r30%")
  })

  it("applies backspaces, but not past the line", () => {
    expect(pushed(["N\bNA\bAM\bME\bE\n|\b/\b-\b\b\b\bx"])).toBe("NAME\nx")
  })

  it("leaves plain text as it is, tabs and line ends too", () => {
    expect(pushed(["\ta äöü 😀\r\n", "b\n"])).toBe("\ta äöü 😀\r\nb\n")
  })

  it("swallows no text behind a sequence that never ends", () => {
    const read = pushed([`\u001b]0;${"x".repeat(10_000)}`, "after\n", "more"])
    expect(read).toContain("after\nmore")
    expect(read.length).toBeGreaterThan(10_000)
  })

  it("takes time in proportion to its length, whatever it is", () => {
    for (const hostile of ["\u001b", "\u001b[", "\u001b]", "\b", "a\b", "\u001b[1", "\r", "\0"]) {
      const began = performance.now()
      pushed([hostile.repeat(300_000), "end"])
      expect(performance.now() - began, JSON.stringify(hostile)).toBeLessThan(3000)
    }
  })
})

describe("a line", () => {
  it.each([
    [" 10%\r 50%\r100%", "100%"],
    ["kept\r", "kept"],
    ["\u001b[32mok\u001b[0m\r\r", "ok"],
    ["plain", "plain"],
    ["", ""],
    ["\r", ""],
  ])("%j reads as %j", (line, read) => expect(readableLine(line)).toBe(read))
})
