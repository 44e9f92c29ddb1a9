/**
 * A hundred tasks at once in one process, over one model and one home: some work, some are sent broken calls, some are asked,
 * cancelled or left hanging. Each keeps to itself, each comes to its end, and what one costs in memory is measured.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTask, type Task, type TaskEvent } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import { bareReply, call, type Reply, rawCall, reply, type Scenario, say } from "../../src/scripted-model/scenario.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { Model } from "../../src/types/model.ts"
import type { Answer, Question } from "../../src/types/question.ts"
import { emptyView, reduce } from "../../src/view/view.ts"

const TASKS = 100
/** The longest silence that the tasks bear which are left hanging. */
const PATIENCE_MS = 1_500

const note = (marker: string) => Array.from({ length: 20 }, (_, line) => `line ${line} of ${marker}\n`).join("")
const write = (marker: string, path = "note.txt") => call("write_to_file", { path, content: note(marker) })
const edit = (marker: string) =>
  call("apply_diff", {
    path: "note.txt",
    diff: `<<<<<<< SEARCH\n-------\nline 3 of ${marker}\n=======\nchanged in ${marker}\n>>>>>>> REPLACE`,
  })
const done = (marker: string) => reply(call("attempt_completion", { result: `${marker} is done.` }))

interface Part {
  /** What the model replies, turn by turn. */
  replies(marker: string): Reply[]
  /** How each call came out, in order. */
  outcomes: string[]
  files: string[]
  ending: "accepted" | "cancelled"
}

const HANGS: Reply = bareReply(say("One moment"), { hang: true })

const PARTS: Record<string, Part> = {
  steady: {
    replies: (marker) => [
      reply(say(`I am ${marker}.`), write(marker), write(marker, "second.txt")),
      reply(call("read_file", { path: "note.txt" }), call("list_files", { path: "." })),
      reply(edit(marker)),
      done(marker),
    ],
    outcomes: ["write_to_file done", "write_to_file done", "read_file done", "list_files done", "apply_diff done"],
    files: ["note.txt", "second.txt"],
    ending: "accepted",
  },
  malformed: {
    replies: (marker) => [
      reply(write(marker), rawCall("write_to_file", `{"path": "bad.txt", "content": "${note(marker)}"}`)),
      reply(rawCall("write_to_file", `{"path": "bad.txt", "content": "${marker}`), edit(marker)),
      done(marker),
    ],
    outcomes: ["write_to_file done", "write_to_file invalid", "write_to_file invalid", "apply_diff done"],
    files: ["note.txt"],
    ending: "accepted",
  },
  asking: {
    replies: (marker) => [
      reply(say(`I am ${marker}.`), write(marker)),
      reply(write(marker, "refused.txt"), write(marker, "skipped.txt")),
      done(marker),
    ],
    outcomes: ["write_to_file done", "write_to_file denied", "write_to_file not-run"],
    files: ["note.txt"],
    ending: "accepted",
  },
  cancelled: {
    replies: (marker) => [
      reply(say(`I am ${marker}.`), write(marker)),
      bareReply(say(`I write ${marker}.`), rawCall("write_to_file", `{"path": "half.txt", "content": "${marker}`), {
        hang: true,
      }),
    ],
    outcomes: ["write_to_file done"],
    files: ["note.txt"],
    ending: "cancelled",
  },
  hanging: {
    replies: (marker) => [reply(say(`I am ${marker}.`), write(marker)), HANGS, done(marker)],
    outcomes: ["write_to_file done"],
    files: ["note.txt"],
    ending: "accepted",
  },
}
const KINDS = Object.keys(PARTS)

/** Knows whom it answers by what they said first. A reply that hangs is given once; the same request again gets the next one. */
function script(): Scenario {
  const dropped = new Map<string, number>()
  return (request) => {
    const [, kind = "", marker = ""] = /(\w+) (task-\d{3})/.exec(textOf(request.messages[1])) ?? []
    const missed = dropped.get(marker) ?? 0
    const next = PARTS[kind]?.replies(marker)[repliesSoFar(request) + missed]
    if (!next) throw new Error(`Nothing is left to say to ${kind} ${marker}.`)
    if (next === HANGS) dropped.set(marker, missed + 1)
    return next
  }
}

