/**
 * A key is sent to its server and appears nowhere else: not on the screen, not in any file of Joey's home, whatever the server, the
 * model or a command does with it.
 */
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Finished, type Place, place } from "./joey.ts"

/** Of no known form, and made of words: only because we hold it can it be told from ordinary text. */
const KEY = "quiet-meadow-under-seven-bridges"

interface Heard {
  url: string
  keys: string[]
}

type Answer = (response: ServerResponse, turn: number, key: string) => void

async function server(answer: Answer): Promise<Heard> {
  const heard: Heard = { url: "", keys: [] }
  const listening = createServer((request: IncomingMessage, response) => {
    request.resume().on("end", () => {
      const key = String(request.headers.authorization ?? "").replace("Bearer ", "")
      heard.keys.push(key)
      answer(response, heard.keys.length, key)
    })
  })
  await new Promise<void>((ready) => listening.listen(0, "127.0.0.1", ready))
  onTestFinished(() => void listening.close())
  heard.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/v1`
  return heard
}

const refuse =
  (status: number, body: (key: string) => string, type = "application/json"): Answer =>
  (response, _turn, key) =>
    void response.writeHead(status, { "content-type": type, "x-quoted": key }).end(body(key))

/** One reply after the other, as chat streams them. */
const stream =
  (...replies: ((key: string) => object)[]): Answer =>
  (response, turn, key) => {
    const delta = replies[Math.min(turn, replies.length) - 1]?.(key)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })}\n\n`)
    response.end("data: [DONE]\n\n")
  }

const call = (name: string, args: object) => ({
  tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }],
})
const done = () => call("attempt_completion", { result: "Done." })

/** Every place where the key could have been written down. */
function leaks(here: Place, printed: Finished[]): string[] {
  const files = filesBelow(here.home)
  const inFiles = files.filter((path) => !path.endsWith("key.txt") && readFileSync(path, "utf8").includes(KEY))
  const inOutput = printed.flatMap(({ stdout, stderr }, at) => [
    ...(stdout.includes(KEY) ? [`output ${at}`] : []),
    ...(stderr.includes(KEY) ? [`complaints ${at}`] : []),
  ])
  return [...inFiles, ...inOutput]
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })
}

/** Runs the task in words and in JSON, then what reports about it; everything that was printed. */
async function everything(here: Place, url: string, env: Record<string, string>, args: string[] = []): Promise<Finished[]> {
  const target = ["--base-url", url, "--model", "m", "--yes", "--limit", "requests=2", ...args]
  const printed: Finished[] = []
  for (const line of [[...target, "look"], [...target, "--output-format", "stream-json", "look"], ["log"], ["config", ...args]]) {
    printed.push(await here.run(line, { env: { ...env, HOME: here.home } }))
  }
  return printed
}

const inVariable = { env: { MY_KEY: KEY }, args: ["--api-key-env", "MY_KEY"] }

describe("a key", () => {
  it.each([
    [
      "an error that quotes it",
      refuse(401, (key) => JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } })),
    ],
    ["a page that quotes it", refuse(404, (key) => `<html><title>Bad ${key}</title><body>${key}</body></html>`, "text/html")],
    ["an error of no known form", refuse(400, (key) => `you sent: Authorization: Bearer ${key}`, "text/plain")],
    ["a redirect that carries it on", (response, _turn, key) => void response.writeHead(302, { location: `/?key=${key}` }).end()],
    [
      "an error inside a stream",
      (response, _turn, key) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(`data: ${JSON.stringify({ error: { message: `bad key ${key}`, code: "invalid_api_key" } })}\n\n`)
      },
    ],
    ["other JSON that holds it", refuse(200, (key) => JSON.stringify({ hello: key }))],
  ] as [string, Answer][])("S15: stays unseen after %s", async (_, answer) => {
    const here = place()
    const heard = await server(answer)
    const printed = await everything(here, heard.url, inVariable.env, inVariable.args)
    expect(new Set(heard.keys)).toEqual(new Set([KEY]))
    expect(leaks(here, printed)).toEqual([])
  })

  it("S15: stays unseen when a command prints its environment", async () => {
    const here = place()
    const heard = await server(stream(() => call("execute_command", { command: "env; echo x$MY_KEY" }), done))
    const printed = await everything(here, heard.url, inVariable.env, inVariable.args)
    expect(printed[0]?.stdout).toContain("PATH=")
    expect(leaks(here, printed)).toEqual([])
  })

  it("S15: stays unseen when the model says it, in words and in a call", async () => {
    const here = place()
    const heard = await server(
      stream((key) => ({ content: `I was told ${key}.`, ...call("execute_command", { command: `echo ${key}` }) }), done),
    )
    const printed = await everything(here, heard.url, inVariable.env, inVariable.args)
    expect(leaks(here, printed)).toEqual([])
  })

  it("S15: from a file of the person's own stays unseen, also when the model reads the file", async () => {
    const here = place({})
    const path = join(here.workspace, "key.txt")
    writeFileSync(path, `${KEY}\n`)
    chmodSync(path, 0o600)
    const heard = await server(stream(() => call("read_file", { path: "key.txt" }), done))
    const printed = await everything(here, heard.url, { JOEY_API_KEY_FILE: path })
    expect(new Set(heard.keys)).toEqual(new Set([KEY]))
    expect(leaks(here, printed)).toEqual([])
  })

  it("S15: from a command stays unseen, and so does what a failing one prints", async () => {
    const here = place()
    const heard = await server(stream(done))
    const printed = await everything(here, heard.url, { JOEY_API_KEY_COMMAND: `printf %s-%s quiet-meadow under-seven-bridges` })
    const failing = await everything(here, heard.url, {
      JOEY_API_KEY_COMMAND: `echo ${KEY.replace("-", "''-")}; echo "no: ${KEY.replace("-", "''-")}" >&2; exit 3`,
    })
    expect(new Set(heard.keys)).toEqual(new Set([KEY]))
    expect(leaks(here, [...printed, ...failing])).toEqual([])
  })

  it("S15: written where its name belongs is not repeated", async () => {
    const here = place({ ".joey/settings.json": JSON.stringify({ apiKey: KEY, apiKeyEnv: [KEY], apiKeyFile: { key: KEY } }) })
    const heard = await server(stream(done))
    const printed = await everything(here, heard.url, {})
    expect(printed[0]?.stderr).toMatch(/keys do not belong into settings/)
    expect(leaks(here, printed)).toEqual([])
  })
})
