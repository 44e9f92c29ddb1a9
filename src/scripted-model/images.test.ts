import { describe, expect, it } from "vitest"
import { imageRequest } from "./images.ts"

const received = (path: string, body: unknown, type = "application/json", bytes = "") =>
  imageRequest({ path, headers: { "content-type": type }, body, bytes: Buffer.from(bytes) })

describe("requests for an image", () => {
  it("are told from others by path, and in a chat by what may come back", () => {
    expect(received("/v1/chat/completions", { model: "m", messages: [] })).toBeUndefined()
    expect(received("/v1/images/generations", { model: "m", prompt: "p" })).toEqual({
      request: { api: "images", model: "m", prompt: "p" },
      problems: [],
    })
    const chat = { model: "m", messages: [{ role: "user", content: "p" }], modalities: ["image", "text"] }
    expect(received("/v1/chat/completions", chat)).toEqual({ request: { api: "chat", model: "m", prompt: "p" }, problems: [] })
  })

  it.each([
    ["no model", "/v1/images/generations", { prompt: "p" }, "model must be a name"],
    ["no prompt", "/v1/images/generations", { model: "m" }, "there is no prompt"],
    [
      "a stream",
      "/v1/chat/completions",
      { model: "m", messages: [{ content: "p" }], modalities: ["image"], stream: true },
      "not streamed",
    ],
    ["a form without its parts", "/v1/images/edits", undefined, "the form lacks its image"],
  ])("are refused with %s", (_, path, body, words) => {
    expect(received(path, body)?.problems.join()).toContain(words)
  })
})
