/** The loop under a random script: a model that says anything, a person who does anything, and a process that dies at any moment. */
import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises"
import type { Answer } from "../../src/types/question.ts"
import type { Command } from "../../src/types/task.ts"
import type { Random } from "../random.ts"
import { foldProblems, logProblems, viewProblems } from "./loop-invariants.ts"
import { makeWorld, type Opening, type World } from "./loop-world.ts"
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
    if (problems.length > 0)
      throw new Error(
        `${problems.join("\n")}\n${world
          .log()
          .map((event) => JSON.stringify(event))
          .join("\n")}`,
      )
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
  for (let surprises = chance.int(0, 3); surprises > 0; surprises--) world.plan(chance.int(1, 60), randomDeed(world))
  const opened = world.open()
  if (opened) say(opened, chance)
  for (let deeds = chance.int(0, DEEDS); deeds > 0; deeds--) {
    await nextRound()
    const { opening } = world
    if (!opening) {
      const reopened = world.open()
      if (reopened) wake(reopened, chance)
    } else if (opening.resting) {
      if (chance.chance(0.5)) wake(opening, chance)
      else randomDeed(world)()
    } else if (opening.view.pending.length > 0) {
      if (chance.chance(0.8)) answer(opening, chance)
      else randomDeed(world)()
    } else if (world.held) {
      if (chance.chance(0.5)) world.letGo()
      else randomDeed(world)()
    } else throw new Error(`the task neither ends nor asks:\n${describe(world)}`)
    if (chance.chance(0.3)) world.plan(chance.int(1, 40), randomDeed(world))
  }
}

/** From here on nothing surprising happens: the run must come to its end. */
async function comeToAnEnd(world: World): Promise<void> {
  world.forgetPlans()
  await nextRound()
  if (world.opening?.spoilt) await world.close()
  for (let round = 0; round < 60; round++) {
    const { opening } = world
    if (!opening) world.open()?.task.send({ type: "continue" })
    else if (opening.view.pending.length > 0) answer(opening, world.chance, round > 10)
    else if (world.held) world.letGo()
    else if (opening.resting) return
    else throw new Error(`the task neither ends nor asks:\n${describe(world)}`)
    await nextRound()
  }
  world.opening?.task.send({ type: "cancel" })
  await nextRound()
  if (!world.opening?.resting) throw new Error(`the task does not end, not even by a cancel:\n${describe(world)}`)
}

function problemsOf(world: World): string[] {
  const { opening, effects } = world
  if (!opening) return ["the task is gone"]
  const events = world.log()
  const twice = [...effects].filter(([, { effect, times }]) => times > 1 && effect !== "none" && effect !== "read")
  return [
    ...twice.map(([callKey, { effect, times }]) => `${callKey} took effect (${effect}) ${times} times`),
    ...logProblems(events, world.approval),
    ...foldProblems(events, opening.state),
    ...viewProblems(events, opening.view),
  ]
}

/** What a person, or fate, does without being asked. */
function randomDeed(world: World): () => void {
  const { chance } = world
  const send = (command: Command) => () => world.opening?.task.send(command)
  const kind = chance.int(0, 12)
  if (kind < 3) return send({ type: "cancel" })
  if (kind < 5) return () => world.opening && say(world.opening, chance)
  if (kind === 5) return send({ type: "continue" })
  if (kind === 6) return send({ type: "set-mode", mode: chance.pick(["code", "ask", "no such mode"]) })
  if (kind === 7) return () => world.opening && answerAgain(world.opening, chance)
  if (kind === 8) return world.fillDisk
  return kind < 11 ? () => void world.close() : world.kill
}

/** An answer that comes twice or too late, or to a question that nobody asked. */
function answerAgain({ task, state }: Opening, chance: Random): void {
  const question = chance.pick([...state.questions.keys(), "no such question"])
  task.send({ type: "answer", question, answer: { kind: "yes" }, by: "fuzz" })
}

function wake(opening: Opening, chance: Random): void {
  if (chance.chance(0.5)) say(opening, chance)
  else opening.task.send({ type: "continue" })
}

function say({ task }: Opening, chance: Random): void {
  task.send({ type: "say", content: [{ type: "text", text: `Please ${oddText(chance)}` }] })
}

function answer({ task, view }: Opening, chance: Random, shortly = false): void {
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

function describe(world: World): string {
  return [...world.problems, ...world.log().map((event) => JSON.stringify(event))].join("\n")
}
