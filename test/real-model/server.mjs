/**
 * A small OpenAI-compatible server in front of a real model: chat completions, streamed, one at a time, each held to a grammar where the
 * request has one (`grammar`, as llama.cpp's own server takes it). Started with the folder that has node-llama-cpp and the model's file;
 * prints its address on a line of its own.
 */
import { createServer } from "node:http"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const [folder = ".", file = "", longest = "60"] = process.argv.slice(2)
const { getLlama, LlamaCompletion } = await import(pathToFileURL(join(folder, "node_modules/node-llama-cpp/dist/index.js")).href)

const llama = await getLlama({ gpu: false, build: "never", progressLogs: false })
const model = await llama.loadModel({ modelPath: file })
// Threads wait for each other by spinning: with as many as there are cores, whatever else runs makes it a hundred times slower.
const context = await model.createContext({ contextSize: 2048, threads: Math.max(1, availableParallelism() - 1) })
const sequence = context.getSequence()
const completion = new LlamaCompletion({ contextSequence: sequence })

/** The form of conversation this model was trained on. */
function spoken(messages) {
  const turns = messages.map(({ role, content }) => `<|${role}|>\n${textOf(content)}</s>\n`)
  return `${turns.join("")}<|assistant|>\n`
}

function textOf(content) {
  return typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n")
}

let queue = Promise.resolve()

async function answer(request, response) {
  let body = ""
  for await (const piece of request.setEncoding("utf8")) body += piece
  const { messages, temperature = 0.2, grammar } = JSON.parse(body)
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (value) => response.write(`data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`)
  const prompt = model.tokenize(spoken(messages), true)
  let written = 0
  try {
    await completion.generateCompletion(prompt, {
      maxTokens: Number(longest),
      temperature,
      signal: gone.signal,
      ...(grammar && { grammar: await llama.createGrammar({ grammar }) }),
      customStopTriggers: ["<|user|>", "<|system|>", "<|assistant|>"],
      onToken: (tokens) => {
        written += tokens.length
      },
      onTextChunk: (content) => send({ choices: [{ index: 0, delta: { content } }] }),
    })
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })
    send({ choices: [], usage: { prompt_tokens: prompt.length, completion_tokens: written } })
    send("[DONE]")
  } catch (error) {
    if (!gone.signal.aborted) send({ error: { message: String(error) } })
  }
  response.end()
}

const server = createServer((request, response) => {
  queue = queue.then(() => answer(request, response)).catch(() => response.destroy())
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/v1\n`))
process.once("disconnect", () => process.exit())
