import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import type { Answer } from "../types/question.ts"
import {
  EVERYTHING,
  entryOf,
  everythingAt,
  FILESYSTEM,
  freePort,
  program,
  scriptedServer,
  testFolder,
  testTask,
  wordsOf,
} from "./server-test.ts"

const words = (text: string): Answer => ({ kind: "words", content: [{ type: "text", text }] })

describe("real servers over stdio", () => {
  it("S7 S34 S49: everything and filesystem start side by side, their tools are offered and called", async () => {
    const folder = testFolder()
    writeFileSync(join(folder, "note.txt"), "seventeen")
    const entries = [entryOf("everything", program(EVERYTHING)), entryOf("my files", program(FILESYSTEM, folder))]
    const task = testTask(() => entries, { answers: [words("Decline")] })
    await task.source.refresh()
    expect(task.names()).toContain("mcp--everything--echo")
    expect(wordsOf(await task.call("mcp__everything__echo", { message: "hello" }))).toContain("Echo: hello")
    const read = task.source.tools().find(({ name }) => name.startsWith("mcp--my_files--read_text_file--"))
    expect(wordsOf(await task.call(read?.name ?? "", { path: join(folder, "note.txt") }))).toContain("seventeen")
    await expect(task.call(read?.name ?? "", { path: "/etc/passwd" })).rejects.toThrow("Access denied")
    await expect(task.call("mcp--everything--get-sum", { a: 1, b: "x" })).rejects.toThrow('`b`: expected number, got string "x"')
    const image = await task.call("mcp--everything--get-tiny-image")
    expect(Array.isArray(image.say) && image.say.some(({ type }) => type === "image")).toBe(true)
    await task.call("mcp--everything--trigger-long-running-operation", { duration: 0.2, steps: 2 })
    expect(task.shown).toContainEqual({ kind: "title", text: "trigger-long-running-operation: 1 of 2" })
    await task.call("mcp--everything--trigger-elicitation-request")
    expect(task.asked[0]?.question).toMatch(/^The server "everything" asks: /)
    const signal = new AbortController().signal
    expect(task.source.hasResources()).toBe(true)
    expect(await task.source.listResources("everything", signal)).toContainEqual(expect.objectContaining({ isTemplate: true }))
    const resource = await task.source.readResource("everything", "demo://resource/dynamic/text/1", signal)
    expect(wordsOf({ say: resource })).toContain("Resource 1")
    expect(task.source.prompts().map(({ name }) => name)).toContain("mcp:everything:args-prompt")
    expect(await task.source.prompt("mcp:everything:args-prompt", "Paris", signal)).toEqual([
      { type: "text", text: "What's weather in Paris?" },
    ])
    await expect(task.source.prompt("mcp:everything:args-prompt", "", signal)).rejects.toThrow('needs "city"')
    expect(task.source.instructions()[0]).toMatchObject({
      server: "everything",
      text: expect.stringContaining("Everything Server"),
    })
    expect(task.changes).toEqual([])
  }, 60_000)
})

