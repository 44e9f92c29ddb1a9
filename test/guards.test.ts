/**
 * Shapes that must hold on any machine, however fast or busy: how often a character is looked at, what the log adds to what it
 * records, what is loaded and sent before the model can answer. `npm run bench` measures the times.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTask } from "../src/index.ts"
import type { JsonEvents } from "../src/json/events.ts"
import { liveJson } from "../src/json/live-json.ts"
import { jsonReader, read } from "../src/json/reader.ts"
import { chooseModel, connectModel } from "../src/providers/connect.ts"
import { answeredCalls } from "../src/scripted-model/chat-request.ts"
import { call, type Piece, reply } from "../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../src/scripted-model/server.ts"
import { readReply } from "../src/stream/assistant-message.ts"
import { LOG_VERSION, type Recorded } from "../src/types/event.ts"
import { firstRequest } from "./bench/first-request.ts"
import { argumentText, cut, SHAPES } from "./bench/json-texts.ts"
import { COMMAND } from "./bench/measured-process.ts"
import { cleanEnvironment } from "./bench/node-process.ts"
import { type Looks, looksDuring } from "./looks.ts"
import "./e2e/current-build.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "joey-guards-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a growing text is looked at once", () => {
  const LENGTH = 300_000
  const PIECE = 12

  it("the count sees a reader that looks back", () => {
    const pieces = cut(argumentText("long string", 20_000), PIECE)
    const { back } = looksDuring(PIECE, () => {
      let text = ""
      for (const piece of pieces) {
        text += piece
        text.endsWith("}")
      }
    })
    expect(back / (pieces.length * PIECE)).toBeGreaterThan(100)
  })

  it.each(SHAPES)("S4: reading %s, each character is looked at about once and the text so far never", (shape) => {
    const pieces = cut(argumentText(shape, LENGTH), PIECE)
    const live = liveJson()
    const looks = looksDuring(PIECE, () => {
      for (const piece of pieces) {
        live.push(piece)
        if (live.value === undefined && live.received > PIECE) throw new Error("nothing can be read")
      }
    })
    expect(live.state).toBe("complete")
    expectLinear(looks, pieces.length * PIECE, { kept: 2 }) // the text, and the string in it
  })

  it("S4: from partial chunks to drafts, the text of a call is not read back before its end", () => {
    const pieces = cut(argumentText("long string", LENGTH), PIECE)
    const reader = readReply({
      model: "m",
      keyPrefix: "1",
      isKnownTool: () => true,
      endsSilently: false,
      onDraft: ({ input }) => void input,
    })
    reader.step({ type: "tool_call_partial", index: 0, id: "call_1", name: "write" })
    const looks = looksDuring(PIECE, () => {
      for (const piece of pieces) reader.step({ type: "tool_call_partial", index: 0, arguments: piece })
    })
    reader.step({ type: "end", reason: "tool-calls" })
    expect(reader.halt().calls).toHaveLength(1)
    expectLinear(looks, pieces.length * PIECE, { kept: 3 }) // those two, and what the assembler may still need
  })

  it("a string that arrives in pieces makes one text event for each piece, whatever its length", () => {
    let events = 0
    const count = () => {
      events++
    }
    const nobody = () => {}
    const listener: JsonEvents<undefined> = {
      openObject: nobody,
      openArray: nobody,
      close: nobody,
      key: nobody,
      scalar: nobody,
      openString: nobody,
      text: count,
      closeString: nobody,
    }
    const pieces = cut(argumentText("long string", LENGTH), PIECE)
    const reader = jsonReader(listener, undefined)
    for (const piece of pieces) read(reader, piece)
    expect(events).toBeGreaterThan(pieces.length * 0.9)
    expect(events).toBeLessThanOrEqual(pieces.length * 1.1)
  })

  /** A reader may look at each character once (at the end of a number twice) and put together each text it keeps once. */
  function expectLinear({ once, back }: Looks, characters: number, { kept }: { kept: number }): void {
    expect(once / characters).toBeLessThanOrEqual(1.4)
    expect(back / characters).toBeLessThanOrEqual(kept)
  }
})

