/**
 * Whole tasks over a real socket: the engine with its real tools against the scripted model. Here the clock of the machine has a
 * say, so that a case goes much the same way again, but not always exactly.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createTask, type Task } from "../../src/index.ts"
import { connectModel } from "../../src/providers/connect.ts"
import { type ScriptedModel, startScriptedModel } from "../../src/scripted-model/server.ts"
import type { Recorded } from "../../src/types/event.ts"
import type { Answer, Question } from "../../src/types/question.ts"
import { emptyView, reduce, type View } from "../../src/view/view.ts"
import type { Random } from "../random.ts"
import { logProblems, viewProblems } from "./loop-invariants.ts"
import type { Property } from "./property.ts"
import { plainTarget } from "./reading.ts"
import { MARKS, randomReply } from "./socket-scenario.ts"

export const socket: Property = {
  name: "socket",
  holds: "a task over a real socket ends or asks whatever the line does, and no request breaks the wire's rules",
  share: 0.0005,
  usesDisk: true,
  check,
}

/** A silence on the line is a fault after this. */
const PATIENCE_MS = 60
const LIVES = 3
const LONGEST_LIFE_MS = 8_000

async function check(chance: Random, folder: string): Promise<void> {
  const place = mkdtempSync(join(folder, "case-"))
  const workspace = join(place, "workspace")
  mkdirSync(workspace)
  const replies = chance.int(1, 6)
  const model = await startScriptedModel((_request, turn) =>
    turn < replies ? randomReply(chance, turn) : { pieces: [{ text: "I am done." }] },
  )
  try {
    const approval = chance.pick(["yes", "yes", "default"] as const)
    const { id, view } = await liveSeveralTimes(chance, { home: join(place, "home"), workspace, model, approval })
    const file = join(place, "home", "tasks", id, "log.jsonl")
    const events = readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line): Recorded => JSON.parse(line))
    const problems = [
      ...model.problems,
      ...markProblems(workspace),
      ...eventProblems(events, approval),
      ...viewProblems(events, view),
    ]
    if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${events.map((event) => JSON.stringify(event)).join("\n")}`)
  } finally {
    await model.close()
  }
}

interface Place {
  home: string
  workspace: string
  model: ScriptedModel
  approval: "yes" | "default"
}

/** The last life is left in peace and must come to an end. */
async function liveSeveralTimes(
  chance: Random,
  { home, workspace, model, approval }: Place,
): Promise<{ id: string; view: View }> {
  const timers = { headersMs: PATIENCE_MS, firstTokenMs: PATIENCE_MS, betweenChunksMs: PATIENCE_MS }
  const connected = connectModel({ ...plainTarget, baseUrl: model.url, timers })
  const clock = { now: Date.now, sleep: () => sleep(1) }
  const limits = { turns: chance.pick([3, 200]), mistakes: 3 }
  let id: string | undefined
  for (let lives = chance.int(1, LIVES); ; lives--) {
    const task = await createTask({
      home,
      workspace,
      model: connected,
      settings: { approval, limits },
      clock,
      ...(id !== undefined && { resume: id }),
    })
    task.send(id === undefined ? { type: "say", content: [{ type: "text", text: "Go." }] } : { type: "continue" })
    id = task.id
    const life = follow(task, (question) => answerTo(question, chance))
    if (lives > 1) await disturb(task, life, chance)
    else await Promise.race([life.ended, sleep(LONGEST_LIFE_MS, undefined, { ref: false }).then(() => neverEnds(task))])
    await task.close()
    if (lives === 1) return { id, view: life.view }
  }
}

interface Life {
  readonly view: View
  /** The task came to an end for the first time. */
  ended: Promise<void>
}

function follow(task: Task, answer: (question: Question) => Answer): Life {
  const life = { view: emptyView, ended: Promise.resolve() }
  life.ended = new Promise((resolve, reject) => {
    const listen = async (): Promise<void> => {
      for await (const event of task.events(0)) {
        life.view = reduce(life.view, event)
        if (event.type === "task-finished" && event.seq > task.openedAt) resolve()
        if (event.type !== "asked" || event.seq <= task.openedAt) continue
        task.send({ type: "answer", question: event.id, answer: answer(event.question), by: "fuzz" })
      }
    }
    listen().catch(reject)
  })
  life.ended.catch(() => {})
  return life
}

/** Something happens in the middle; then the task is let go of, wherever it is. */
async function disturb(task: Task, life: Life, chance: Random): Promise<void> {
  await Promise.race([life.ended, sleep(chance.int(0, 25))])
  const deed = chance.int(0, 3)
  if (deed === 0) task.send({ type: "cancel" })
  if (deed === 1) task.send({ type: "say", content: [{ type: "text", text: "And another thing." }] })
  if (deed < 2) await Promise.race([life.ended, sleep(chance.int(0, 25))])
}

function answerTo(question: Question, chance: Random): Answer {
  if (question.kind === "limit") return { kind: "no" }
  const words: Answer = { kind: "words", content: [{ type: "text", text: "Rather another way." }] }
  return chance.pick<Answer>([{ kind: "yes" }, { kind: "yes" }, { kind: "no" }, words])
}

function neverEnds(task: Task): never {
  throw new Error(`the task ${task.id} does not end`)
}

function eventProblems(events: readonly Recorded[], approval: Place["approval"]): string[] {
  const problems = logProblems(events, approval)
  return events.at(-1)?.type === "task-finished" ? problems : [...problems, "the log does not end with the end of the run"]
}

/** A command that ran twice left its mark twice. */
function markProblems(workspace: string): string[] {
  const file = join(workspace, MARKS)
  const marks = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []
  return marks.filter((mark, place) => marks.indexOf(mark) !== place).map((mark) => `the command ${mark} ran twice`)
}
