/** The tasks that are killed. What a model answers follows from the request alone, so that it serves a resumed task as well. */
import { answeredCalls, type ChatRequest, textOf } from "../../src/scripted-model/chat-request.ts"
import { call, type Piece, type Reply, reply, say } from "../../src/scripted-model/scenario.ts"

export interface CrashScenario {
  name: string
  /** Said one after the other, each when the task rests. */
  words: readonly string[]
  /** Besides where the model is. */
  args: readonly string[]
  files: Readonly<Record<string, string>>
  /** The person's. */
  settings?: object
  /** Its past is shortened on the way: the model then may hear the words again in what is kept of it. */
  condenses?: boolean
  /** `settled`: how many calls the task's log has results for. */
  script(request: ChatRequest, settled: () => number): Reply
}

/** Where every command leaves a line of its own: how often an effect really happened. */
export const LEDGER = "ledger.txt"

const BIG = Array.from({ length: 2_000 }, (_, line) => `line ${line} of a large file, with some words in it`).join("\n")

/** A command that takes a moment, before and after its effect. */
function effect(mark: string): Piece {
  return call("execute_command", { command: `sleep 0.01; echo ${mark} >> ${LEDGER}; sleep 0.01` })
}

/** Slowly enough that it can be killed in the middle. */
function paced(...pieces: Piece[]): Reply {
  return { ...reply(...pieces), pace: 1, chunkSize: 40 }
}

/** One reply per number of answered calls; the last one for any more. */
function inOrder(...replies: readonly [answered: number, reply: Reply][]): (request: ChatRequest) => Reply {
  return (request) => replyAt(answeredCalls(request).length, replies)
}

function replyAt(answered: number, replies: readonly (readonly [answered: number, reply: Reply])[]): Reply {
  const next = replies.find(([at]) => at === answered) ?? replies.at(-1)
  return next?.[1] ?? reply(say("nothing to say"))
}

const work: CrashScenario = {
  name: "work",
  words: ["first-words: do all of it", "second-words: and a little more"],
  args: ["--yes"],
  files: { "big.txt": BIG },
  script: inOrder(
    [0, paced(say("I begin with a file."), call("write_to_file", { path: "a.txt", content: "written once\n" }))],
    [1, paced(say("Two at once."), effect("c1"), effect("c2"))],
    [3, paced(call("read_file", { path: "big.txt" }), call("write_to_file", { path: "b.txt", content: "written too\n" }))],
    [5, paced(call("attempt_completion", { result: "First part done." }))],
    [6, paced(effect("c3"))],
    [7, paced(call("attempt_completion", { result: "All done." }))],
  ),
}

/** Each effect waits for a person, who answers from another process. */
const approvals: CrashScenario = {
  name: "approvals",
  words: ["first-words: ask me before"],
  args: [],
  files: {},
  script: inOrder(
    [0, paced(say("May I?"), effect("c1"))],
    [1, paced(call("write_to_file", { path: "a.txt", content: "written once\n" }), effect("c2"))],
    [3, paced(call("attempt_completion", { result: "All done." }))],
  ),
}

const CHILD = "child-words: do your part"

/** Hands work to two others, one after the other and with effects of their own. */
const subtasks: CrashScenario = {
  name: "subtasks",
  words: ["first-words: hand it over"],
  args: ["--yes"],
  files: {},
  script(request) {
    const own = /child-words: do your part (\d)/.exec(textOf(request.messages.find(({ role }) => role === "user")))?.[1]
    return own === undefined ? parent(request) : child(own)(request)
  },
}

const parent = inOrder(
  [0, paced(call("new_task", { mode: "code", message: `${CHILD} 1` }))],
  [1, paced(call("new_task", { mode: "code", message: `${CHILD} 2` }), effect("c1"))],
  [3, paced(call("attempt_completion", { result: "All done." }))],
)

function child(own: string): (request: ChatRequest) => Reply {
  return inOrder([0, paced(effect(`child-${own}`))], [1, paced(call("attempt_completion", { result: `Part ${own} done.` }))])
}

const PART = Array.from({ length: 400 }, (_, line) => `line ${line} of a part, with some words in it`).join("\n")
const SUMMARY =
  "The task goes on as the person wanted; the parts were read one after the other, and nothing in them is surprising."

const readAndRun = [
  [0, paced(effect("c1"))],
  [1, paced(call("read_file", { path: "one.txt" }))],
  [2, paced(call("read_file", { path: "two.txt" }), effect("c2"))],
  [4, paced(call("read_file", { path: "three.txt" }))],
  [5, paced(effect("c3"))],
  [6, paced(call("attempt_completion", { result: "All done." }))],
] as const

/** The model is asked to sum up. */
export function isSummary(request: ChatRequest | undefined): boolean {
  return textOf(request?.messages.at(-1)).includes("The conversation grows too long")
}

/** Reads more than its model can hold. What it does next follows from the log, for the past is no longer in the request. */
const condensing: CrashScenario = {
  name: "condensing",
  words: ["first-words: read all of it"],
  args: ["--yes"],
  files: { "one.txt": PART, "two.txt": PART, "three.txt": PART },
  settings: { models: { scripted: { window: 16_000 } } },
  condenses: true,
  script(request, settled) {
    return isSummary(request) ? paced(say(SUMMARY)) : replyAt(settled(), readAndRun)
  },
}

export const scenarios: readonly CrashScenario[] = [work, approvals, subtasks, condensing]
