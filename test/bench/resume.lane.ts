/** Opening a task's log and folding it into its state, beside the least that reading it can cost. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { blobFolder } from "../../src/task/blobs.ts"
import { foldLog } from "../../src/task/fold.ts"
import { openLog } from "../../src/task/log.ts"
import type { DurableEvent } from "../../src/types/event.ts"
import type { JsonObject } from "../../src/types/json.ts"
import type { AssistantMessage } from "../../src/types/message.ts"
import { SOURCE } from "./json-texts.ts"
import { type Job, serveLane } from "./lane-process.ts"

export interface ResumeCell {
  events: number
  /** What is read is so large that it stands in files beside the log. */
  large: boolean
}

/** Together more than a line of the log may hold. */
const LARGE_PAGES = Math.ceil(40_000 / SOURCE.length)

/** A task that reads a page and edits it, turn after turn: four events a turn. */
function eventAt(index: number, large: boolean): DurableEvent {
  if (index === 0) {
    return {
      type: "task-started",
      version: 1,
      task: "1",
      workspace: "/w",
      mode: "code",
      model: "bench/model",
      protocol: "native",
    }
  }
  const turn = Math.floor((index - 1) / 4) + 1
  const callKey = `${turn}.1`
  const reads = turn % 2 === 0
  const name = reads ? "read" : "edit"
  const input: JsonObject = reads ? { path: "src/count.ts" } : { path: "src/count.ts", diff: SOURCE }
  switch ((index - 1) % 4) {
    case 0:
      return { type: "turn-started", turn }
    case 1: {
      const call = { key: callKey, id: `call_${turn}`, name, input }
      const message: AssistantMessage = { role: "assistant", parts: [{ type: "call", call }], model: "bench/model" }
      return { type: "replied", turn, message, end: "tool-calls", usage: { inputTokens: 9_000, outputTokens: 90 } }
    }
    case 2:
      return { type: "call-started", callKey, tool: name, effect: reads ? "read" : "write" }
    default: {
      const text = reads ? `${turn}\n${SOURCE.repeat(large ? LARGE_PAGES : 10)}` : "Edited."
      return { type: "call-finished", callKey, tool: name, result: "done", content: [{ type: "text", text }] }
    }
  }
}

function makeLog({ events, large }: ResumeCell): string {
  const folder = mkdtempSync(join(tmpdir(), "joey-bench-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "log.jsonl")
  const { log } = openLog(path)
  for (let index = 0; index < events; index++) log.append(eventAt(index, large))
  log.close()
  return path
}

const jobs: Record<string, Job<ResumeCell>> = {
  limit(cell) {
    const path = makeLog(cell)
    return () => {
      const events = readFileSync(path, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const blobs = blobFolder(path)
      const texts = existsSync(blobs) ? readdirSync(blobs).map((name) => readFileSync(join(blobs, name), "utf8")) : []
      if (events.length !== cell.events || texts.length > 0 !== cell.large) throw new Error("the log was not read")
    }
  },
  resume(cell) {
    const path = makeLog(cell)
    return () => {
      const { log, events } = openLog(path)
      const state = foldLog(events)
      log.close()
      if (log.lastSeq !== cell.events || state.turn === 0) throw new Error("the log was not read")
    }
  },
}

serveLane(jobs)