describe("real servers over HTTP", () => {
  it("S34: everything is reached by streamable HTTP, and what it speaks is remembered", async () => {
    const home = testFolder()
    const port = await freePort()
    const child = await everythingAt(port)
    const entries = [entryOf("far", { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Test": "1" } })]
    const task = testTask(() => entries, { home })
    await task.source.refresh()
    expect(wordsOf(await task.call("mcp--far--echo", { message: "over the wire" }))).toContain("Echo: over the wire")
    expect(Object.values(JSON.parse(readFileSync(join(home, "mcp", "eras.json"), "utf8")))).toMatchObject([{ era: "legacy" }])
    child.kill("SIGKILL")
    await once(child, "exit")
    await expect(task.call("mcp--far--echo", { message: "x" })).rejects.toThrow(
      /^The server "far" (?:cannot be reached|closed|ended)/,
    )
    await everythingAt(port)
    expect(wordsOf(await task.call("mcp--far--echo", { message: "back" }))).toContain("Echo: back")
  }, 60_000)

  it("nobody there is one clear line", async () => {
    const port = await freePort()
    const task = testTask(() => [entryOf("gone", { kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} })])
    await task.source.refresh()
    expect(task.notices).toEqual([
      expect.stringMatching(/^The server "gone" could not be started: cannot be reached \(ECONNREFUSED\)/),
    ])
    expect(task.names()).toEqual([])
  })
})

describe("a server's life", () => {
  it("one that cannot start does not hurt the others, and is told once", async () => {
    const folder = testFolder()
    const entries = [
      entryOf("none", { ...program(), command: "no-such-program" }),
      entryOf("dies", program("-e", "console.error('boom'); process.exit(3)")),
      entryOf("good", scriptedServer(folder, 'if (method === "tools/call") return text("fine")')),
    ]
    const task = testTask(() => entries)
    await task.source.refresh()
    await task.source.refresh()
    expect(wordsOf(await task.call("mcp--good--act"))).toContain("fine")
    expect(task.notices).toEqual([
      expect.stringMatching(/^The server "none" could not be started: there is no program "no-such-program"/),
      expect.stringMatching(
        /^The server "dies" could not be started: exit code 3; its last words: boom\. See: joey mcp log dies$/,
      ),
    ])
  }, 30_000)

  it("one that dies in a call answers with one line, and is there again for the next", async () => {
    const folder = testFolder()
    const dying = scriptedServer(
      folder,
      `if (method === "tools/call") { if (fs.existsSync(${JSON.stringify(join(folder, "mark"))})) return text("again"); fs.writeFileSync(${JSON.stringify(join(folder, "mark"))}, ""); console.error("out of luck"); process.exit(7) }`,
      'import fs from "node:fs"',
    )
    const task = testTask(() => [entryOf("s", dying)])
    await task.source.refresh()
    await expect(task.call("mcp--s--act")).rejects.toThrow(
      /^The server "s" ended during the call \(exit code 7; its last words: out of luck\)\. Whether/,
    )
    expect(task.names()).toEqual(["mcp--s--act"])
    expect(wordsOf(await task.call("mcp--s--act"))).toContain("again")
  }, 30_000)

  it("a call that takes too long is cancelled, and a cancelled one is told to the server", async () => {
    const folder = testFolder()
    const heard = join(folder, "heard")
    const slow = scriptedServer(
      folder,
      `if (method === "tools/call") return new Promise(() => {}); if (method === "notifications/cancelled") fs.appendFileSync(${JSON.stringify(heard)}, "cancelled\\n")`,
      'import fs from "node:fs"',
    )
    const task = testTask(() => [entryOf("s", slow, { timeoutMs: 300 })])
    await task.source.refresh()
    await expect(task.call("mcp--s--act")).rejects.toThrow('The server "s" did not answer within 0.3 s; the call was cancelled.')
    const cancel = new AbortController()
    const call = task.call("mcp--s--act", {}, cancel.signal)
    call.catch(() => {})
    await sleep(100)
    cancel.abort()
    await expect(call).rejects.toThrow()
    await expect.poll(() => existsSync(heard) && readFileSync(heard, "utf8")).toBe("cancelled\ncancelled\n")
  }, 30_000)

  it("a server that is slow to start joins later, as a change", async () => {
    const folder = testFolder()
    const late = scriptedServer(folder, "", "await new Promise((r) => setTimeout(r, 800))")
    const entries = [entryOf("quick", scriptedServer(folder, "")), entryOf("late", late)]
    const task = testTask(() => entries, { waitMs: 500 })
    await task.source.refresh()
    const first = task.names()
    expect(task.notices.join()).toContain('The server "late" is still starting; its tools join when it is ready.')
    await expect.poll(async () => (await task.refreshed()).length, { timeout: 20_000 }).toBe(2)
    expect(task.names().slice(0, first.length)).toEqual(first)
    expect(task.changes.flatMap(({ added }) => added)).toContain("mcp--late--act")
  }, 30_000)

  it("S40: a list that changes is read again before the next request, and told", async () => {
    const folder = testFolder()
    const growing = scriptedServer(
      folder,
      'if (method === "tools/list") return { tools: names.map((name) => tool(name)) }; if (method === "tools/call") { names = ["act", "more"]; for (let i = 0; i < 500; i++) send({ method: "notifications/tools/list_changed" }); return text("ok") }',
      'let names = ["act", "less"]',
    )
    const task = testTask(() => [entryOf("s", growing)])
    await task.source.refresh()
    const before = task.source.offered()
    await task.source.refresh()
    expect(task.source.offered()).toBe(before)
    await task.call("mcp--s--act")
    await expect.poll(task.refreshed).toEqual(["mcp--s--act", "mcp--s--more"])
    expect(task.changes).toEqual([{ added: ["mcp--s--more"], removed: ["mcp--s--less"] }])
  }, 30_000)

  it("only what changed in the configuration is started anew, and never in the middle of a call", async () => {
    const folder = testFolder()
    const counting = (name: string) =>
      scriptedServer(
        folder,
        'if (method === "tools/call") { await new Promise((r) => setTimeout(r, params.arguments.ms ?? 0)); return text(process.env.WORD + " " + process.pid) }',
        `/* ${name} */`,
      )
    const [one, other] = [counting("one"), counting("other")]
    const withWord = (word: string) => entryOf("one", { ...one, env: { WORD: word } })
    let entries = [withWord("old"), entryOf("other", { ...other, env: { WORD: "same" } })]
    const task = testTask(() => entries)
    await task.source.refresh()
    const same = wordsOf(await task.call("mcp--other--act")).match(/same \d+/)?.[0]
    const running = task.call("mcp--one--act", { ms: 600 })
    await sleep(50)
    entries = [withWord("new"), entryOf("other", { ...other, env: { WORD: "same" } }, { alwaysAllow: ["act"] })]
    await task.source.refresh()
    expect(wordsOf(await task.call("mcp--one--act"))).toMatch(/new \d+/)
    expect(wordsOf(await running)).toMatch(/old \d+/)
    expect(wordsOf(await task.call("mcp--other--act"))).toContain(same)
    entries = []
    await task.source.refresh()
    expect(task.names()).toEqual([])
  }, 40_000)
})

describe("many tools", () => {
  const crowd = (folder: string) =>
    scriptedServer(
      folder,
      'if (method === "tools/list") return { tools: Array.from({ length: 300 }, (_, n) => tool("job_" + n, { description: "Does the work number " + n })) }; if (method === "tools/call") return text(params.name)',
    )

  it("S40: above the budget they are looked up, and what was looked up is offered at the end, also after a restart", async () => {
    const folder = testFolder()
    const entries = [entryOf("crowd", crowd(folder)), entryOf("few", scriptedServer(folder, ""), { alwaysLoad: true })]
    const loaded: string[] = []
    const task = testTask(() => entries, { budget: 1_000, loaded })
    await task.source.refresh()
    expect([task.names(), task.source.hasHidden()]).toEqual([["mcp--few--act"], true])
    const { found, total } = task.source.findTools("work number 123")
    expect([found[0]?.name, total]).toEqual(["mcp--crowd--job_123", 301])
    await task.source.refresh()
    expect(task.names().slice(0, 2)).toEqual(["mcp--few--act", "mcp--crowd--job_123"])
    expect(wordsOf(await task.call("mcp--crowd--job_7"))).toContain("job_7")
    const again = testTask(() => entries, { budget: 1_000, loaded })
    await again.source.refresh()
    expect(again.names()).toEqual(task.names())
  }, 30_000)
})
