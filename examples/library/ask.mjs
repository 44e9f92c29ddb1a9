/** Joey as a library: give it a task, answer what it asks, print what it does. `node ask.mjs URL "words"` */
import { createTask, openModel } from "joey"

const [, , baseUrl, words = "What is in this folder?"] = process.argv
const task = await createTask({ workspace: process.cwd(), model: openModel({ baseUrl, model: "any" }) })
task.send({ type: "say", content: [{ type: "text", text: words }] })

for await (const event of task.events()) {
  if (event.type === "text") process.stdout.write(event.text)
  if (event.type === "call-finished") console.log(`\n[${event.tool}: ${event.result}]`)
  if (event.type === "asked") {
    const answer = event.question.kind === "completion" ? { kind: "yes" } : { kind: "no" } // reads run without asking
    task.send({ type: "answer", question: event.id, answer, by: "ask.mjs" })
  }
  if (event.type === "task-finished") {
    console.log(`\n${event.ending.result ?? event.ending.reason}`)
    break
  }
}
await task.close()
