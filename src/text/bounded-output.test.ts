import { describe, expect, it } from "vitest"
import { boundedOutput } from "./bounded-output.ts"

function printed(pieces: string[], bounds = { head: 1000, tail: 1000 }): string {
  const output = boundedOutput(bounds)
  for (const piece of pieces) output.push(piece)
  return output.text()
}

/** All ways to cut a text into two pieces, and into single characters. */
function cuts(text: string): string[][] {
  return [[...text], ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)])]
}

describe("output that fits", () => {
  it("comes back as it was, however it was cut", () => {
    for (const pieces of cuts("one\ntwo\n\n three")) expect(printed(pieces)).toBe("one\ntwo\n\n three")
    expect(printed([])).toBe("")
  })

  it("is whole up to the last character of the bounds", () => {
    expect(printed(["0123", "456789"], { head: 4, tail: 6 })).toBe("0123456789")
    expect(printed(["0123", "456789x"], { head: 4, tail: 6 })).toBe("0123\n… 1 characters left out …\n56789x")
  })
})

describe("output that does not fit", () => {
  it("keeps its beginning and its end and counts the rest, however it was cut", () => {
    const text = "first\nsecond\nthird\nfourth\nlast"
    for (const pieces of cuts(text)) {
      expect(printed(pieces, { head: 6, tail: 5 })).toBe("first\n… 19 characters left out …\n\nlast")
    }
  })

  it("cuts a single endless line too", () => {
    const output = boundedOutput({ head: 10, tail: 10 })
    for (let part = 0; part < 1000; part++) output.push("x".repeat(999) + (part % 10))
    expect(output.text()).toBe(`xxxxxxxxxx\n… ${1_000_000 - 20} characters left out …\nxxxxxxxxx9`)
    output.push("\nend\n")
    expect(output.text()).toBe(`xxxxxxxxxx\n… ${1_000_005 - 20} characters left out …\nxxxx9\nend\n`)
  })

  it("does not split a character in two", () => {
    const text = printed(["😀😀😀😀😀😀"], { head: 3, tail: 3 })
    expect(text).toBe("😀\n… 8 characters left out …\n😀")
  })

  it("holds no more than a few times its bounds in memory", () => {
    const output = boundedOutput({ head: 1000, tail: 1000 })
    const chunk = `${"progress ".repeat(7000)}\n`
    const before = process.memoryUsage().heapUsed
    for (let round = 0; round < 2000; round++) output.push(chunk + round)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 2 ** 20)
    expect(output.text().length).toBeLessThan(2100)
  })
})

describe("output that nobody looked at", () => {
  it("is counted, and what comes after it is the end", () => {
    const output = boundedOutput({ head: 100, tail: 100 })
    output.push("first\n12%\r")
    expect(output.cut).toBe(false)
    output.skip(1_000_000)
    output.push("last\n")
    expect(output.cut).toBe(true)
    expect(output.text()).toBe("first\n12%\n… 1000000 characters left out …\nlast\n")
    output.skip(5)
    output.push("really")
    expect(output.text()).toBe("first\n12%\n… 1000010 characters left out …\nreally")
  })

  it("leaves the glance to what came after it", () => {
    const output = boundedOutput({ head: 100, tail: 100 })
    output.push("first\n")
    output.skip(10)
    output.push("last")
    expect(output.recent(50)).toBe("last")
  })
})

describe("a carriage return", () => {
  it("leaves of a progress bar its last state, however it was cut", () => {
    const bar = "start\n 10%\r 50%\r100%\ndone\n"
    for (const pieces of cuts(bar)) expect(printed(pieces)).toBe("start\n100%\ndone\n")
    for (const pieces of cuts("\r 1%\r 2%\r 3%")) expect(printed(pieces)).toBe(" 3%")
  })

  it("before a line feed is a line end, however it was cut", () => {
    for (const pieces of cuts("one\r\ntwo\r\r\nthree\r\n")) expect(printed(pieces)).toBe("one\ntwo\nthree\n")
  })

  it("with nothing behind it keeps what was there", () => {
    expect(printed(["working…\r"])).toBe("working…")
  })

  it("does not count what was written over", () => {
    const states = Array.from({ length: 10_000 }, (_, index) => `\r${index} of 10000`)
    expect(printed(["begin\n", ...states, "\nend"], { head: 30, tail: 30 })).toBe("begin\n9999 of 10000\nend")
  })
})

describe("a glance at the end", () => {
  it("gives the last characters, the unfinished line included", () => {
    const output = boundedOutput({ head: 20, tail: 20 })
    output.push("one\ntwo\nthr")
    expect(output.recent(100)).toBe("one\ntwo\nthr")
    expect(output.recent(5)).toBe("o\nthr")
    output.push("x".repeat(500))
    expect(output.recent(4)).toBe("xxxx")
    expect(output.text()).toContain("one\ntwo\nthr")
  })
})
