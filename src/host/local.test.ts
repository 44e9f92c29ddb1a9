import { chmod, lstat, mkdir, open, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { HostError } from "../types/host.ts"
import { describeHost, refusal } from "./contract.ts"
import { hostError } from "./host-error.ts"
import { localHost } from "./local.ts"
import { temporaryFolder } from "./temporary-folder.ts"

describeHost("The local host", async (files) => localHost(await temporaryFolder(files)))

describe("writing", () => {
  it("keeps mode bits, and a link stays a link whose target is replaced", async () => {
    const folder = await temporaryFolder({ "real/script.sh": "old" })
    await chmod(join(folder, "real/script.sh"), 0o754)
    await symlink("real/script.sh", join(folder, "link.sh"))
    await localHost(folder).writeFile("link.sh", "new")
    expect(await readlink(join(folder, "link.sh"))).toBe("real/script.sh")
    expect(await readFile(join(folder, "real/script.sh"), "utf8")).toBe("new")
    expect((await stat(join(folder, "real/script.sh"))).mode & 0o7777).toBe(0o754)
  })

  it("creates the target of a dangling link", async () => {
    const folder = await temporaryFolder()
    await symlink("later/target.txt", join(folder, "link.txt"))
    await localHost(folder).writeFile("link.txt", "text")
    expect((await lstat(join(folder, "link.txt"))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(folder, "later/target.txt"), "utf8")).toBe("text")
  })

  it("leaves the old file as it was, and nothing else, when it fails", async () => {
    const folder = await temporaryFolder({ "a.txt": "old" })
    let asked = 0
    const host = localHost(folder).admitting(async () => {
      asked++
    })
    // @ts-expect-error what is no text cannot be written: the failure comes after the temporary file was opened
    await expect(host.writeFile("a.txt", 42)).rejects.toThrow()
    expect(asked).toBe(1)
    expect(await readdir(folder)).toEqual(["a.txt"])
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("old")
  })

  it("never shows a reader a mixture of old and new", async () => {
    const folder = await temporaryFolder({ "a.txt": "a".repeat(300_000) })
    const host = localHost(folder)
    let writing = true
    const writer = (async () => {
      for (let round = 0; round < 15; round++) await host.writeFile("a.txt", (round % 2 ? "a" : "b").repeat(300_000))
      writing = false
    })()
    while (writing) {
      const text = Buffer.from(await host.readFile("a.txt")).toString()
      expect(text.length).toBe(300_000)
      expect(text[0]).toBe(text.at(-1))
    }
    await writer
  })

  it("refuses pipes and devices instead of replacing or waiting for them", async () => {
    const folder = await temporaryFolder()
    const host = localHost(folder)
    await host.run({ program: "mkfifo", args: ["pipe"] })
    await expect(host.writeFile("pipe", "x")).rejects.toEqual(refusal("other"))
    await expect(host.readFile("pipe")).rejects.toEqual(refusal("other"))
    await expect(host.readLines("/dev/zero", { offset: 1, limit: 1 })).rejects.toEqual(refusal("other"))
    expect(await host.stat("pipe")).toMatchObject({ kind: "other" })
  })
})

describe("reading lines", () => {
  it("agrees with a plain split wherever line ends and characters fall on chunk borders", async () => {
    const unit = "é".repeat(61)
    const lines = Array.from({ length: 9000 }, (_, index) => unit.slice(0, (index * 7) % 61) + index)
    const folder = await temporaryFolder({ "a.txt": lines.join("\n"), "b.txt": `${lines.join("\r\n")}\r\n` })
    const host = localHost(folder)
    for (const file of ["a.txt", "b.txt"]) {
      expect(await host.readLines(file, { offset: 1, limit: 10_000 })).toEqual({ lines, total: 9000 })
      expect(await host.readLines(file, { offset: 8990, limit: 5 })).toEqual({ lines: lines.slice(8989, 8994), total: 9000 })
    }
  })

  it("keeps only the beginning of an endless line, cut between characters", async () => {
    const host = localHost(await temporaryFolder({ "a.txt": `x${"é".repeat(400_000)}\nnext` }))
    const page = await host.readLines("a.txt", { offset: 1, limit: 10 })
    expect(page.total).toBe(2)
    expect(page.lines[0]).toBe(`x${"é".repeat(8191)}`)
    expect(page.lines[1]).toBe("next")
  })

  it("reads a page of a huge file without taking it into memory", async () => {
    const folder = await temporaryFolder()
    const file = await open(join(folder, "huge.txt"), "w")
    await file.write("one\ntwo\n")
    await file.truncate(200 * 2 ** 20)
    await file.close()
    const before = process.memoryUsage().rss
    const page = await localHost(folder).readLines("huge.txt", { offset: 1, limit: 2 })
    expect(page).toEqual({ lines: ["one", "two"], total: 3 })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20)
  })
})

describe("what the system refuses", () => {
  it.each([
    ["ENOSPC", "no-space"],
    ["EDQUOT", "no-space"],
    ["EACCES", "no-access"],
    ["EROFS", "no-access"],
    ["ENAMETOOLONG", "other"],
    ["ESOMETHINGNEW", "other"],
  ])("turns %s into %s with one line that names the path", (errno, code) => {
    const told = hostError(Object.assign(new Error(`${errno}: at syscall`), { code: errno }), "src/a.ts")
    expect(told).toEqual(refusal(code as HostError["code"]))
    expect(told).toMatchObject({ message: expect.stringMatching(/^src\/a\.ts: /) })
  })

  it("does not take a bug for a refusal", () => {
    const bug = new TypeError("undefined is not a function")
    expect(hostError(bug, "a")).toBe(bug)
  })

  it("refuses impossible paths in words", async () => {
    const folder = await temporaryFolder()
    const host = localHost(folder)
    await symlink("b", join(folder, "a"))
    await symlink("a", join(folder, "b"))
    await expect(host.readFile("nul\0byte")).rejects.toEqual(refusal("other"))
    await expect(host.readFile("a")).rejects.toEqual(refusal("other"))
    await expect(host.writeFile("a", "x")).rejects.toEqual(refusal("other"))
    await expect(host.readFile("n".repeat(300))).rejects.toEqual(refusal("other"))
  })

  it("names paths as a reader of the workspace would", async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "src"))
    await writeFile(join(folder, "src/a.txt"), "a")
    await expect(localHost(folder).readFile(join(folder, "src/b.txt"))).rejects.toThrow(/^src\/b\.txt: /)
    await expect(localHost(join(folder, "src")).readFile("../b.txt")).rejects.toThrow(join(folder, "b.txt"))
  })

  it("leaves a read-only file alone", async () => {
    if (process.getuid?.() === 0) return // nothing is read-only to root
    const folder = await temporaryFolder({ "a.txt": "old" })
    await chmod(join(folder, "a.txt"), 0o444)
    await expect(localHost(folder).writeFile("a.txt", "new")).rejects.toEqual(refusal("no-access"))
  })
})

it("finds ripgrep", async () => {
  const host = localHost(await temporaryFolder())
  let version = ""
  await host.run({ program: await host.ripgrep(), args: ["--version"] }, { onOutput: (text) => (version += text) })
  expect(version).toMatch(/^ripgrep \d+/)
})
