import { readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { guardHost } from "../host/guarded.ts"
import { localHost } from "../host/local.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { Host } from "../types/host.ts"
import { type CodeIndexOptions, openCodeIndex } from "./code-index.ts"

const FILES = {
  "src/upload.ts": "/** Tries an upload again when the network fails. */\nexport function retryUpload() {\n  return send()\n}\n",
  "src/upload.test.ts": "it('retries an upload', () => {\n  retryUpload()\n})\n",
  "src/colors.ts": "export const red = 1\n\nexport function mixColors(one, other) {\n  return one + other\n}\n",
  "README.md": "# Colors\nAll about paint.\n",
}

interface Scene {
  workspace: string
  file: string
  search(words: string, options?: { folder?: string; signal?: AbortSignal }): Promise<string[]>
  open(options?: Partial<CodeIndexOptions>): ReturnType<typeof openCodeIndex>
}

async function scene(files: Record<string, string | Uint8Array> = FILES, more: Partial<Host> = {}): Promise<Scene> {
  const folder = await temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`workspace/${name}`, text])),
  )
  const workspace = join(folder, "workspace")
  const file = join(folder, "home/index.sqlite")
  const open: Scene["open"] = (options) => {
    const guard = guardHost(localHost(workspace), [workspace], more.isHidden)
    const index = openCodeIndex({ host: { ...guard([]), ...more }, file, ...options })
    onTestFinished(() => index.close())
    return index
  }
  const index = open()
  return {
    workspace,
    file,
    open,
    async search(words, { signal = new AbortController().signal, ...options } = {}) {
      const { hits } = await index.search(words, { most: 10, signal, onProgress() {}, ...options })
      return hits.map(({ path, symbol }) => `${path}${symbol ? ` ${symbol}` : ""}`)
    },
  }
}

const asked = { most: 10, signal: new AbortController().signal, onProgress() {} }