interface Member {
  kind: string
  marker: string
  workspace: string
  task: Task
  events: TaskEvent[]
}

interface Company {
  members: Member[]
  model: ScriptedModel
  home: string
  /** Bytes for each task, both ends of its connection included, while all of them are in the middle of a reply. */
  bytesEach: number
  leave(): Promise<void>
}

/** Runs so many tasks side by side until all have ended. In the middle of their first replies they wait for each other. */
async function runTogether(count: number): Promise<Company> {
  const folder = mkdtempSync(join(tmpdir(), "joey-hundred-"))
  const home = join(folder, "home")
  const model = await startScriptedModel(script())
  const meeting = meetingOf(count)
  const patient = stoppingAt(meeting.arrive, connect(model.url))
  const impatient = stoppingAt(meeting.arrive, connect(model.url, PATIENCE_MS))
  const before = await heapBytes()
  const opening = Array.from({ length: count }, async (_, at): Promise<Member> => {
    const kind = KINDS[at % KINDS.length] ?? ""
    const marker = `task-${String(at).padStart(3, "0")}`
    const workspace = join(folder, marker)
    mkdirSync(workspace)
    const approval = kind === "asking" ? "default" : "yes"
    const options = { workspace, home, settings: { approval }, clock: { now: Date.now, sleep: async () => {} } } as const
    const task = await createTask({ ...options, model: kind === "hanging" ? impatient : patient })
    return { kind, marker, workspace, task, events: [] }
  })
  const members = await Promise.all(opening)
  const ends = members.map(live)
  await meeting.complete
  const bytesEach = ((await heapBytes()) - before) / count
  meeting.open()
  await Promise.all(ends)
  async function leave(): Promise<void> {
    for (const { task } of members) await task.close()
    await model.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { members, model, home, bytesEach, leave }
}

/** Starts the task, answers what it asks, cancels it where that is its part, and follows it to its end. */
async function live({ kind, marker, task, events }: Member): Promise<void> {
  task.send({ type: "say", content: [{ type: "text", text: `${kind} ${marker}` }] })
  for await (const event of task.events()) {
    events.push(event)
    if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: answerTo(event.question), by: marker })
    if (kind === "cancelled" && event.type === "draft" && event.callKey === "2.1") task.send({ type: "cancel" })
    if (event.type === "task-finished") return
  }
}

function answerTo(question: Question): Answer {
  const refused = question.kind === "approve" && JSON.stringify(question.show).includes("refused.txt")
  return { kind: refused ? "no" : "yes" }
}

