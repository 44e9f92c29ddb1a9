/**
 * A model in a process of its own, so that its work is in nobody's figures: replies are rendered before the first request
 * comes, and requests are received but not read. The parent is told the root of its URL; each base URL `…/NAME/v1` below it
 * begins the script anew.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { streamBeats } from "../../src/scripted-model/completion.ts"
import { SCRIPTS } from "./scripts.ts"

const script = SCRIPTS[process.argv[2] ?? ""]
if (!script) throw new Error(`there is no script ${process.argv[2]}`)
const replies = script().map((piece, turn) => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
  const label = { id: `chatcmpl-${turn}`, model: "bench", created: 1_750_000_000, callPrefix: `call_${turn}_`, usage }
  return Buffer.from([...streamBeats({ pieces: [piece] }, label)].join(""))
})

const turns = new Map<string, number>()
const server = createServer((request, response) => {
  const name = request.url ?? ""
  request.resume().once("end", () => {
    const turn = turns.get(name) ?? 0
    turns.set(name, turn + 1)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(replies[Math.min(turn, replies.length - 1)])
  })
})
server.listen(0, "127.0.0.1", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once("disconnect", () => process.exit())
