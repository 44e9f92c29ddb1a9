import { describe, expect, it } from "vitest"
import { localHost } from "../host/local.ts"
import { memoryHost } from "../host/memory.ts"
import { temporaryFolder } from "../host/temporary-folder.ts"
import type { JsonObject } from "../types/json.ts"
import { ToolError } from "../types/tool.ts"
import { callTool, planTool } from "./call-tool.ts"
import { generateImage, type ImagePort } from "./generate-image.ts"

const png = Uint8Array.from(
  Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=", "base64"),
)
const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 1, 2, 3])

type Wish = Parameters<ImagePort["make"]>[0]

async function scene(answer: Uint8Array | ToolError = png, files: Record<string, string | Uint8Array> = {}, seen = false) {
  const host = localHost(await temporaryFolder(files))
  const wishes: Wish[] = []
  const tool = generateImage({
    seen: () => seen,
    async make(wish) {
      wishes.push(wish)
      if (answer instanceof ToolError) throw answer
      return { bytes: answer, usage: { inputTokens: 5, outputTokens: 1, cost: 0.04 } }
    },
  })
  return { host, wishes, tool, call: (args: JsonObject) => callTool(tool, args, host) }
}

const wish = { prompt: "A red square", path: "art/logo.png" }

describe("generate_image", () => {
  it("S37: saves what was made and tells the model what it is and what it took", async () => {
    const { call, host, wishes } = await scene()
    expect(await call(wish)).toEqual({
      say: "Saved art/logo.png (PNG image, 1×1, 68 bytes).",
      show: { kind: "title", text: "Saved art/logo.png (PNG image, 1×1, 68 bytes)" },
      spent: { usage: { inputTokens: 5, outputTokens: 1, cost: 0.04 }, tools: {} },
    })
    expect(Buffer.from(png).equals(await host.readFile("art/logo.png"))).toBe(true)
    expect(wishes).toEqual([{ prompt: "A red square", format: "png" }])
  })

  it("S37: shows the image to a model that sees", async () => {
    const { say } = await (await scene(png, {}, true)).call(wish)
    expect(say).toMatchObject([
      { type: "text" },
      { type: "image", mediaType: "image/png", data: Buffer.from(png).toString("base64") },
    ])
  })

  it.each([
    ["a name without an ending", "art/logo", png, "art/logo.png"],
    ["a name that promises something else", "art/logo.png", jpeg, "art/logo.jpg"],
    ["a name with another spelling", "art/logo.JPEG", jpeg, "art/logo.JPEG"],
    ["a name with dots", "art/v1.2", jpeg, "art/v1.2.jpg"],
    ["a name for a kind that nobody makes", "a.gif", png, "a.png"],
  ])("S37: the ending follows the kind of image, for %s", async (_, path, bytes, saved) => {
    const { call, host, tool } = await scene(bytes)
    expect((await call({ ...wish, path })).say).toContain(`Saved ${saved} (`)
    expect(Buffer.from(bytes).equals(await host.readFile(saved))).toBe(true)
    expect(tool.touches?.({ ...wish, path })).toContain(saved)
  })

  it("S37: names every path it may write or read, so that modes and rules judge them", () => {
    const tool = generateImage(undefined)
    const touches = (args: { path: string; image?: string }) => tool.touches?.({ prompt: "x", ...args })
    expect(touches({ path: "a/b.png" })).toEqual(["a/b.png", "a/b.jpg", "a/b.webp"])
    expect(touches({ path: "b.jpeg", image: "c.png" })).toEqual(["b.jpeg", "b.png", "b.webp", "c.png"])
    expect(touches({ path: "b" })).toEqual(["b.png", "b.jpg", "b.webp"])
    expect(tool).toMatchObject({ group: "edit", effect: "write" })
  })

  it("S37: hands over the image to be changed", async () => {
    const { call, wishes, tool, host } = await scene(png, { "old.png": png })
    await call({ ...wish, image: "old.png" })
    expect(wishes[0]).toMatchObject({ image: { mediaType: "image/png", bytes: Buffer.from(png) } })
    const plan = await planTool(tool, { ...wish, image: "old.png" }, host)
    expect(plan).toEqual({ kind: "title", text: "Change the image old.png, as art/logo.png: A red square" })
  })

  it.each<[string, JsonObject, string]>([
    ["an image that is not there", { image: "gone.png" }, "gone.png"],
    ["an image that is none", { image: "notes.txt" }, "notes.txt is no PNG"],
    ["a folder as its place", { path: "folder.png" }, "folder.png is a folder"],
    ["a path that ends like one", { path: "art/" }, "expected a file"],
    ["a prompt of blanks", { prompt: "  " }, "only white space"],
    ["a novel as prompt", { prompt: "x".repeat(40_000) }, "at most 32000"],
  ])("asks nobody for an image with %s", async (_, more, words) => {
    const { call, wishes } = await scene(png, { "notes.txt": "hello", "folder.png/x": "" })
    await expect(call({ ...wish, ...more })).rejects.toThrow(words)
    expect(wishes).toEqual([])
  })

  it("S37: writes nothing when what comes is no image, or nothing comes", async () => {
    const text = await scene(new TextEncoder().encode("<html>"))
    await expect(text.call(wish)).rejects.toThrow("no image that can be saved, but text. Nothing was written.")
    await expect((await scene(new Uint8Array(9))).call(wish)).rejects.toThrow("but binary file")
    await expect((await scene(new ToolError("The key is wrong."))).call(wish)).rejects.toThrow("The key is wrong.")
    expect(await text.host.stat("art/logo.png")).toBeUndefined()
    await expect(callTool(generateImage(undefined), wish, memoryHost({}))).rejects.toThrow("no imageModel is set")
  })
})
