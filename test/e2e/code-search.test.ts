/** Search in plain words through the built command: the grammars and the thread beside the bundle, the index on the person's side. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ChatRequest, repliesSoFar } from "../../src/scripted-model/chat-request.ts"
import { call, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

const FILES = {
  "src/http.ts":
    "const unrelated = 1\n\n/** Splits a line into name and value. */\nexport function parseHeader(line: string) {\n  return line.split(':')\n}\n",
  "src/cart.py": "class Cart:\n    def total_price(self):\n        return 1\n",
  "hidden.ts": "export function parseHeaderOfNobody() {}\n",
  ".rooignore": "hidden.ts\n",
  ".env": "HEADER=parseHeader\n",
}

/** Asks these questions one after the other; gives what the model was told. */
async function ask(here: ReturnType<typeof place>, questions: readonly string[], ...args: string[]) {
  const requests: ChatRequest[] = []
  const model = await startScriptedModel((request) => {
    requests.push(request)
    const query = questions[repliesSoFar(request)]
    return reply(query ? call("codebase_search", { query }) : call("attempt_completion", { result: "Found." }))
  })
  onTestFinished(() => model.close())
  const ran = await here.run(["--base-url", model.url, "--model", "scripted", ...args, "look"])
  expect(ran.code, ran.stderr + ran.stdout).toBe(0)
  const offered = requests[0]?.tools?.map((tool) => tool.function.name) ?? []
  const told = here.log().flatMap((event) => (event.type === "call-finished" ? [JSON.stringify(event.content)] : []))
  return { told, offered }
}

it("S30: a question in plain words finds the symbol, its lines and why, without asking, and nothing that is kept back", async () => {
  const here = place(FILES)
  const { told, offered } = await ask(here, ["where is a header split into name and value", "price of everything in the cart"])
  expect(offered).toContain("codebase_search")
  expect(told[0]).toContain("# src/http.ts:3-6 function parseHeader")
  expect(told[0]).toMatch(/comments: split, name, value/)
  expect(told[0]).not.toMatch(/hidden|\.env/)
  expect(told[1]).toContain("src/cart.py:1-3 class Cart")
  expect(readdirSync(here.workspace).sort()).toEqual([".env", ".rooignore", "hidden.ts", "src"])
})

it("S30: a damaged index is built anew, and the task goes on", async () => {
  const here = place(FILES)
  await here.run(["index"])
  const [folder = ""] = readdirSync(join(here.home, "index"))
  const file = join(here.home, "index", folder, "index.sqlite")
  const whole = readFileSync(file)
  for (const from of [0, 4096]) {
    writeFileSync(file, Buffer.from(whole).fill(0x41, from))
    const { code, stdout } = await here.run(["index", "header split"])
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^src\/http\.ts:3-6 .*\nThe code index was damaged and has been built anew\.\n$/),
    ])
  }
  writeFileSync(file, "no database")
  expect((await ask(here, ["header split"])).told[0]).toContain("parseHeader")
})

it("S40: is not offered where indexing is switched off, and a call is told what to use", async () => {
  const here = place({ ...FILES, "../home/settings.json": '{ "codeIndex": { "enabled": false } }' })
  const { told, offered } = await ask(here, ["header"])
  expect(offered).not.toContain("codebase_search")
  expect(told[0]).toContain("not indexed here; use search_files")
})
