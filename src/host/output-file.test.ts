import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ripgrep } from "./job-test.ts"
import { outputFile } from "./output-file.ts"
import { searchOutput } from "./output-search.ts"
import { temporaryFolder } from "./temporary-folder.ts"

async function fileWith(content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), "out.txt")
  writeFileSync(path, content)
  return path
}

const bounds = { head: 100, tail: 100 }
const file = async (content: string | Uint8Array) => outputFile(await fileWith(content), bounds)

describe("a page of output", () => {
  const numbers = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`).join("\n")

  it("has numbered lines, whole ones where it can be, and tells where the next begins", async () => {
    const output = await file(numbers)
    const first = await output.read({ offset: 0, limit: 20 })
    expect(first).toEqual({
      lines: [
        { number: 1, text: "line 1" },
        { number: 2, text: "line 2" },
      ],
      from: 0,
      to: 14,
      total: numbers.length,
    })
    expect((await output.read({ offset: first.to, limit: 20 })).lines[0]).toEqual({ number: 3, text: "line 3" })
  })

  it("can be counted from the end, and begins with a whole line then", async () => {
    const output = await file(`${numbers}\n`)
    const { lines, to, total } = await output.read({ offset: -25, limit: 100 })
    expect(lines).toEqual([
      { number: 999, text: "line 999" },
      { number: 1000, text: "line 1000" },
    ])
    expect(to).toBe(total)
    expect((await output.read({ offset: -1e9, limit: 10 })).from).toBe(0)
  })

  it("numbers its lines right in any order of reading, also while the file grows", async () => {
    const output = await file(numbers)
    const at = (line: number) => numbers.indexOf(`line ${line}\n`)
    for (const line of [500, 10, 900, 899, 1]) {
      expect((await output.read({ offset: at(line), limit: 30 })).lines[0]).toEqual({ number: line, text: `line ${line}` })
    }
    appendFileSync(output.path, "\nlast")
    expect((await output.read({ offset: -5, limit: 30 })).lines.at(-1)).toEqual({ number: 1001, text: "last" })
  })

  it("never cuts a character, wherever it begins and ends", async () => {
    const text = "aä€😀".repeat(20)
    const output = await file(text)
    for (let offset = 0; offset < 30; offset++) {
      for (let limit = 8; limit < 14; limit++) {
        const { lines, from, to } = await output.read({ offset, limit })
        expect(lines.map((line) => line.text).join(""), `${offset} ${limit}`).not.toContain("\ufffd")
        expect(to).toBeGreaterThan(from)
      }
    }
  })

  it("goes on through a file of anything, and comes to its end", async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256))
    const output = await file(bytes)
    let at = 0
    for (let rounds = 0; at < bytes.length; rounds++) {
      const page = await output.read({ offset: at, limit: 64 })
      expect(page.to).toBeGreaterThan(at)
      expect(rounds).toBeLessThan(1000)
      at = page.to
    }
  })

  it("is empty past the end, and where there is no file", async () => {
    expect(await (await file("abc")).read({ offset: 5, limit: 5 })).toMatchObject({ lines: [], total: 3 })
    expect(await outputFile("/nowhere/x", bounds).read({ offset: 0, limit: 5 })).toMatchObject({ lines: [], total: 0 })
  })

  it("is readable: no colours, only the last state of a progress bar", async () => {
    const { lines } = await (await file("\u001b[1mbold\u001b[0m\n10%\r20%\r30%\nend")).read({ offset: 0, limit: 100 })
    expect(lines.map(({ text }) => text)).toEqual(["bold", "30%", "end"])
  })
})

describe("what was printed", () => {
  it("is followed as it grows, each byte once, characters whole", async () => {
    const output = await file("")
    for (const byte of Buffer.from("grüße €\n")) {
      appendFileSync(output.path, Buffer.from([byte]))
      output.printed()
    }
    expect(output.printed()).toEqual({ text: "grüße €\n", cut: false })
  })

  it("is looked at in its beginning and end only, when much came at once", async () => {
    const output = await file(Buffer.concat([Buffer.from("begin\n"), Buffer.alloc(30_000_000, "€"), Buffer.from("\nend")]))
    const began = performance.now()
    const { text, cut } = output.printed()
    expect(performance.now() - began).toBeLessThan(1000)
    expect(text).toMatch(/^begin\n€+\n… \d+ characters left out …\n€+\nend$/)
    expect(cut).toBe(true)
  })
})

describe("searching output", () => {
  const search = async (content: string | Uint8Array, pattern: string, most = 10) =>
    searchOutput({ ripgrep: await ripgrep(), path: await fileWith(content), pattern, most })

  it("gives matching lines with their numbers, whatever their case, and counts them all", async () => {
    expect(await search("one\nError: a\ntwo\nerror: b\nERROR: c\n", "^error: [ab]$")).toEqual({
      lines: [
        { number: 2, text: "Error: a" },
        { number: 4, text: "error: b" },
      ],
      total: 2,
      literal: false,
    })
    expect(await search("x\n".repeat(50), "x", 3)).toMatchObject({ lines: [{}, {}, {}], total: 50 })
    expect(await search("abc", "z")).toEqual({ lines: [], total: 0, literal: false })
  })

  it("takes what is no regular expression literally", async () => {
    expect(await search("a(b\nab\n", "a(b")).toEqual({ lines: [{ number: 1, text: "a(b" }], total: 1, literal: true })
    expect(await search("-x\n--regexp=y\n", "--regexp=y")).toMatchObject({ total: 1 })
  })

  it("gives of a long line what is near the match, and of a progress bar the state that matches", async () => {
    const { lines } = await search(`${"a".repeat(5_000_000)}needle${"b".repeat(5_000_000)}\n`, "needle")
    expect(lines[0]?.text).toMatch(/^…a{200}needleb+…$/)
    expect(lines[0]?.text.length).toBeLessThan(700)
    expect((await search("10%\r20% failed\r30%\n", "failed")).lines).toEqual([{ number: 1, text: "20% failed" }])
  })

  it("takes time in proportion to the output, however the pattern is made", async () => {
    const began = performance.now()
    await search(`${"a".repeat(200_000)}!\n`, "(a+)+$")
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it("reads bytes that are no text", async () => {
    const { lines } = await search(Buffer.from([0xff, 0xfe, 0, 10, 0x68, 0x69, 0, 0xc3, 10]), "hi")
    expect(lines).toEqual([{ number: 2, text: "hi␀\ufffd" }])
  })
})
