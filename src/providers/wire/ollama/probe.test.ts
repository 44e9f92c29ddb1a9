import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { testTarget } from "../split-reading.ts"
import { type OllamaAbilities, probeOllama } from "./probe.ts"

let server: Server | undefined
afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

async function probe(status: number, answer: string): Promise<{ abilities: OllamaAbilities | undefined; asked: string }> {
  let asked = ""
  server = createServer(async (request, response) => {
    asked = `${request.method} ${request.url} `
    for await (const piece of request) asked += piece
    response.writeHead(status).end(answer)
  })
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  return { abilities: await probeOllama({ ...testTarget, baseUrl }, new AbortController().signal), asked }
}

describe("probeOllama", () => {
  it("O3: learns what the model can do before it is asked to", async () => {
    const shown = { capabilities: ["completion", "tools", "vision"], model_info: { "qwen3.context_length": 40960 } }
    const { abilities, asked } = await probe(200, JSON.stringify(shown))
    expect(abilities).toEqual({ tools: true, thinking: false, images: true, longest: 40960 })
    expect(asked).toBe('POST /api/show {"model":"m"}')
    expect((await probe(200, '{"capabilities":["completion"]}')).abilities?.tools).toBe(false)
  })

  it("says nothing where the server says nothing", async () => {
    for (const [status, answer] of [
      [404, '{"error":"model not found"}'],
      [200, "<html>"],
      [200, "null"],
      [200, "{}"],
    ] as const) {
      expect((await probe(status, answer)).abilities).toBeUndefined()
    }
    const nowhere = { ...testTarget, baseUrl: "http://127.0.0.1:1/api" }
    expect(await probeOllama(nowhere, new AbortController().signal)).toBeUndefined()
  })
})
