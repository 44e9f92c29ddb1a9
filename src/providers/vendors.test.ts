import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import type { Chunk } from "../types/chunk.ts"
import { chooseModel, connectModel, type Knowledge, type ModelChoice } from "./connect.ts"
import type { Target } from "./target.ts"
import { custom, vendors } from "./vendors.ts"
import { isWire } from "./wires.ts"

function target(choice: ModelChoice, env: NodeJS.ProcessEnv = {}): Target {
  const chosen = chooseModel(choice, env)
  if (!chosen.ok) throw new Error(chosen.problem)
  return chosen.target
}

describe("vendors are data", () => {
  it.each(vendors.map((vendor) => [vendor.id, vendor] as const))("%s is whole", (id, vendor) => {
    expect(id).toMatch(/^[a-z]+$/)
    expect(isWire(vendor.wire)).toBe(true)
    expect(vendor.baseUrl === "" ? vendor.addressVariable : new URL(vendor.baseUrl).origin).toBeTruthy()
    expect(vendor.keyVariables.every((name) => /^[A-Z][A-Z0-9_]+$/.test(name))).toBe(true)
    expect(vendor.baseUrl.startsWith("https:") || vendor.start !== undefined || vendor.baseUrl === "").toBe(true)
  })

  it("knows those that people use, each once", () => {
    const ids = vendors.map(({ id }) => id)
    const wanted =
      "anthropic openai azure google openrouter deepseek mistral groq xai moonshot zai minimax qwen together fireworks cerebras ollama lmstudio llamacpp vllm litellm"
    expect(ids.toSorted()).toEqual(wanted.split(" ").toSorted())
  })

  it("one more is one entry", async () => {
    let seen: unknown
    const server = createServer((incoming, response) => {
      seen = [incoming.url, incoming.headers["x-acme-key"], incoming.headers.authorization, incoming.headers["x-team"]]
      response.writeHead(200).end('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const acme = {
      ...custom,
      id: "acme",
      name: "Acme",
      baseUrl: `http://127.0.0.1:${port}/llm/v2`,
      keyVariables: ["ACME_KEY"],
      keyRequired: true,
      keyHeader: "x-acme-key",
      headers: { "x-team": "joey" },
    }
    const list = vendors as (typeof acme)[]
    list.push(acme)
    try {
      const model = connectModel(target({ model: "acme/roadrunner" }, { ACME_KEY: "beep" }))
      const chunks: Chunk[] = []
      const request = { system: "", messages: [], tools: [] }
      for await (const read of model.stream(request, new AbortController().signal)) chunks.push(...read)
      expect(chunks).toMatchObject([{ type: "text", text: "hi" }, { type: "end" }])
      expect(seen).toEqual(["/llm/v2/chat/completions", "beep", undefined, "joey"])
    } finally {
      list.pop()
      server.close()
      server.closeAllConnections()
    }
  })

  it("OpenAI's own models are spoken to over Responses, others over chat", () => {
    const env = { OPENAI_API_KEY: "k", AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://me.openai.azure.com/" }
    expect(
      ["gpt-5", "o4-mini", "codex-mini", "gpt-oss-120b", "DeepSeek-V3"].map(
        (name) => target({ model: `azure/${name}` }, env).wire,
      ),
    ).toEqual(["openai-responses", "openai-responses", "openai-responses", "openai-chat", "openai-chat"])
    expect(target({ model: "openai/gpt-5", wire: "openai-chat" }, env).wire).toBe("openai-chat")
  })

  it("Azure's address comes from the person, its key goes into a header of its own", () => {
    const env = { AZURE_OPENAI_API_KEY: "k", AZURE_OPENAI_ENDPOINT: "https://me.openai.azure.com/" }
    expect(target({ model: "azure/gpt-5" }, env)).toMatchObject({
      baseUrl: "https://me.openai.azure.com/openai/v1",
      keyHeader: "api-key",
      key: { value: "k" },
    })
    expect(chooseModel({ model: "azure/gpt-5" }, { AZURE_OPENAI_API_KEY: "k" })).toEqual({
      ok: false,
      problem: "Where is Azure OpenAI? Set AZURE_OPENAI_ENDPOINT to its address, or give it with --base-url URL.",
    })
    const other = target({ model: "gpt-5", baseUrl: "https://other.openai.azure.com" }, env)
    expect(other).toMatchObject({ baseUrl: "https://other.openai.azure.com/openai/v1", keyHeader: "api-key" })
    expect(other.key).toBeUndefined()
  })

  it.each([
    ["0.0.0.0", "http://127.0.0.1:11434/api"],
    ["0.0.0.0:5000", "http://127.0.0.1:5000/api"],
    ["box", "http://box:11434/api"],
    ["https://box.example", "https://box.example/api"],
    ["http://box:1/v1", "http://box:1/api"],
  ])("OLLAMA_HOST=%s means %s", (host, baseUrl) => {
    expect(target({ model: "ollama/qwen3" }, { OLLAMA_HOST: host })).toMatchObject({ wire: "ollama", baseUrl })
  })
})

const USAGE = '{"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":1000000}}'

async function usageOf(choice: ModelChoice, knowledge: Knowledge = {}, usage = USAGE, env: NodeJS.ProcessEnv = {}) {
  const server = createServer((_, response) => {
    response
      .writeHead(200)
      .end(`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: ${usage}\n\ndata: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const model = connectModel({ ...target({ model: "x", ...choice }, env), baseUrl, wire: "openai-chat" }, knowledge)
  const chunks: Chunk[] = []
  for await (const read of model.stream({ system: "", messages: [], tools: [] }, new AbortController().signal))
    chunks.push(...read)
  server.close()
  server.closeAllConnections()
  const used = chunks.flatMap((chunk) => (chunk.type === "usage" ? [chunk.usage.cost] : []))
  return { model, cost: used.at(-1), notices: chunks.flatMap((chunk) => (chunk.type === "notice" ? [chunk.text] : [])) }
}

describe("what is known of a model", () => {
  const somewhere = { baseUrl: "http://10.0.0.1/v1" }

  it("the person's word stands above the table, by any name of the model", async () => {
    const price = { input: 1, output: 2 }
    const models = { "acme-one": { window: 9000, price, images: true, edits: "patch" as const } }
    const { model, cost, notices } = await usageOf(
      { ...somewhere, model: "vendor/ACME_One:free" },
      { models, tellsUnknown: true },
    )
    expect(model.facts).toMatchObject({ window: 9000, images: true, edits: "patch" })
    expect(cost).toBe(3)
    expect(notices).toEqual([])
  })

  it("usage gets its cost at the edge; what the server says wins, and a server of one's own costs nothing", async () => {
    const known = { model: "gpt-4.1", ...somewhere }
    expect((await usageOf(known)).cost).toBeGreaterThan(0)
    expect((await usageOf(known, {}, USAGE.replace("}}", ',"cost":0.5}}'))).cost).toBe(0.5)
    expect((await usageOf({ model: "ollama/gpt-4.1" })).cost).toBeUndefined()
    const models = { "gpt-4.1": { price: { input: 1, output: 1 } } }
    expect((await usageOf({ model: "ollama/gpt-4.1" }, { models })).cost).toBe(2)
  })

  it("a model nobody knows gets careful values, and that is said", async () => {
    const { model, notices } = await usageOf({ model: "mystery", ...somewhere }, { tellsUnknown: true })
    expect(model.facts).toMatchObject({ known: false, window: 32_768, images: false })
    expect(notices).toEqual([
      expect.stringMatching(/^Nothing is known of the model "mystery".*32768 tokens and no price.*models\."mystery"\.window/),
    ])
    expect((await usageOf({ model: "gpt-4.1", ...somewhere }, { tellsUnknown: true })).notices).toEqual([])
  })
})