function meetingOf(count: number) {
  let missing = count
  let everybodyIsHere = () => {}
  let open = () => {}
  const complete = new Promise<void>((resolve) => {
    everybodyIsHere = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const arrive = () => {
    if (--missing === 0) everybodyIsHere()
    return opened
  }
  return { complete, open, arrive }
}

/** In the middle of its first reply a task stops until the others are there. */
function stoppingAt(arrive: () => Promise<void>, model: Model): Model {
  return {
    ...model,
    async *stream(request, signal) {
      let first = request.messages.length === 1
      for await (const chunks of model.stream(request, signal)) {
        const half = first ? Math.floor(chunks.length / 2) : chunks.length
        yield chunks.slice(0, half)
        if (first) await arrive()
        first = false
        yield chunks.slice(half)
      }
    },
  }
}

function connect(url: string, betweenChunksMs?: number): Model {
  const chosen = chooseModel({ baseUrl: url, model: "m" }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  const { target } = chosen
  return connectModel(betweenChunksMs === undefined ? target : { ...target, timers: { ...target.timers, betweenChunksMs } })
}

/** What is alive, once everything that is on its way out has gone. */
async function heapBytes(): Promise<number> {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  let bytes = Number.POSITIVE_INFINITY
  for (;;) {
    await sleep(20)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    if (heapUsed + external > bytes - 10_000) return heapUsed + external
    bytes = heapUsed + external
  }
}

function logOf({ home }: Company, { task }: Member): Recorded[] {
  const lines = readFileSync(join(home, "tasks", task.id, "log.jsonl"), "utf8").split("\n")
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}

const markersIn = (text: string) => [...new Set(text.match(/task-\d{3}/g))]

describe("a hundred tasks at once", () => {
  let one: Company
  let hundred: Company

  beforeAll(async () => {
    const first = await runTogether(KINDS.length) // loads what is loaded once
    await first.leave()
    one = await runTogether(1)
    hundred = await runTogether(TASKS)
  }, 60_000)
  afterAll(async () => {
    await one?.leave()
    await hundred?.leave()
  })

  it("all come to the end that their part has, with their own result", () => {
    for (const { kind, marker, events } of hundred.members) {
      const last = events.at(-1)
      expect(last).toMatchObject({ type: "task-finished", ending: { reason: PARTS[kind]?.ending } })
      if (last?.type !== "task-finished" || last.ending.reason !== "accepted") continue
      expect(last.ending.result).toBe(`${marker} is done.`)
    }
  })

  it("S12, S17: every call of every task has exactly one result, the one it should have", () => {
    for (const member of hundred.members) {
      const log = logOf(hundred, member)
      const part = PARTS[member.kind]
      const completed = part?.ending === "accepted" ? ["attempt_completion done"] : []
      const replies = log.flatMap((event) => (event.type === "replied" ? event.message.parts : []))
      const called = replies.flatMap((each) => (each.type === "call" ? [each.call.key] : []))
      const finished = log.flatMap((event) => (event.type === "call-finished" ? [event] : []))
      const results = called.map((key) => finished.find(({ callKey }) => callKey === key))
      expect(results.map((result) => `${result?.tool} ${result?.result}`)).toEqual([...(part?.outcomes ?? []), ...completed])
      expect(finished).toHaveLength(called.length)
    }
  })

  it("each has its own files and no others", () => {
    for (const { kind, marker, workspace } of hundred.members) {
      const files = readdirSync(workspace).sort()
      expect(files).toEqual(PARTS[kind]?.files)
      const texts = files.map((file) => readFileSync(join(workspace, file), "utf8"))
      expect(texts.at(-1)).toBe(kind === "malformed" ? note(marker).replace("line 3 of", "changed in") : note(marker))
      expect(markersIn(texts.join(""))).toEqual([marker])
    }
  })

  it("each log, view and request speaks of its own task only", () => {
    for (const member of hundred.members) {
      const log = logOf(hundred, member)
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
      expect(log[0]).toMatchObject({ type: "task-started", task: member.task.id, workspace: member.workspace })
      expect(markersIn(JSON.stringify(log))).toEqual([member.marker])
      const view = member.events.reduce(reduce, emptyView)
      expect(markersIn(JSON.stringify(view))).toEqual([member.marker])
      expect(view.rows).toEqual(log.reduce(reduce, emptyView).rows)
    }
    for (const request of hundred.model.requests) expect(markersIn(JSON.stringify(request))).toHaveLength(1)
    expect(hundred.model.problems).toEqual([])
  })

  it("those left hanging lose patience, ask again and go on; those cancelled keep no half call", () => {
    for (const { kind, events } of hundred.members) {
      const faults = events.flatMap((event) => (event.type === "request-failed" ? [event.fault.kind] : []))
      expect(faults).toEqual(kind === "hanging" ? ["timeout"] : [])
      if (kind !== "cancelled") continue
      expect(events.filter((event) => event.type === "replied").at(-1)).toMatchObject({ message: { interrupted: true } })
    }
  })

  it(`${TASKS} in the middle of a reply cost no more memory each than one alone, give or take`, async ({ annotate }) => {
    const [alone, together] = [one, hundred].map(({ bytesEach }) => `${Math.round(bytesEach / 1024)} KB`)
    await annotate(`memory per task, both ends of its connection included: ${together} of ${TASKS}, ${alone} of one alone`)
    expect(hundred.bytesEach).toBeLessThan(2 * one.bytesEach + 64 * 1024)
  })
})
