/** The least a client can do for one streamed call: read the frames, join the arguments, parse once, write the file. */
import { writeFileSync } from "node:fs"
import { request } from "node:http"

const [url, file] = process.argv.slice(2)
const body = JSON.stringify({ model: "bare", stream: true, messages: [{ role: "user", content: "write" }] })
const call = request(
  `${url}/chat/completions`,
  { method: "POST", headers: { "content-type": "application/json" } },
  (response) => {
    let rest = ""
    let text = ""
    response.setEncoding("utf8")
    response.on("data", (chunk) => {
      const lines = (rest + chunk).split("\n")
      rest = lines.pop()
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue
        const delta = JSON.parse(line.slice(6)).choices[0]?.delta?.tool_calls?.[0]?.function?.arguments
        if (delta) text += delta
      }
    })
    response.on("end", () => writeFileSync(file, JSON.parse(text).content))
  },
)
call.end(body)