describe("the log", () => {
  const PAGE = Array.from({ length: 60 }, (_, line) => `line ${line} of a page with some text in it`).join("\n")
  const BIG = "a line of a file that is written by one call\n".repeat(5_000)
  const PIECES: Piece[] = [
    call("read_file", { path: "page.txt" }),
    call("write_to_file", { path: "small.txt", content: "one line\n" }),
    call("read_file", { path: "missing.txt" }),
    call("write_to_file", { path: "big.txt", content: BIG }),
    call("attempt_completion", { result: "Done." }),
  ]
  let events: Recorded[]
  beforeAll(async () => {
    events = await logOf(PIECES, { "page.txt": PAGE })
  })

  it("records the whole task, and nothing that only eyes need", () => {
    const kinds = new Set(events.map(({ type }) => type))
    expect(kinds).toContain("task-finished")
    for (const live of ["text", "reasoning", "draft", "progress", "waiting"]) expect(kinds).not.toContain(live)
  })

  it("adds at most 450 bytes to what an event has to say, whatever its kind", () => {
    const heavy = events.filter((event) => bytesOf(event) - said(event) > 450)
    expect(heavy.map((event) => `${event.type}: ${bytesOf(event)} bytes for ${said(event)}`)).toEqual([])
  })

  it("takes at most six events a turn", () => {
    const turns = events.filter(({ type }) => type === "turn-started").length
    expect(turns).toBe(PIECES.length)
    expect(events.length / turns).toBeLessThanOrEqual(6)
  })

  it("holds the content of a large call at most twice: as it was written, and as it is shown", () => {
    const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0)
    expect(bytes).toBeLessThanOrEqual(BIG.length * 2.3 + PAGE.length * 2 + events.length * 400)
  })

  it("begins with its version, so that an older reader can tell", () => {
    expect(events[0]).toMatchObject({ type: "task-started", version: LOG_VERSION })
  })

  /** Nothing is condensed: the script goes by what it is told. */
  const ROOMY = { models: { guard: { window: 10_000_000 } } }

  /** A task over a real socket, in a workspace with these files. */
  async function logOf(pieces: readonly Piece[], files: Record<string, string>): Promise<Recorded[]> {
    const model = await startScriptedModel((request) => reply(pieces[answeredCalls(request).length] ?? { text: "?" }))
    const chosen = chooseModel({ baseUrl: model.url, model: "guard" }, {})
    if (!chosen.ok) throw new Error(chosen.problem)
    const workspace = mkdtempSync(join(folder, "workspace-"))
    const home = mkdtempSync(join(folder, "home-"))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(workspace, name), text)
    const task = await createTask({ workspace, home, model: connectModel(chosen.target, ROOMY), settings: { approval: "yes" } })
    task.send({ type: "say", content: [{ type: "text", text: "Go." }] })
    for await (const event of task.events()) {
      if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "test" })
      if (event.type === "task-finished") break
    }
    await task.close()
    await model.close()
    const [id = ""] = readdirSync(join(home, "tasks"))
    const lines = readFileSync(join(home, "tasks", id, "log.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
    return lines.map((line) => JSON.parse(line))
  }

  function bytesOf(event: Recorded): number {
    return Buffer.byteLength(JSON.stringify(event)) + 1
  }

  /** What an event is there to say: the texts in it that are longer than a name. */
  function said(value: unknown): number {
    if (typeof value === "string") return value.length > 40 ? JSON.stringify(value).length : 0
    if (typeof value !== "object" || value === null) return 0
    return Object.values(value).reduce((sum: number, part) => sum + said(part), 0)
  }
})

describe("before the model can answer", () => {
  const NOTES = join(import.meta.dirname, "loaded-modules.mjs")

  it("--version loads the entry file and nothing else", () => {
    const { status, stdout, output } = spawnSync(process.execPath, ["--import", NOTES, COMMAND, "--version"], {
      env: cleanEnvironment(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit", "pipe"],
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
    expect(namesIn(output[3] ?? "")).toEqual(["joey.js"])
  })

  it("the first request leaves though the tools and their schema library never load", async () => {
    const { noted } = await firstRequest(mkdtempSync(join(folder, "first-")), ["--import", NOTES], { HELD_MODULES: "/tools-" })
    const loaded = namesIn(noted).filter((name) => name.endsWith(".js"))
    expect(loaded).toContain("joey.js")
    const heavy = loaded.filter((name) => /zod/i.test(readFileSync(join(COMMAND, "..", name), "utf8")))
    expect(heavy).toEqual([])
  })

  it("ten files of ours are enough for the first request, and no part of Node that takes long to load", async () => {
    const afterwards = { HELD_MODULES: "/(tools|tagged-text)-" } // what loads while the model thinks
    const { noted } = await firstRequest(mkdtempSync(join(folder, "first-")), ["--import", NOTES], afterwards)
    const loaded = namesIn(noted)
    expect(loaded.filter((name) => name.endsWith(".js")).length).toBeLessThanOrEqual(10)
    expect(loaded.filter((name) => /^node:(crypto|child_process|readline|worker_threads|zlib|https)$/.test(name))).toEqual([])
    expect(loaded).toContain("node:http")
  })

  it("the chunk that is held back above is the one with the schema library in it", () => {
    const chunks = readdirSync(join(COMMAND, "..")).filter((name) => name.endsWith(".js"))
    const heavy = chunks.filter((name) => /zod/i.test(readFileSync(join(COMMAND, "..", name), "utf8")))
    expect(heavy.length).toBeGreaterThan(0)
    expect(chunks.some((name) => name.startsWith("tools-"))).toBe(true)
  })

  it("system prompt and tools of the first request stay within 20 KB, the tools within 11", async () => {
    const { body } = await firstRequest(mkdtempSync(join(folder, "first-")))
    const { messages, tools } = JSON.parse(body)
    expect(messages[0].role).toBe("system")
    expect(tools.length).toBeGreaterThan(0)
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(11 * 1024)
    expect(Buffer.byteLength(JSON.stringify(messages[0])) + Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(
      20 * 1024,
    )
  })

  it("what is kept ready of the tools stays within 17 KB", () => {
    const definitions = JSON.parse(readFileSync(join(import.meta.dirname, "../src/tools/definitions.json"), "utf8"))
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThanOrEqual(17 * 1024)
  })

  function namesIn(noted: string): string[] {
    return noted
      .split("\n")
      .filter(Boolean)
      .map((url) => basename(url))
  }
})
