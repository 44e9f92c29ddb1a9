/**
 * The demo's script: it repairs the failing test of the sample project beside it, with the tools a real model would use.
 * Each step looks at what came back from the one before; where that is not what the script needs, it says so and stops.
 */
import { fileURLToPath } from "node:url"
import { type AnsweredCall, answeredCalls, type ChatRequest } from "./chat-request.ts"
import { call, type Piece, type Reply, reply, say, scriptIsOver, think } from "./scenario.ts"

export const demoTask = "One test of this project fails. Find the cause, repair it, and show that all tests pass."

/** The sample project, to be copied. It stands beside this file, and beside the bundle that holds it once built. */
export function demoProjectFolder(): string {
  return fileURLToPath(new URL("./demo-project", import.meta.url))
}

const SOURCE = "src/basket.js"
const BROKEN = "    sum += count > ENOUGH ? discounted(full) : full"
const REPAIRED = "    sum += count >= ENOUGH ? discounted(full) : full"
const TEST_COMMAND = "node --test"
const TODOS = ["Read how a basket is added up", "Look up the rule it should follow", "Repair the cause", "Run the tests"]

/** Milliseconds between deltas: enough to see it being written. */
const PACE = 4

interface Step {
  /** What the result before this step must show. */
  needs?: { proof: RegExp; of: string }
  pieces(previous: string, calls: readonly AnsweredCall[]): Piece[]
}

const STEPS: readonly Step[] = [
  {
    pieces: () => [
      think("A failing test names a rule that the code breaks. First the code, then the rule, then the repair."),
      say("I will read the code, look up the rule it should follow, repair the cause, and run the tests."),
      call("update_todo_list", { todos: todoList(0) }),
    ],
  },
  { pieces: () => [say("First the code that adds up a basket."), call("read_file", { path: SOURCE })] },
  {
    needs: { proof: /count > ENOUGH/, of: `the line with "count > ENOUGH" in ${SOURCE}` },
    pieces: (previous) => [
      say(`Line ${brokenLine(previous)} gives the discount only for *more than* three. What does the stall promise?`),
      call("search_files", { path: ".", regex: "three or more|three of a kind", file_pattern: null }),
    ],
  },
  {
    needs: { proof: /three or more of a kind/, of: "the rule in README.md" },
    pieces: (_, calls) => [
      say("Three are enough, says the README, and the test says the same. So the comparison is wrong, not the test."),
      call("apply_diff", { path: SOURCE, diff: repair(brokenLine(resultOf("read_file", calls))) }),
    ],
  },
  { pieces: () => [say("Now the tests."), call("execute_command", { command: TEST_COMMAND, cwd: null, timeout: null })] },
  {
    // Node marks its summary with "#" or "ℹ", depending on its version and on where the output goes.
    needs: { proof: /[#ℹ] pass [1-9][\s\S]*[#ℹ] fail 0\b/, of: "a test run without failures" },
    pieces: () => [say("All tests pass."), call("update_todo_list", { todos: todoList(TODOS.length) })],
  },
  {
    pieces: (_, calls) => [
      call("attempt_completion", {
        result:
          `The discount now starts at three of a kind, as the README promises: \`>\` became \`>=\` in \`${SOURCE}\`. ` +
          `\`${TEST_COMMAND}\` reports ${passedTests(resultOf("execute_command", calls))} passing tests and no failure.`,
      }),
    ],
  },
]

/** Its place in the script is the number of calls that came back, so it serves several tasks and resumed ones alike. */
export function demoScenario(request: ChatRequest): Reply {
  const calls = answeredCalls(request)
  const step = STEPS[calls.length]
  if (!step) return { ...scriptIsOver(), pace: PACE }
  const previous = calls.at(-1)?.result ?? ""
  if (step.needs && !step.needs.proof.test(previous)) return { ...reply(say(stopped(step.needs.of, previous))), pace: PACE }
  return { ...reply(...step.pieces(previous, calls)), pace: PACE }
}

function todoList(done: number): string {
  return TODOS.map((todo, index) => `- [${index < done ? "x" : index === done ? "-" : " "}] ${todo}`).join("\n")
}

function resultOf(name: string, calls: readonly AnsweredCall[]): string {
  return calls.find((answered) => answered.name === name)?.result ?? ""
}

/** The number in front of the broken line, as the tool that read the file printed it. */
function brokenLine(numbered: string): number {
  return Number(/^\s*(\d+) \|.*count > ENOUGH/m.exec(numbered)?.[1] ?? 1)
}

function repair(line: number): string {
  return `<<<<<<< SEARCH\n:start_line:${line}\n-------\n${BROKEN}\n=======\n${REPAIRED}\n>>>>>>> REPLACE`
}

function passedTests(output: string): string {
  return /[#ℹ] pass (\d+)/.exec(output)?.[1] ?? "all"
}

function stopped(needed: string, found: string): string {
  const why = `I stop here: I needed ${needed}, and the last result does not show it. I am a script and cannot try another way.`
  const end = found.trim().slice(-400)
  return end === "" ? why : `${why} That result ends with:\n\n${end}`
}