describe("the code index", () => {
  it("S30: finds code by what it does, with its lines, its text and why", async () => {
    const { open } = await scene()
    const { hits, files, pending, notes } = await open().search("where is a failed upload tried again", asked)
    expect({ files, pending, notes }).toEqual({ files: 4, pending: 0, notes: [] })
    expect(hits[0]).toMatchObject({ path: "src/upload.ts", lines: [1, 4], symbol: "function retryUpload" })
    expect(hits[0]?.why).toContain("upload")
    expect(hits[0]?.text).toContain("  2 | export function retryUpload() {")
    expect(hits.map(({ path }) => path)).toContain("src/upload.test.ts")
  })

  it("looks only below a folder when asked to", async () => {
    const { search } = await scene({ ...FILES, "lib/upload.ts": "export function upload() {\n  go()\n}\n" })
    expect((await search("upload", { folder: "lib" })).map((hit) => hit.split(" ")[0])).toEqual(["lib/upload.ts"])
  })

  it("sees each change before it answers, also one of the same size and time", async () => {
    const { workspace, search } = await scene()
    expect(await search("banana")).toEqual([])
    const file = join(workspace, "src/colors.ts")
    const when = new Date(Date.now() - 500)
    utimesSync(file, when, when)
    await search("banana")
    writeFileSync(file, FILES["src/colors.ts"].replace("mixColors", "eatBanana"))
    utimesSync(file, when, when)
    expect(await search("banana")).toEqual(["src/colors.ts function eatBanana"])
    rmSync(file)
    expect(await search("banana")).toEqual([])
  })

  it("reads only what changed", async () => {
    const read: string[] = []
    const { workspace, file } = await scene()
    for (const name of Object.keys(FILES)) utimesSync(join(workspace, name), 1000, 1000)
    const host = localHost(workspace)
    const counting: Host = {
      ...host,
      async readFile(path) {
        read.push(path)
        return host.readFile(path)
      },
    }
    const index = openCodeIndex({ host: counting, file })
    onTestFinished(() => index.close())
    await index.refresh(asked)
    expect(read.splice(0).sort()).toEqual(Object.keys(FILES).sort())
    await index.refresh(asked)
    expect(read).toEqual([])
    writeFileSync(join(workspace, "README.md"), "# Other\n")
    utimesSync(join(workspace, "src/upload.ts"), 2000, 2000) // touched, not changed
    await index.refresh(asked)
    expect(read.sort()).toEqual(["README.md", "src/upload.ts"])
  })

  it("holds nothing that is ignored, kept back, secret, linked, binary, minified or huge", async () => {
    const more = { isHidden: (path: string) => path === "hidden.ts", isSecret: (path: string) => path.endsWith(".env") }
    const banana = "export const banana = 1\n"
    const { workspace, search, open } = await scene(
      {
        ".gitignore": "ignored.ts\n",
        "ignored.ts": banana,
        "hidden.ts": banana,
        "x.env": "banana=1",
        "binary.ts": new Uint8Array([0, 1, 2, ...Buffer.from(banana)]),
        "bundle.js": `var banana = "${"x".repeat(3000)}"\n`,
        "huge.ts": banana + "// x\n".repeat(250_000),
        "package-lock.json": '{ "banana": 1 }',
        "seen.ts": "export const apple = 1\n",
      },
      more,
    )
    const outside = await temporaryFolder({ "banana.ts": banana })
    symlinkSync(join(outside, "banana.ts"), join(workspace, "link.ts"))
    symlinkSync(outside, join(workspace, "folder"))
    expect(await search("banana")).toEqual([])
    expect(await search("apple")).toEqual(["seen.ts"])
    expect((await open().status()).files).toBe(4) // .gitignore and seen.ts; of two it is only remembered that they hold nothing
  })

  it("does not show what was hidden after it was indexed by somebody else", async () => {
    const { workspace, file, search } = await scene()
    expect(await search("mix colors")).toContain("src/colors.ts function mixColors")
    const host = { ...localHost(workspace), isHidden: (path: string) => path === "src/colors.ts" }
    const other = openCodeIndex({ host, file })
    onTestFinished(() => other.close())
    const { hits } = await other.search("mix colors", asked)
    expect(hits.map(({ path }) => path)).not.toContain("src/colors.ts")
  })

  it.each([
    ["all of it", 0],
    ["what follows its head", 4096],
  ])("is built anew when %s is damaged, and says so once", async (_, from) => {
    const { file, open } = await scene({ "a.txt": "upload words", "b.txt": "other words" })
    const before = open()
    await before.search("upload", asked)
    await before.close()
    writeFileSync(file, Buffer.concat([readFileSync(file).subarray(0, from), Buffer.from("no database ".repeat(4000))]))
    const index = open()
    const first = await index.search("upload", asked)
    expect(first.notes).toEqual(["The code index was damaged and has been built anew."])
    expect(first.hits.map(({ path }) => path)).toEqual(["a.txt"])
    expect((await index.search("upload", asked)).notes).toEqual([])
  })

  it("answers whichever page of it is damaged", { timeout: 30_000 }, async () => {
    const { file, open } = await scene({ "a.txt": "upload words", "b.txt": "other words" })
    const before = open()
    await before.search("upload", asked)
    await before.close()
    const whole = readFileSync(file)
    for (let page = 0; page < whole.length; page += 4096) {
      for (const byte of [0x00, 0x41, 0xff]) {
        writeFileSync(file, Buffer.from(whole).fill(byte, page, page + 4096))
        const index = open()
        const { hits } = await index.search("upload", asked)
        expect(
          hits.map(({ path }) => path),
          `page at ${page} filled with ${byte}`,
        ).toEqual(["a.txt"])
        await index.close()
      }
    }
  })

  it("says in one line that it cannot be kept, and tries again the next time", async () => {
    const { workspace, file, open } = await scene()
    writeFileSync(join(workspace, "../home"), "a file where a folder is needed")
    const index = open()
    await expect(index.search("upload", asked)).rejects.toMatchObject({
      name: "HostError",
      message: expect.stringContaining(file),
    })
    rmSync(join(workspace, "../home"))
    expect((await index.search("upload", asked)).hits.length).toBeGreaterThan(0)
  })

  it("answers from what there is when the time is up, and goes on", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}.txt`, `apple ${at}\n`]))
    const { open } = await scene(many)
    const index = open({ patienceMs: 1 })
    const first = await index.search("apple", asked)
    expect(first.pending).toBeGreaterThan(0)
    await index.refresh(asked)
    const later = await open({ patienceMs: 10_000 }).search("apple", asked)
    expect(later).toMatchObject({ pending: 0, files: 300 })
  })

  it("tells how far it has come", async () => {
    const told: string[] = []
    const { open } = await scene()
    await open().refresh({ ...asked, onProgress: (done, of) => told.push(`${done}/${of}`) })
    expect(told).toEqual(["1/4", "2/4", "3/4", "4/4"])
  })

  it("stops when it is cancelled and keeps what it has", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.txt`, `apple ${at}\n`]))
    const { open } = await scene(many)
    const index = open()
    await expect(index.search("apple", { ...asked, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" })
    const stop = new AbortController()
    const cancelled = index.search("apple", { ...asked, signal: stop.signal, onProgress: () => stop.abort() })
    await expect(cancelled).rejects.toMatchObject({ name: "AbortError" })
    expect((await index.search("apple", asked)).files).toBe(200)
  })

  it("lets go at once when it is closed in the middle, and can be asked again", async () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.js`, "function apple() {}\n".repeat(50)]))
    const { open } = await scene(many)
    const index = open({ patienceMs: 1 })
    await index.search("apple", asked)
    await index.close()
    expect((await open().search("apple", asked)).files).toBe(200)
  })

  it("is shared by several searches and by two indexes at once", async () => {
    const { open } = await scene()
    const [one, other] = [open(), open()]
    const all = await Promise.all([one, one, other, other, one].map((index) => index.search("upload", asked)))
    for (const { hits, files } of all) expect([hits[0]?.path, files]).toEqual(["src/upload.ts", 4])
  })

  it("leaves out files beyond the most it may hold, and says so", async () => {
    const { open } = await scene()
    const { files, notes } = await open({ mostFiles: 2 }).search("upload", asked)
    expect(files).toBe(2)
    expect(notes).toEqual([expect.stringContaining("Only the first 2 files are indexed")])
  })

  it("has nothing to say to a question without words", async () => {
    const { open } = await scene()
    expect((await open().search("how is the ?! of it", asked)).notes).toEqual(["The question has no words to search for."])
    expect((await open().search('" OR name:* NEAR(', asked)).hits).toEqual([])
  })
})
