/** One task played for pictures: what the front looks like at its most telling moments. */
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Reply } from "../../src/scripted-model/scenario.ts"
import { type PseudoTerminal, stage } from "./pseudo-terminal.ts"

const BASKET = `const PRICES = { apple: 30, pear: 40 }
const ENOUGH = 3

/** What a basket costs, in cents. */
export function total(basket) {
  let sum = 0
  for (const [fruit, count] of Object.entries(basket)) {
    const full = PRICES[fruit] * count
    sum += count > ENOUGH ? discounted(full) : full
  }
  return sum
}

function discounted(full) {
  return Math.round(full * 0.9)
}
`
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { total } from "./basket.js"

test("three of a kind are cheaper", () => assert.equal(total({ apple: 3 }), 81))
`

const usage = (prompt: number, cached: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  prompt_tokens_details: { cached_tokens: cached },
  cost: prompt * 0.000002,
})

const SCRIPT: Reply[] = [
  {
    pieces: [
      { reasoning: "A failing test names a rule that the code breaks. First the code, then the rule." },
      {
        text: "The test expects a discount **from three of a kind on**. I look at how a basket is added up:\n\n- `total` in `src/basket.js`\n- the rule in the README\n",
      },
      { call: "update_todo_list", input: { todos: "[x] Find the rule\n[-] Repair the comparison\n[ ] Run the tests" } },
      { call: "read_file", input: { path: "src/basket.js" } },
      { call: "search_files", input: { path: ".", regex: "three of a kind", file_pattern: null } },
    ],
    pace: 3,
    usage: usage(6200, 0, 180),
  },
  {
    pieces: [
      {
        text: "Found it. The comparison leaves out exactly three:\n\n```js\nsum += count > ENOUGH ? discounted(full) : full // 3 > 3 is false\n```\n",
      },
      { call: "write_to_file", input: { path: "src/basket.js", content: BASKET.replace("count > ENOUGH", "count >= ENOUGH") } },
    ],
    pace: 3,
    usage: usage(18_400, 14_900, 320),
  },
  {
    pieces: [
      { text: "Now the tests." },
      {
        call: "execute_command",
        input: { command: "node --test --test-reporter=spec && rm -rf coverage", cwd: null, timeout: null },
      },
    ],
    usage: usage(24_000, 18_000, 60),
  },
  {
    pieces: [
      {
        call: "attempt_completion",
        input: {
          result:
            "The discount now starts **at three of a kind**, as the test asks: `>` became `>=` in `src/basket.js`. All tests pass.",
        },
      },
    ],
    usage: usage(26_500, 24_000, 80),
  },
]

export interface Scene {
  name: string
  terminal: PseudoTerminal
}

export async function* playScenes(): AsyncGenerator<Scene> {
  const one = stage(SCRIPT, { "src/basket.js": BASKET, "src/basket.test.js": TEST, "package.json": '{ "type": "module" }\n' })
  const terminal = await one.open({ columns: 92, rows: 34, env: { HOME: dirname(one.workspace), VERSION: "0.1.0" } })
  try {
    await terminal.shows("What should I do?")
    terminal.type("/")
    await terminal.shows("/help")
    yield { name: "commands", terminal }
    terminal.type("\u007fOne test fails. Find the cause in @ba")
    await terminal.shows("src/")
    await sleep(200)
    terminal.type("\u001b")
    await sleep(100)
    for (let at = 0; at < 4; at++) terminal.type("\u007f")
    terminal.type(" the basket and repair it.\r")
    await terminal.shows("Asked because")
    yield { name: "approval", terminal }
    await sleep(650)
    terminal.type("y")
    await terminal.shows("rm -rf coverage")
    await terminal.shows("Asked because")
    await sleep(650)
    yield { name: "command", terminal }
    terminal.type("y")
    await terminal.shows("Enter accepts")
    yield { name: "result", terminal }
    await sleep(650)
    terminal.type("\r")
    await terminal.shows("✓ Done")
    yield { name: "done", terminal }
    terminal.type("/help\r")
    await terminal.shows("shift-tab")
    yield { name: "help", terminal }
    terminal.type("/mode\r")
    await terminal.shows("type to narrow")
    yield { name: "mode", terminal }
  } finally {
    one.remove()
  }
  yield* playTree()
}

const delegate = (message: string, mode: string) => ({ call: "new_task", input: { mode, message } })
const todos = (text: string): Reply => ({
  pieces: [{ call: "update_todo_list", input: { todos: text } }],
  usage: usage(5200, 0, 60),
})

const TREE: Record<string, Reply[]> = {
  Prices: [
    {
      pieces: [
        { text: "Two parts that do not touch each other: I give each to a subtask." },
        delegate("Repair the discount in src/basket.js: it must start at three of a kind.", "code"),
        delegate("Read the README and say which rules of the shop no test proves.", "ask"),
      ],
      usage: usage(6400, 0, 150),
    },
  ],
  Repair: [
    todos("[x] Find the comparison\n[-] Repair it\n[ ] Run the tests"),
    {
      pieces: [
        { call: "write_to_file", input: { path: "src/basket.js", content: BASKET.replace("count > ENOUGH", "count >= ENOUGH") } },
      ],
    },
  ],
  Read: [
    todos("[-] List the rules\n[ ] Compare with the tests"),
    { pieces: [{ text: "Three rules are written down" }, { hang: true }] },
  ],
}

/** Subtasks side by side: one works, one asks, and words wait. */
async function* playTree(): AsyncGenerator<Scene> {
  const one = stage(TREE, { "src/basket.js": BASKET, "README.md": "Three of a kind are cheaper.\n" })
  const terminal = await one.open({ columns: 92, rows: 34, env: { HOME: dirname(one.workspace), VERSION: "0.1.0" } })
  try {
    await terminal.shows("What should I do?")
    terminal.type("Prices are wrong. Repair them and see what else no test proves.\r")
    await terminal.shows("it starts a subtask")
    await sleep(650)
    terminal.type("a")
    await terminal.shows(/asks {2}Repair the discount/)
    await terminal.shows("Three rules are written down")
    terminal.type("mention the changelog\r")
    await terminal.shows("next turn: mention")
    terminal.type("\t")
    await sleep(2_500)
    yield { name: "subtasks", terminal }
  } finally {
    one.remove()
  }
}
