/** One task run in this process, as a library would be used: tells the parent when each turn began and what it had cost by then. */
import { createTask } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import { mark, type TurnMark } from "./turn-mark.ts"

const [url = "", workspace = "", home = ""] = process.argv.slice(2)
const chosen = chooseModel({ baseUrl: url, model: "bench" }, {})
if (!chosen.ok) throw new Error(chosen.problem)
const task = await createTask({
  workspace,
  home,
  model: connectModel(chosen.target, { models: { bench: { window: 10_000_000 } } }),
  settings: { approval: "yes", limits: { turns: 9_999, requests: 9_999 } },
})
const marks: TurnMark[] = []
task.send({ type: "say", content: [{ type: "text", text: "Edit the page." }] })
for await (const event of task.events()) {
  if (event.type === "turn-started") marks.push(mark())
  if (event.type === "asked") task.send({ type: "answer", question: event.id, answer: { kind: "yes" }, by: "bench" })
  if (event.type === "call-finished" && event.result !== "done") throw new Error(JSON.stringify(event.content))
  if (event.type === "task-finished") break
}
await task.close()
process.send?.(marks, () => process.exit())
