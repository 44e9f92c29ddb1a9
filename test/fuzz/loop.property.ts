/** The loop under a random script: a model that says anything, a person who does anything, and a process that dies at any moment. */
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises"
import type { Answer } from "../../src/types/question.ts"
import type { Command } from "../../src/types/task.ts"
import type { Random } from "../random.ts"
import { foldProblems, logProblems, viewProblems } from "./loop-invariants.ts"
import type { Process } from "./loop-process.ts"
import { makeWorld, type World } from "./loop-world.ts"
import { oddText } from "./odd-text.ts"
import type { Property } from "./property.ts"

export const loop: Property = {
  name: "loop",
  holds:
    "whatever model and person do and whenever the process dies, the task ends or asks, and calls, results and effects agree",
  share: 0.0195,
  usesDisk: true,
  check,
}

async function check(chance: Random, folder: string): Promise<void> {
  const timers = runningTimers()
  const world = makeWorld(chance, folder)
  try {
    await live(world)
    await comeToAnEnd(world)
    if (runningTimers() > timers) await sleep(LATE_MS) // what they bring must not change anything any more
    const problems = [...world.problems, ...problemsOf(world)]
    if (problems.length > 0) throw new Error(`${problems.join("\n")}\n${written(world)}`)
  } finally {
    await world.remove()
  }
}

/** More than the longest time for which what people see is held back. */
const LATE_MS = 50

function runningTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
}

const DEEDS = 8

/** Lets the task run and, whenever it rests, waits or is gone, does something about it. */
async function live(world: World): Promise<void> {
  const { chance } = world
  for (let surprises = chance.int(0, 3); surprises > 0; surprises--) world.time.plan(chance.int(1, 40), randomDeed(world))
  const opened = world.open()
  if (opened) say(opened, chance)
  for (let deeds = chance.int(0, DEEDS); deeds > 0; deeds--) {
    await nextRound()
    const current = world.process
    if (!current) {
      const reopened = world.open()
      if (reopened) wake(reopened, chance)
    } else if (current.resting) {
      if (chance.chance(0.5)) wake(current, chance)
      else randomDeed(world)()
    } else if (current.view.pending.length > 0) {
      if (chance.chance(0.8)) answer(current, chance)
      else randomDeed(world)()
    } else if (world.time.held) {
      if (chance.chance(0.5)) world.time.letGo()
      else randomDeed(world)()
    } else throw stuck(world)
    if (chance.chance(0.3)) world.time.plan(chance.int(1, 40), randomDeed(world))
  }
}

/** From here on nothing surprising happens: the run must come to its end. */
async function comeToAnEnd(world: World): Promise<void> {
  world.time.forgetPlans()
  await nextRound()
  if (world.spoilt) await world.close()
  for (let round = 0; round < 60; round++) {
    const current = world.process
    if (!current) world.open()?.task.send({ type: "continue" })
    else if (current.view.pending.length > 0) answer(current, world.chance, { shortly: round > 10 })
    else if (world.time.held) world.time.letGo()
    else if (current.resting) return
    else throw stuck(world)
    await nextRound()
  }
  world.process?.task.send({ type: "cancel" })
  await nextRound()
  if (!world.process?.resting) throw stuck(world)
}

function stuck(world: World): Error {
  return new Error(["the task neither ends nor asks", ...world.problems, written(world)].join("\n"))
}

function problemsOf(world: World): string[] {
  const current = world.process
  if (!current) return ["the task is gone"]
  const events = world.log()
  const twice = [...world.effects].filter(([, { effect, times }]) => times > 1 && effect !== "none" && effect !== "read")
  return [
    ...twice.map(([callKey, { effect, times }]) => `${callKey} took effect (${effect}) ${times} times`),
    ...logProblems(events, world.approval),
    ...foldProblems(events, current.state),
    ...viewProblems(events, current.view),
  ]
}

/** What a person, or fate, does without being asked. */
function randomDeed(world: World): () => void {
  const { chance } = world
  const send = (command: Command) => () => world.process?.task.send(command)
  const kind = chance.int(0, 14)
  if (kind < 3) return send({ type: "cancel" })
  if (kind < 5) return () => world.process && say(world.process, chance)
  if (kind === 5) return send({ type: "continue" })
  if (kind === 6) return send({ type: "set-mode", mode: chance.pick(["code", "ask", "no such mode"]) })
  if (kind === 7) return () => world.process && answerAgain(world.process, chance)
  if (kind === 8) return world.fillDisk
  return kind < 11 ? () => void world.close() : world.kill
}

/** An answer that comes twice or too late, or to a question that nobody asked. */
function answerAgain({ task, state }: Process, chance: Random): void {
  const question = chance.pick([...state.questions.keys(), "no such question"])
  task.send({ type: "answer", question, answer: { kind: "yes" }, by: "fuzz" })
}

function wake(woken: Process, chance: Random): void {
  if (chance.chance(0.5)) say(woken, chance)
  else woken.task.send({ type: "continue" })
}

function say({ task }: Process, chance: Random): void {
  task.send({ type: "say", content: [{ type: "text", text: `Please ${oddText(chance)}` }] })
}

function answer({ task, view }: Process, chance: Random, { shortly = false } = {}): void {
  const pending = view.pending[chance.int(0, view.pending.length - 1)]
  const replies: readonly Answer[] = [
    { kind: "yes" },
    { kind: "yes" },
    { kind: "yes", always: "task" },
    { kind: "no" },
    { kind: "words", content: [{ type: "text", text: "Rather not." }] },
  ]
  const short: Answer = { kind: pending?.question.kind === "limit" ? "no" : "yes" }
  if (pending) task.send({ type: "answer", question: pending.id, answer: shortly ? short : chance.pick(replies), by: "fuzz" })
}

function written(world: World): string {
  return world
    .log()
    .map((event) => JSON.stringify(event))
    .join("\n")
}
