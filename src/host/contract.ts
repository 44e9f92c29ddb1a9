/** What every host must do, as tests: declared once, held by the local host and by the one in memory. */
import { describe, expect, it } from "vitest"
import type { Host, HostErrorCode } from "../types/host.ts"

/** Makes a host whose workspace has these files only. The commands of `CONTRACT_RUNS` must behave as they do in a shell. */
export type HostWith = (files: Record<string, string>) => Promise<Host>

export const CONTRACT_RUNS = {
  "printf hello; printf oops >&2; exit 3": { stdout: "hello", stderr: "oops", exitCode: 3 },
  "sleep 30": { hangs: true },
}

export function describeHost(name: string, hostWith: HostWith): void {
  describe(`${name}, by the contract of every host`, () => {
    describeFiles(hostWith)
    describeChanges(hostWith)
    describePages(hostWith)
    describeProcesses(hostWith)
  })
}

export function refusal(code: HostErrorCode) {
  return expect.objectContaining({ name: "HostError", code, message: expect.not.stringContaining("\n") })
}

function describeFiles(hostWith: HostWith): void {
  it("resolves relative, absolute and winding paths", async () => {
    const host = await hostWith({})
    expect(host.resolve("a/../b//c")).toBe(`${host.workspace}/b/c`)
    expect(host.resolve("/x/../y")).toBe("/y")
    expect(host.resolve("")).toBe(host.workspace)
  })

  it("tells files, folders and nothing apart", async () => {
    const host = await hostWith({ "src/a.txt": "äb" })
    expect(await host.stat("src/a.txt")).toMatchObject({ kind: "file", size: 3 })
    expect(await host.stat("src")).toMatchObject({ kind: "directory" })
    expect(await host.stat("src/b.txt")).toBeUndefined()
    expect(await host.stat("src/a.txt/below")).toBeUndefined()
  })

  it("knows the real place of something that is not there yet", async () => {
    const host = await hostWith({ "src/a.txt": "a" })
    expect(await host.realPath("src/new/b.txt")).toBe(`${await host.realPath("src")}/new/b.txt`)
  })

  it("reads whole files and their first bytes", async () => {
    const host = await hostWith({ "a.txt": "one\ntwo\n", empty: "" })
    expect(Buffer.from(await host.readFile("a.txt")).toString()).toBe("one\ntwo\n")
    expect(Buffer.from(await host.readHead("a.txt", 5)).toString()).toBe("one\nt")
    expect(await host.readHead("a.txt", 500)).toHaveLength(8)
    expect(await host.readFile("empty")).toHaveLength(0)
  })

  it("refuses to read what is no file, in one line with a code", async () => {
    const host = await hostWith({ "src/a.txt": "a" })
    await expect(host.readFile("nowhere.txt")).rejects.toEqual(refusal("not-found"))
    await expect(host.readHead("src", 10)).rejects.toEqual(refusal("is-directory"))
    await expect(host.readLines("src", { offset: 1, limit: 1 })).rejects.toEqual(refusal("is-directory"))
    await expect(host.readFile("src/a.txt/below")).rejects.toEqual(refusal("not-directory"))
  })

  it("refuses what no path can be, in one short line", async () => {
    const host = await hostWith({ "a.txt": "a" })
    for (const path of ["a.txt\0", "x".repeat(5000), "x/".repeat(100_000), `${"../".repeat(5000)}a.txt`]) {
      for (const touching of [
        host.stat(path),
        host.readFile(path),
        host.writeFile(path, "x"),
        host.run({ shell: "true" }, { cwd: path }),
      ]) {
        await expect(touching).rejects.toEqual(refusal("other"))
        await expect(touching).rejects.toThrow(/^.{1,500}$/)
      }
    }
  })

  it("writes text and bytes, replaces files and makes parent folders", async () => {
    const host = await hostWith({ "a.txt": "old" })
    await host.writeFile("a.txt", "new ✓")
    await host.writeFile("deep/down/b.bin", new Uint8Array([0, 255]))
    expect(Buffer.from(await host.readFile("a.txt")).toString()).toBe("new ✓")
    expect([...(await host.readFile("deep/down/b.bin"))]).toEqual([0, 255])
  })

  it("refuses to write where a folder is, or below a file", async () => {
    const host = await hostWith({ "src/a.txt": "a" })
    await expect(host.writeFile("src", "x")).rejects.toEqual(refusal("is-directory"))
    await expect(host.writeFile("src/a.txt/b.txt", "x")).rejects.toEqual(refusal("not-directory"))
  })
}

