/** Where the task's words come from, with real pipes and files as standard input. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { UsageError } from "./arguments.ts"
import { gatherWords } from "./words.ts"

let folder: string
let script: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-words-test-"))
  script = join(folder, "words.mjs")
  const contents = `import { gatherWords } from "./words.ts"
    process.stdout.write(JSON.stringify(await gatherWords(JSON.parse(process.argv[2]), process)))`
  const stdin = { contents, resolveDir: import.meta.dirname, loader: "ts" } as const
  const { outputFiles } = buildSync({ stdin, bundle: true, platform: "node", format: "esm", write: false })
  writeFileSync(script, outputFiles[0]?.text ?? "")
  writeFileSync(join(folder, "prompt.md"), "\nfrom the file\n")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The words gathered with this text, file or nothing as standard input. */
function gathered(words: string[], input: { text?: string; file?: string } = {}, promptFile?: string): unknown {
  const stdin = input.file ? openSync(input.file, "r") : input.text === undefined ? "ignore" : "pipe"
  const sources = JSON.stringify({ words, ...(promptFile && { promptFile }) })
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, sources], {
    encoding: "utf8",
    stdio: [stdin, "pipe", "pipe"],
    ...(input.text !== undefined && { input: input.text }),
  })
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 })
  return JSON.parse(stdout)
}

interface Waiting {
  child: ChildProcessWithoutNullStreams
  /** It has said that it waits, or that it does not. */
  spoken: Promise<unknown>
  ended: Promise<{ out: string; err: string }>
}

/** A run whose standard input stays open until somebody ends it. */
function waiting(words: string[]): Waiting {
  const child = spawn(process.execPath, [script, JSON.stringify({ words })])
  const heard = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    heard.out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    heard.err += text
  })
  return { child, spoken: once(child.stderr, "data"), ended: once(child, "close").then(() => heard) }
}

describe("words", () => {
  it("come from the command line, joined", () => expect(gathered(["fix", "the test"])).toBe("fix the test"))

  it("come from standard input when it is piped or a file", () => {
    expect(gathered([], { text: "from a pipe\n" })).toBe("from a pipe")
    expect(gathered([], { file: join(folder, "prompt.md") })).toBe("from the file")
    expect(gathered(["-"], { text: "from a pipe" })).toBe("from a pipe")
  })

  it("come from all of them, in order, with empty ones left out", () => {
    const promptFile = join(folder, "prompt.md")
    expect(gathered(["fix this:"], { text: "Error: é 😀\n" }, promptFile)).toBe("fix this:\n\nfrom the file\n\nError: é 😀")
    expect(gathered(["fix this"], { text: "  \n" })).toBe("fix this")
    expect(gathered([])).toBe("")
  })

  it("of a prompt file that cannot be read are a matter of usage, with its name", async () => {
    const gathering = gatherWords({ words: [], promptFile: join(folder, "missing.md") }, process)
    await expect(gathering).rejects.toThrow(UsageError)
    await expect(gathering).rejects.toThrow(/missing\.md/)
  })
})

describe("a pipe that stays open", () => {
  it("does not hang a run that has its words, and is said to be left; the word - waits for it", async () => {
    const left = waiting(["fix", "it"])
    const awaited = waiting(["read:", "-"])
    const wordless = waiting([])
    expect(await left.ended).toEqual({
      out: '"fix it"',
      err: expect.stringMatching(/^joey: nothing came on standard input.*\n$/),
    })
    left.child.stdin.destroy()
    await Promise.all([awaited.spoken, wordless.spoken])
    const bytes = Buffer.from("late é")
    for (const { child } of [awaited, wordless]) {
      child.stdin.write(bytes.subarray(0, -1)) // in the middle of a character
      setTimeout(() => child.stdin.end(bytes.subarray(-1)), 30)
    }
    expect((await awaited.ended).out).toBe(JSON.stringify("read:\n\nlate é"))
    expect(await wordless.ended).toEqual({ out: '"late é"', err: expect.stringContaining("standard input") })
  })
})
