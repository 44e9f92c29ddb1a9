/** Whatever a Roo conversation holds, what comes of it is a valid history, and no words are lost or come twice. */
import { expect, it } from "vitest"
import { historyProblems } from "../../test/history-problems.ts"
import { type Random, random } from "../../test/random.ts"
import { foldLog } from "../task/fold.ts"
import type { Recorded } from "../types/event.ts"
import { readMessage } from "./roo-message.ts"
import { noRows } from "./roo-rows.ts"
import { tellStory } from "./roo-story.ts"

const facts = {
  task: "t",
  workspace: "/w",
  mode: "code",
  model: "m",
  protocol: "native",
  todos: [],
  rows: noRows(),
  usage: [],
  roo: "r",
  origin: "Imported.",
  time: 1,
  completed: false,
} as const

function told(messages: readonly unknown[], completed = false) {
  const events: Recorded[] = []
  const story = tellStory({ ...facts, todos: [], completed }, (event) => events.push({ seq: events.length + 1, ...event }))
  for (const value of messages) {
    const message = readMessage(value)
    if (message && message.parts.length > 0) story.take(message)
  }
  story.end()
  return { events, state: foldLog(events) }
}

const ID = ["a", "b", "c", "", 7]
const WORDS = [
  "word",
  "<user_message>\nword\n</user_message>",
  "[x for 'y'] Result:",
  "<environment_details>\nword</environment_details>",
]

function block({ pick, int }: Random, mark: () => string): unknown {
  switch (int(0, 7)) {
    case 0:
    case 1:
      return { type: "text", text: pick(WORDS).replace("word", mark()) }
    case 2:
    case 3:
      return {
        type: "tool_use",
        id: pick(ID),
        name: pick(["read_file", "attempt_completion", "update_todo_list", ""]),
        input: pick([{}, { todos: "[ ] a", result: "r" }, "{}", null, [1]]),
      }
    case 4:
    case 5:
      return {
        type: "tool_result",
        tool_use_id: pick(ID),
        content: pick(["", "done", [{ type: "text", text: "done" }], null, { type: "json", value: 1 }]),
      }
    case 6:
      return { type: "thinking", thinking: pick(["", "hm"]) }
    default:
      return pick<unknown>([null, { type: "image" }, { type: "what" }, { type: "text" }, 3])
  }
}

function conversation(chance: Random): { messages: unknown[]; marks: string[] } {
  const marks: string[] = []
  const messages = Array.from({ length: chance.int(1, 12) }, () => {
    const role = chance.pick(["user", "assistant"])
    const mark = () => {
      const word = `mark-${marks.length}-`
      marks.push(word)
      return word
    }
    const content = Array.from({ length: chance.int(0, 4) }, () => block(chance, mark))
    const stands = chance.pick([
      {},
      {},
      {},
      {},
      { isSummary: true, condenseId: chance.pick(["s", ""]) },
      { isTruncationMarker: true, truncationId: "t" },
    ])
    return chance.chance(0.1)
      ? { type: "reasoning", summary: [{ text: "so" }] }
      : { role, content, ts: chance.pick([1, 2, -1, undefined]), ...stands }
  })
  return { messages, marks }
}

it("500 conversations of any blocks in any order become valid histories", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { messages, marks } = conversation(random(seed))
    const { events, state } = told(messages, seed % 2 === 0)
    const problems = historyProblems([...state.messages, { role: "user", content: [] }])
    expect(problems, `seed ${seed}: ${JSON.stringify(messages)}`).toEqual([])
    const finished = events.flatMap((event) => (event.type === "call-finished" ? [event.callKey] : []))
    expect(new Set(finished).size, `seed ${seed}`).toBe(finished.length)
    expect(state.ending, `seed ${seed}`).toBeDefined()
    const log = JSON.stringify(events.filter(({ type }) => type !== "condensed" && type !== "task-finished"))
    for (const mark of marks) expect(log.split(mark).length - 1, `seed ${seed}: ${mark}`).toBeLessThanOrEqual(1)
  }
})

it("no words of a person or a model are lost", () => {
  const { state } = told([
    {
      role: "user",
      content: [
        { type: "text", text: "<user_message>\none\n</user_message>" },
        { type: "text", text: "two" },
      ],
    },
    { role: "user", content: "three" },
    { role: "assistant", content: "four" },
    { role: "assistant", content: [{ type: "text", text: "five" }] },
    { role: "user", content: [{ type: "text", text: "six\n\n<environment_details>\nnotes\n</environment_details>" }] },
  ])
  expect(JSON.stringify([state.messages, state.unheard]).match(/one|two|three|four|five|six/g)).toEqual([
    ...["one", "two", "three", "four", "five", "six"],
  ])
})

it("a turn begins when the words before it were said", () => {
  const { events } = told([
    { role: "user", content: "hello", ts: 1000 },
    { role: "assistant", content: "hi", ts: 5000 },
  ])
  const at = Object.fromEntries(events.map((event) => [event.type, Date.parse(event.at)]))
  expect(at).toMatchObject({ "turn-started": 1000, replied: 5000 })
})
