/** Images made in whole tasks, by a model of their own on a real port. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ImageScript, RED_SQUARE } from "../../src/scripted-model/images.ts"
import { call, type Reply, refuse, reply } from "../../src/scripted-model/scenario.ts"
import { startScriptedModel } from "../../src/scripted-model/server.ts"
import { place } from "./joey.ts"

const done = reply(call("attempt_completion", { result: "All done." }))
const paint = (path: string) => reply(call("generate_image", { prompt: "A red square", path }))

async function scene(script: Reply[], { images, configured = true }: { images?: ImageScript; configured?: boolean } = {}) {
  const model = await startScriptedModel(script, images ? { images } : {})
  onTestFinished(() => model.close())
  const here = place()
  mkdirSync(here.home, { recursive: true })
  const imageModel = { model: "painter", baseUrl: model.url, apiKeyEnv: "PAINT_KEY" }
  if (configured) writeFileSync(join(here.home, "settings.json"), JSON.stringify({ imageModel }))
  const env = { HOME: here.home, JOEY_BASE_URL: model.url, JOEY_MODEL: "m", PAINT_KEY: "sk-paint-123456" }
  const finished = () => here.log().flatMap((event) => (event.type === "call-finished" ? [event] : []))
  const offered = () => model.requests[0]?.tools?.map((tool) => tool.function.name) ?? []
  return { model, here, finished, offered, run: (...args: string[]) => here.run([...args, "hello"], { env }) }
}

it("S37: an image is made, saved and told, and its cost counts", async () => {
  const { run, here, finished, model, offered } = await scene([paint("art/logo.png"), done])
  expect(await run("--yes")).toMatchObject({ code: 0 })
  expect(offered()).toContain("generate_image")
  expect(readFileSync(join(here.workspace, "art/logo.png")).toString("base64")).toBe(RED_SQUARE)
  expect(finished()[0]).toMatchObject({ tool: "generate_image", result: "done", spent: { usage: { cost: 0.04 } } })
  expect(model.imageRequests).toMatchObject([{ prompt: "A red square", authorization: "Bearer sk-paint-123456" }])
  expect(here.log().at(-1)).toMatchObject({ type: "task-finished", usage: { cost: 0.04 } })
  expect((await here.run(["cost"])).stdout).toMatch(/generate_image +\$0\.04/)
  expect(JSON.stringify(here.log())).not.toContain("sk-paint-123456")
})

it("S37: its key is kept from commands, and from what they print", async () => {
  const { run, here, finished } = await scene([reply(call("execute_command", { command: "sh print.sh" })), done])
  here.write("print.sh", 'echo "key=$PAINT_KEY; sk-paint-123456"\n')
  const { stdout } = await run("--yes")
  expect(JSON.stringify(finished()[0]?.content)).toContain("key=; [redacted]")
  expect(stdout).not.toContain("sk-paint-123456")
})

it("S37: without a model for images nothing is offered, and a call is told so", async () => {
  const { run, offered, finished, model } = await scene([paint("a.png"), done], { configured: false })
  await run("--yes")
  expect(offered()).not.toContain("generate_image")
  expect(finished()[0]?.content).toMatchObject([{ text: expect.stringContaining("no imageModel is set") }])
  expect(model.imageRequests).toEqual([])
})

it("S37: making one asks like any change of a file", async () => {
  const { run, here, model } = await scene([paint("a.png"), done])
  expect(await run()).toMatchObject({ code: 3 })
  expect(here.log().find((event) => event.type === "asked")).toMatchObject({
    question: { kind: "approve", tool: "generate_image" },
  })
  expect(model.imageRequests).toEqual([])
})

it("S37: a mode's file patterns hold for its path", async () => {
  const { run, finished, model } = await scene([paint("a.png"), done])
  await run("--yes", "--mode", "architect")
  expect(finished()[0]).toMatchObject({ content: [{ text: expect.stringMatching(/limits edit to files matching/) }] })
  expect(model.imageRequests).toEqual([])
})

it("S37: a refusal of the image model is one line for the model, and the task goes on", async () => {
  const { run, finished } = await scene([paint("a.png"), done], { images: () => refuse(401, "bad key sk-paint-123456") })
  expect(await run("--yes")).toMatchObject({ code: 0 })
  const [first] = finished()
  expect(first).toMatchObject({ result: "failed" })
  expect(JSON.stringify(first)).toContain("Check the key in PAINT_KEY")
  expect(JSON.stringify(first)).not.toContain("sk-paint-123456")
})
