/** The least a turn can cost: for each body size, post so many bytes over a kept connection and receive the reply, unread. */
import { Agent, request } from "node:http"
import { mark, type TurnMark } from "./turn-mark.ts"

const [url = "", ...sizes] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const marks: TurnMark[] = []
for (const size of sizes) {
  marks.push(mark())
  await post("x".repeat(Number(size)))
}
marks.push(mark())
process.send?.(marks, () => process.exit())

function post(body: string): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { "content-type": "application/json", "content-length": String(body.length) }
    const sent = request(`${url}/chat/completions`, { method: "POST", agent, headers }, (response) => {
      response.resume().once("end", done)
    })
    sent.once("error", fail).end(body)
  })
}