function describeChanges(hostWith: HostWith): void {
  const text = async (host: Host, path: string) => Buffer.from(await host.readFile(path)).toString()

  it("changes, creates and removes files together", async () => {
    const host = await hostWith({ "a.txt": "a", "src/b.txt": "b" })
    await host.applyChanges([
      { path: "a.txt", content: "A" },
      { path: "deep/down/c.txt", content: new Uint8Array([67]), from: "src/b.txt" },
      { path: "src/b.txt", remove: true },
    ])
    expect([await text(host, "a.txt"), await text(host, "deep/down/c.txt")]).toEqual(["A", "C"])
    expect(await host.stat("src/b.txt")).toBeUndefined()
    await host.applyChanges([])
    expect(await host.rollBack()).toEqual([])
  })

  it("changes nothing when one of the changes cannot be made", async () => {
    const host = await hostWith({ "a.txt": "a", "src/b.txt": "b" })
    const first = { path: "a.txt", content: "A" }
    const failing = (path: string, remove = false) =>
      host.applyChanges([first, remove ? { path, remove: true } : { path, content: "x" }])
    await expect(failing("src")).rejects.toEqual(refusal("is-directory"))
    await expect(failing("src", true)).rejects.toEqual(refusal("is-directory"))
    await expect(failing("nowhere.txt", true)).rejects.toEqual(refusal("not-found"))
    await expect(failing("src/b.txt/below.txt")).rejects.toEqual(refusal("not-directory"))
    await expect(failing("./a.txt")).rejects.toEqual(refusal("other"))
    expect([await text(host, "a.txt"), await text(host, "src/b.txt")]).toEqual(["a", "b"])
  })
}

function describePages(hostWith: HostWith): void {
  it("gives a page of lines without their ends, and counts them all", async () => {
    const host = await hostWith({ "a.txt": "1\n2\r\n3\n\n5", "b.txt": "1\n2\n" })
    expect(await host.readLines("a.txt", { offset: 1, limit: 100 })).toEqual({ lines: ["1", "2", "3", "", "5"], total: 5 })
    expect(await host.readLines("a.txt", { offset: 2, limit: 2 })).toEqual({ lines: ["2", "3"], total: 5 })
    expect(await host.readLines("b.txt", { offset: 1, limit: 1 })).toEqual({ lines: ["1"], total: 2 })
  })

  it("gives no lines past the end and none of an empty file", async () => {
    const host = await hostWith({ "a.txt": "1\n2", "empty.txt": "", "blank.txt": "\n" })
    expect(await host.readLines("a.txt", { offset: 3, limit: 5 })).toEqual({ lines: [], total: 2 })
    expect(await host.readLines("empty.txt", { offset: 1, limit: 5 })).toEqual({ lines: [], total: 0 })
    expect(await host.readLines("blank.txt", { offset: 1, limit: 5 })).toEqual({ lines: [""], total: 1 })
  })

  it("drops a byte order mark and stops when told to", async () => {
    const host = await hostWith({ "a.txt": "\uFEFFone" })
    expect(await host.readLines("a.txt", { offset: 1, limit: 1 })).toEqual({ lines: ["one"], total: 1 })
    const reading = host.readLines("a.txt", { offset: 1, limit: 1, signal: AbortSignal.abort() })
    await expect(reading).rejects.toMatchObject({ name: "AbortError" })
  })
}

function describeProcesses(hostWith: HostWith): void {
  it("runs a command, hands over what it prints and tells how it ended", async () => {
    const host = await hostWith({})
    const heard = { stdout: "", stderr: "" }
    const outcome = await host.run(
      { shell: "printf hello; printf oops >&2; exit 3" },
      {
        onOutput: (text, stream) => {
          heard[stream] += text
        },
      },
    )
    expect(outcome).toEqual({ exitCode: 3, ending: "exited" })
    expect(heard).toEqual({ stdout: "hello", stderr: "oops" })
  })

  it("ends a command by timeout and by abort, and says which", async () => {
    const host = await hostWith({})
    expect(await host.run({ shell: "sleep 30" }, { timeoutMs: 50 })).toMatchObject({ exitCode: null, ending: "timed-out" })
    expect(await host.run({ shell: "sleep 30" }, { signal: AbortSignal.timeout(50) })).toMatchObject({ ending: "cancelled" })
    expect(await host.run({ shell: "sleep 30" }, { signal: AbortSignal.abort() })).toEqual({
      exitCode: null,
      ending: "cancelled",
    })
  })

  it("refuses what cannot be started", async () => {
    const host = await hostWith({ "a.txt": "a" })
    await expect(host.run({ program: "no-such-program-here", args: [] })).rejects.toEqual(refusal("not-found"))
    await expect(host.run({ shell: "sleep 30" }, { cwd: "nowhere" })).rejects.toEqual(refusal("not-found"))
    await expect(host.run({ shell: "sleep 30" }, { cwd: "a.txt" })).rejects.toEqual(refusal("not-directory"))
  })
}
