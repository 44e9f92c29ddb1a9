import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ImageScript, RED_SQUARE } from "../scripted-model/images.ts"
import { refuse, say } from "../scripted-model/scenario.ts"
import { startScriptedModel } from "../scripted-model/server.ts"
import type { ImageModelSettings } from "../types/settings.ts"
import { ToolError } from "../types/tool.ts"
import { imageMaker } from "./image.ts"

const png = Buffer.from(RED_SQUARE, "base64")
const never = new AbortController().signal
const env = { IMAGE_KEY: "sk-image" }

async function scripted(images?: ImageScript, more: ImageModelSettings = {}) {
  const model = await startScriptedModel([], images ? { images } : {})
  onTestFinished(() => model.close())
  const maker = imageMaker({ model: "painter", baseUrl: model.url, apiKeyEnv: "IMAGE_KEY", ...more }, env)
  return {
    model,
    make: (prompt = "A red square", image?: { mediaType: string; bytes: Uint8Array }) =>
      maker.make({ prompt, format: "png", ...(image && { image }) }, never),
  }
}

/** A server that answers as it likes. */
async function serving(listener: RequestListener, timeoutMs = 5000) {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return imageMaker({ model: "painter", baseUrl: `http://127.0.0.1:${port}/v1` }, {}, { timeoutMs })
}

const failing = async (making: Promise<unknown>) => {
  const error = await making.catch((problem: unknown) => problem)
  expect(error).toBeInstanceOf(ToolError)
  const { message } = error instanceof Error ? error : new Error()
  expect(message).not.toContain("\n")
  expect(message).not.toContain("sk-image")
  return message
}

describe("an image model", () => {
  it("S37: is asked in a chat, with its key, and says what it took", async () => {
    const { model, make } = await scripted()
    const made = await make()
    expect(png.equals(made.bytes)).toBe(true)
    expect(made.usage).toEqual({ inputTokens: 10, outputTokens: 1000, cost: 0.04 })
    expect(model.imageRequests).toEqual([
      { api: "chat", model: "painter", prompt: "A red square", authorization: "Bearer sk-image" },
    ])
    expect(model.problems).toEqual([])
  })

  it("S37: is asked at the endpoint for images where its name or the settings say so", async () => {
    const named = await scripted(undefined, { model: "gpt-image-1" })
    expect(png.equals((await named.make()).bytes)).toBe(true)
    const set = await scripted(undefined, { api: "images" })
    await set.make()
    expect([...named.model.imageRequests, ...set.model.imageRequests].map(({ api }) => api)).toEqual(["images", "images"])
  })

  it("S37: gets the image to be changed, in either way", async () => {
    const image = { mediaType: "image/png", bytes: png }
    const chat = await scripted()
    await chat.make("bluer", image)
    expect(chat.model.imageRequests[0]).toMatchObject({ prompt: "bluer", image: `data:image/png;base64,${RED_SQUARE}` })
    const images = await scripted(undefined, { api: "images" })
    await images.make("bluer, ünd so", image)
    expect(images.model.imageRequests[0]).toMatchObject({
      api: "images",
      model: "painter",
      prompt: "bluer, ünd so",
      image: "image/png",
    })
    expect(images.model.problems).toEqual([])
  })

  it.each<[string, ReturnType<ImageScript>, string]>([
    ["refuses the key", refuse(401, "bad key sk-image"), "Check the key in IMAGE_KEY"],
    ["wants money", refuse(402, "insufficient credits"), "no credit left"],
    ["does not know the model", refuse(404, "model not found: painter"), "painter"],
    [
      "refuses the words",
      { pieces: [], body: chat({ content: "I cannot draw that.\nSorry." }) },
      "made no image, but said: I cannot draw that. Sorry.",
    ],
    ["says nothing at all", { pieces: [], body: chat({ content: null }) }, "answered without an image"],
    ["sends a page", { pieces: [], body: "<html>no</html>" }, "something else than JSON"],
    ["sends an error with status 200", { pieces: [], body: `{"error":{"message":"moderation","code":400}}` }, "moderation"],
    [
      "sends an address",
      { pieces: [], body: `{"data":[{"url":"https://example.com/x.png"}]}` },
      "an address instead of the image",
    ],
    ["sends what is no base64", { image: "not base64 !" }, "no image"],
    ["streams words", { pieces: [say("x")] }, "something else than JSON"],
  ])("S37: one that %s is told in one line, without the key", async (_, answer, words) => {
    const { make } = await scripted(() => answer)
    expect(await failing(make())).toContain(words)
  })

  it.each([
    [
      "parts of content",
      {
        content: [
          { type: "text", text: "here" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${RED_SQUARE}` } },
        ],
      },
    ],
    ["an address as bare text", { content: "", images: [{ image_url: `data:image/png;base64,${RED_SQUARE}` }] }],
    ["Markdown", { content: `Here: ![it](data:image/png;base64,${RED_SQUARE}) ok` }],
  ])("finds the image in %s", async (_, message) => {
    const { make } = await scripted(() => ({ pieces: [], body: chat(message) }))
    expect(png.equals((await make()).bytes)).toBe(true)
  })

  it("S37: one that never answers, falls silent or never ends is given up", async () => {
    const wish = { prompt: "x", format: "png" } as const
    const silent = await serving(() => {}, 200)
    expect(await failing(silent.make(wish, never))).toContain("did not answer within 200 ms")
    const halting = await serving((_, response) => void response.write("{"), 300)
    expect(await failing(halting.make(wish, never))).toContain("fell silent")
    const cutting = await serving((_, response) => {
      response.write("{")
      setTimeout(() => response.destroy(), 50)
    })
    expect(await failing(cutting.make(wish, never))).toContain("broke the connection")
    const endless = await serving((_, response) => void Readable.from(parts()).pipe(response), 30_000)
    expect(await failing(endless.make(wish, never))).toContain("more than 20 MB")
    const gone = imageMaker({ model: "painter", baseUrl: "http://127.0.0.1:1/v1" }, {})
    expect(await failing(gone.make(wish, never))).toContain("imageModel.baseUrl")
  })

  it("S37: stops when cancelled", async () => {
    const silent = await serving(() => {}, 60_000)
    await expect(silent.make({ prompt: "x", format: "png" }, AbortSignal.timeout(100))).rejects.toThrow(/aborted|timeout/)
  })

  it("S37: what is set wrongly is told with the setting's name", async () => {
    const wish = { prompt: "x", format: "png" } as const
    expect(await failing(imageMaker({ model: "nobody/x" }, {}).make(wish, never))).toContain("imageModel in the settings")
    expect(await failing(imageMaker({ model: "openrouter/x", apiKeyEnv: "NO_KEY" }, {}).make(wish, never))).toContain("NO_KEY")
    expect(await failing(imageMaker({ model: "anthropic/x" }, { ANTHROPIC_API_KEY: "k" }).make(wish, never))).toContain(
      "cannot be asked for images",
    )
  })
})

function* parts(): Generator<string> {
  for (;;) yield "x".repeat(1_000_000)
}

function chat(message: object): string {
  return JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", ...message } }] })
}
