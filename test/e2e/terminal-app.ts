/** The interactive front as a process of its own: real engine, real wire, a scripted model in the same process. Run by the terminal's tests. */
import { appendFileSync, readFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { createTask } from "../../src/engine/create-task.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { repliesSoFar, textOf } from "../../src/scripted-model/chat-request.ts"
import type { Reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { taskIds } from "../../src/task/store.ts"
import { runTerminal } from "../../src/ui/terminal/run-terminal.ts"
import type { Script } from "./pseudo-terminal.ts"

const {
  SCENARIO = "",
  WORKSPACE = "",
  JOEY_HOME = "",
  APPROVAL = "default",
  FILES = "0",
  REQUESTS = "",
  VERSION = "0.0.0",
} = process.env
const scenario: Script = JSON.parse(readFileSync(SCENARIO, "utf8"))
const model = await startScriptedModel((request, turn) => {
  if (REQUESTS) appendFileSync(REQUESTS, `${JSON.stringify(request.messages)}\n`)
  const [name = ""] = textOf(request.messages[1]).split(/\W/)
  const reply = isList(scenario) ? scenario[turn] : scenario[name]?.[repliesSoFar(request)]
  return reply ?? { pieces: [{ text: "The script is over." }] }
})
const chosen = chooseModel({ baseUrl: model.url, model: "scripted" }, {})
if (!chosen.ok) throw new Error(chosen.problem)
const connected = connectModel(chosen.target)
const settings = { approval: APPROVAL === "yes" ? "yes" : APPROVAL === "ask" ? "ask" : "default", reminders: 0 } as const
const open = (resume?: string) =>
  createTask({ workspace: WORKSPACE, home: JOEY_HOME, model: connected, settings, ...(resume && { resume }) })

process.exitCode = await runTerminal({
  stdin: process.stdin,
  stdout: process.stdout,
  env: process.env,
  open: () => open(),
  resume: (id) => open(id),
  async shell(line, { onOutput }) {
    onOutput(`ran ${line}\n`)
    return { exitCode: 0 }
  },
  facts: {
    workspace: WORKSPACE,
    version: VERSION,
    mode: "code",
    model: "scripted",
    modes: [
      { slug: "code", name: "Code" },
      { slug: "ask", name: "Ask" },
      { slug: "architect", name: "Architect" },
    ],
    models: [{ name: "scripted" }, { name: "other" }],
    commands: [{ name: "review", description: "Look at the changes" }],
    async files() {
      const found = await readdir(WORKSPACE, { recursive: true })
      return [...found, ...Array.from({ length: Number(FILES) }, (_, at) => `deep/folder-${at % 100}/file-${at}.ts`)]
    },
    tasks: async () => taskIds(JOEY_HOME).map((id) => ({ id, title: `Task ${id}`, at: "today" })),
    branch: () => "main",
    window: () => 128_000,
  },
})
await model.close()

function isList(script: Script): script is readonly Reply[] {
  return Array.isArray(script)
}
