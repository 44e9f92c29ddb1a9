/**
 * Plays a script in a whole task, with a model on a real port, real files and a real log, then opens the task once more. Kept is
 * all that came of it: what the model was told, what a person saw, what the log holds.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll } from "vitest"
import { createTask, type Task } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import type { ChatRequest } from "../../src/scripted-model/chat-request.ts"
import type { Scenario } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Chunk } from "../../src/types/chunk.ts"
import type { LiveEvent, Recorded } from "../../src/types/event.ts"
import type { Model } from "../../src/types/model.ts"
import { type Printer, printTask } from "../../src/ui/print/print-task.ts"
import { textPrinter } from "../../src/ui/print/text-printer.ts"
import { emptyView, reduce, type View } from "../../src/view/view.ts"
import { KEY } from "./replies.ts"

export interface Played {
  /** The code with which the command would have ended. */
  exit: number
  requests: readonly ChatRequest[]
  problems: readonly string[]
  log: readonly Recorded[]
  /** Of the call in question. */
  drafts: readonly (LiveEvent & { type: "draft" })[]
  /** Followed as it happened, and made from the log alone. */
  view: View
  replayed: View
  printed: string
  /** The same on a terminal, lines that were wiped again included. */
  passed: string
  /** Name and content. */
  files: Record<string, string>
}

export interface PlayOptions {
  /** A person looks at every delta of the call in question before the next one comes. Takes 34 ms each. */
  watched?: boolean
}

export async function play(script: Scenario, { watched = false }: PlayOptions = {}): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), "joey-malformed-"))
  const workspace = join(folder, "workspace")
  const home = join(folder, "home")
  mkdirSync(workspace)
  const server = await startScriptedModel(script)
  const { requests, problems } = server
  const model = connect(server.url)
  const watch = watcher()
  const options = { workspace, home, settings: { approval: "yes" } } as const
  try {
    const task = await createTask({ ...options, model: watched ? slowedDown(model, watch.nextDraft) : model })
    const exit = await run(task, "write", watch.printer)
    const log = readLog(home, task.id)
    const files = readdirSync(workspace).map((name) => [name, readFileSync(join(workspace, name), "utf8")])
    await run(await createTask({ ...options, model, resume: task.id }), "more", watcher().printer)
    const { view, printed, passed, drafts } = watch.seen
    const replayed = log.reduce(reduce, emptyView)
    return { exit, requests, problems, log, drafts, view, replayed, printed, passed, files: Object.fromEntries(files) }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Plays a script for each, all of them at once, before the first test of the block; a test then asks for its own. */
export function playEach<Each>(
  all: readonly Each[],
  script: (each: Each) => Scenario,
  options?: PlayOptions,
): (each: Each) => Promise<Played> {
  const plays = new Map<Each, Promise<Played>>()
  beforeAll(async () => {
    for (const each of all) plays.set(each, play(script(each), options))
    await Promise.allSettled(plays.values()) // one that failed is thrown again in the test that asks for it
  }, 60_000)
  return (each) => plays.get(each) ?? Promise.reject(new Error("It was not played."))
}

async function run(task: Task, words: string, printer: Printer): Promise<number> {
  try {
    task.send({ type: "say", content: [{ type: "text", text: words }] })
    return await printTask(task, printer)
  } finally {
    await task.close()
  }
}

function connect(url: string): Model {
  const chosen = chooseModel({ baseUrl: url, model: "m" }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  // Large enough for whatever a script sends: nothing of it is to be condensed.
  return connectModel(chosen.target, { models: { m: { window: 100_000_000 } } })
}

/** Pieces that came together were joined on the way: as the server cut them. */
function apart(chunk: Chunk): Chunk[] {
  if (chunk.type !== "tool_call_partial" || !chunk.arguments) return [chunk]
  const pieces = chunk.arguments.match(/[\s\S]{1,12}/g) ?? []
  return pieces.map((piece) => ({ ...chunk, arguments: piece }))
}

/** Hands over the pieces of the call in question one by one, each when the one before has been seen. */
function slowedDown(model: Model, seen: () => Promise<void>): Model {
  return {
    ...model,
    async *stream(request, signal) {
      for await (const chunks of model.stream(request, signal)) {
        for (const chunk of chunks.flatMap(apart)) {
          yield [chunk]
          if (chunk.type === "tool_call_partial" && chunk.index === 1) await seen()
        }
      }
    },
  }
}

/** Somebody who reads what is printed, and remembers what passed. */
function watcher() {
  const drafts: (LiveEvent & { type: "draft" })[] = []
  const seen = { printed: "", passed: "", view: emptyView, drafts }
  let draftSeen = () => {}
  const print = (key: "printed" | "passed") => (text: string) => {
    seen[key] += text
  }
  const printer = textPrinter({ colour: false, transient: false, write: print("printed") })
  const terminal = textPrinter({ colour: false, transient: true, write: print("passed") })
  return {
    seen,
    nextDraft: () =>
      new Promise<void>((resolve) => {
        draftSeen = resolve
      }),
    printer: {
      ...printer,
      show(view, event) {
        seen.view = view
        printer.show(view, event)
        terminal.show(view, event)
        if (event.type !== "draft" || event.callKey !== KEY) return
        drafts.push(event)
        draftSeen()
      },
    } satisfies Printer,
  }
}

function readLog(home: string, task: string): Recorded[] {
  const text = readFileSync(join(home, "tasks", task, "log.jsonl"), "utf8")
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
