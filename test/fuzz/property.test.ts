import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { properties } from "./properties.ts"
import { type Property, tryProperty } from "./property.ts"

/** Fails for about one case in ten. */
const brittle: Property = {
  name: "brittle",
  holds: "numbers are small",
  share: 1,
  check(chance) {
    const number = chance.int(1, 1_000_000)
    if (number > 900_000) throw new Error(`met ${number}`)
  },
}

const failure = async (trial: { seed: number; from?: number; cases: number }): Promise<string> =>
  tryProperty(brittle, trial).then(
    () => "",
    (error: Error) => error.message,
  )

describe("tryProperty", () => {
  it("stops at the first case that fails, and says which one it was, why, and how to see it again", async () => {
    const message = await failure({ seed: 5, cases: 1_000 })
    const [, number] = /fails for seed 5, case (\d+)\./.exec(message) ?? []
    expect(message).toContain(`npm run test:fuzz -- --only brittle --seed 5 --case ${number}\n`)
    expect(message).toMatch(/met 9\d{5}/)
  })

  it("makes the same case again from its number alone, and another one from another seed", async () => {
    const first = await failure({ seed: 5, cases: 1_000 })
    const number = Number(/case (\d+)/.exec(first)?.[1])
    const met = (message: string): string | undefined => /met \d+/.exec(message)?.[0]
    expect(met(await failure({ seed: 5, from: number, cases: 1 }))).toBe(met(first))
    expect(met(await failure({ seed: 6, from: number, cases: 1 }))).not.toBe(met(first))
  })

  it("gives a property that uses the disk a folder, and takes it away again", async () => {
    let used = ""
    const check = (_: unknown, folder: string): void => {
      used = folder
      writeFileSync(join(folder, "a.txt"), "a")
    }
    await tryProperty({ ...brittle, usesDisk: true, check }, { seed: 1, cases: 2 })
    expect(used).not.toBe("")
    expect(existsSync(used)).toBe(false)
  })
})

describe("the properties", () => {
  it("have names of their own, and their shares make one whole", () => {
    expect(new Set(properties.map(({ name }) => name)).size).toBe(properties.length)
    expect(properties.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1)
  })
})

describe("the command", () => {
  const run = (...args: string[]) => spawnSync(process.execPath, ["--import", "tsx", ...args], { encoding: "utf8" })

  it("repeats one case, and refuses a property that is not there", () => {
    const { status, stdout } = run("test/fuzz/run.ts", "--only", "splits", "--seed", "3", "--case", "5")
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("1 hold") })
    expect(run("test/fuzz/run.ts", "--only", "nothing")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("There is no property nothing"),
    })
  })

  it("ends a case that never comes back, and names it", () => {
    const script = `
      import { watchdog } from "./test/fuzz/watchdog.ts"
      const guard = watchdog(100)
      guard.watch("the case that hangs")
      for (;;);
    `
    const { signal, stderr } = run("--input-type=module", "-e", script)
    expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "hangs: the case that hangs\n" })
  })
})
