/** Two parts of a terminal: what is printed stays, what is live is repainted in its place. */
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { type Frame, openScreen } from "./screen.ts"
import { testOutput } from "./test-terminal.ts"

const FRAME = 50

function setting(columns = 40, rows = 10) {
  const output = testOutput(columns, rows)
  let frame: Frame = { lines: [] }
  const screen = openScreen(output, () => frame, { sinks: true }) // as the emulator does
  return {
    output,
    screen,
    async show(lines: string[], cursor?: Frame["cursor"]) {
      frame = cursor ? { lines, cursor } : { lines }
      screen.touch()
      await sleep(FRAME)
      return output.screen()
    },
  }
}

it("the live region grows, changes and shrinks in its place", async () => {
  const { show } = setting()
  expect(await show(["a", "b"])).toBe("a\nb")
  expect(await show(["a", "x", "c", "d"])).toBe("a\nx\nc\nd")
  expect(await show(["z"])).toBe("z")
})

it("what is printed stands above it, once, in order, also when it scrolls away", async () => {
  const { output, screen, show } = setting(40, 6)
  await show(["live", "status"])
  for (let at = 0; at < 20; at++) {
    screen.print([`row ${at}`])
    await show([`live ${at}`, "status"])
  }
  const all = await output.all()
  expect(all).toBe([...Array.from({ length: 20 }, (_, at) => `row ${at}`), "live 19", "status"].join("\n"))
})

it("only lines that differ are written, and nothing at all when nothing changed", async () => {
  const { output, show } = setting()
  await show(["first line", "second line", "third line"], { row: 0, column: 3 })
  const before = output.writes.length
  await show(["first line", "changed", "third line"], { row: 0, column: 3 })
  const written = output.writes.slice(before).join("")
  expect(written).toContain("changed")
  expect(written).not.toContain("first")
  expect(written).not.toContain("third")
  const after = output.writes.length
  await show(["first line", "changed", "third line"], { row: 0, column: 3 })
  expect(output.writes.length).toBe(after)
})

it("the cursor stands where it is wanted", async () => {
  const { output, show } = setting()
  await show(["abc", "def", "ghi"], { row: 1, column: 2 })
  expect([output.emulator.buffer.active.cursorY, output.emulator.buffer.active.cursorX]).toEqual([1, 2])
  await show(["abc", "def"], { row: 0, column: 1 })
  expect([output.emulator.buffer.active.cursorY, output.emulator.buffer.active.cursorX]).toEqual([0, 1])
})

it("paints at most thirty times a second", async () => {
  const { output, screen } = setting()
  let count = 0
  const busy = openScreen(output, () => ({ lines: [String(count++)] }))
  const started = performance.now()
  while (performance.now() - started < 500) {
    busy.touch()
    await sleep(1)
  }
  expect(count).toBeLessThanOrEqual(17)
  expect(count).toBeGreaterThan(3)
  screen.close()
})

it.each([
  [20, 30],
  [12, 25],
  [80, 40],
])("a terminal that becomes %d columns wide keeps no remains", async (columns, later) => {
  const { output, screen, show } = setting(60, 12)
  screen.print(["printed"])
  const lines = ["this line is longer than the narrow terminal", "● working · esc stops", "› some words", "code · model · main"]
  await show(lines, { row: 2, column: 5 })
  for (const width of [columns, later, 60]) {
    output.resize(width, 12)
    screen.resized()
    await show(
      lines.map((line) => line.slice(0, width - 1)),
      { row: 2, column: 5 },
    )
  }
  expect((await output.all()).split("\n")).toEqual(["printed", ...lines])
})

it("a terminal that takes nothing more is not written to, and gets the latest when it does again", async () => {
  const { output, show } = setting()
  await show(["one"])
  output.fill()
  await show(["two"])
  const before = output.writes.length
  await show(["three"])
  await show(["four"])
  expect(output.writes.length).toBe(before)
  output.drain()
  await sleep(FRAME)
  expect(await output.screen()).toBe("four")
})

it("a region higher than the terminal keeps its lower lines and does not touch the scrollback", async () => {
  const { output, screen, show } = setting(40, 5)
  screen.print(["printed"])
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
  await show(lines, { row: 29, column: 2 })
  await show([...lines, "more"], { row: 30, column: 2 })
  expect((await output.all()).split("\n")).toEqual(["printed", "line 27", "line 28", "line 29", "more"])
})

it("closing leaves what was printed and takes the live region away", async () => {
  const { output, screen, show } = setting()
  screen.print(["kept"])
  await show(["gone"])
  screen.close()
  screen.touch()
  await sleep(FRAME)
  expect(await output.all()).toBe("kept")
})
