import { describe, expect, it } from "vitest"
import { chooseModel, connectModel, type ModelChoice } from "./connect.ts"
import type { Target } from "./target.ts"

function target(choice: ModelChoice, env: NodeJS.ProcessEnv = {}): Target {
  const chosen = chooseModel(choice, env)
  if (!chosen.ok) throw new Error(chosen.problem)
  return chosen.target
}

function problem(choice: ModelChoice, env: NodeJS.ProcessEnv = {}): string {
  const chosen = chooseModel(choice, env)
  if (chosen.ok) throw new Error(`${chosen.target.id} was chosen`)
  return chosen.problem
}

const keys = { OPENAI_API_KEY: "sk-openai", OPENROUTER_API_KEY: "sk-router", OTHER: " sk-other\n" }

describe("chooseModel", () => {
  it("takes the first segment for the vendor and the rest for the model's name", () => {
    expect(target({ model: "openrouter/anthropic/claude-x" }, keys)).toMatchObject({
      id: "openrouter/anthropic/claude-x",
      model: "anthropic/claude-x",
      baseUrl: "https://openrouter.ai/api/v1",
      key: { value: "sk-router", variable: "OPENROUTER_API_KEY" },
    })
    expect(target({ model: "OpenAI/gpt-x" }, keys)).toMatchObject({ id: "openai/gpt-x", model: "gpt-x" })
  })

  it.each(["ollama", "lmstudio", "llamacpp"])("needs no key for %s", (vendor) => {
    const chosen = target({ model: `${vendor}/qwen:7b` })
    expect(chosen.key).toBeUndefined()
    expect(chosen.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(v1|api)$/)
  })

  it("takes any name with a base URL, as it is, and no key", () => {
    const chosen = target({ model: "openai/gpt-oss", baseUrl: "http://127.0.0.1:9/v1" }, keys)
    expect(chosen).toMatchObject({ id: "custom/openai/gpt-oss", model: "openai/gpt-oss", baseUrl: "http://127.0.0.1:9/v1" })
    expect(chosen.key).toBeUndefined()
  })

  it.each([
    ["http://host", "http://host/v1"],
    ["http://host/", "http://host/v1"],
    ["http://host/v1/", "http://host/v1"],
    ["http://host/v1/chat/completions", "http://host/v1"],
    ["http://host/chat/completions/", "http://host/v1"],
    ["https://host/api/paas/v4", "https://host/api/paas/v4"],
    ["https://host/openai/deployments/x?api-version=1", "https://host/openai/deployments/x?api-version=1"],
  ])("reads the base URL %s as %s", (baseUrl, tidy) => {
    expect(target({ model: "m", baseUrl }).baseUrl).toBe(tidy)
  })

  it("sends a vendor's key to the vendor's own address only", () => {
    expect(target({ model: "m", baseUrl: "https://api.openai.com" }, keys).key?.value).toBe("sk-openai")
    for (const baseUrl of ["http://api.openai.com/v1", "https://api.openai.com:444/v1", "https://api.openai.com.evil.io/v1"]) {
      expect(target({ model: "m", baseUrl }, keys).key).toBeUndefined()
    }
  })

  it("sends the key of a named variable wherever the person says", () => {
    expect(target({ model: "m", baseUrl: "http://host", apiKeyEnv: "OTHER" }, keys).key).toEqual({
      value: "sk-other",
      variable: "OTHER",
    })
    expect(target({ model: "openai/m", apiKeyEnv: "OTHER" }, keys).key?.value).toBe("sk-other")
  })

  it.each<[string, ModelChoice, NodeJS.ProcessEnv, RegExp]>([
    ["no model", {}, keys, /--model vendor\/name .*openrouter/],
    ["no vendor", { model: "gpt-x" }, keys, /names no vendor.*--base-url/],
    ["an unknown vendor", { model: "acme/gpt-x" }, keys, /"acme" is not known.*openrouter/],
    ["no name", { model: "openai/" }, keys, /openai\/NAME/],
    ["a base URL and no model", { baseUrl: "http://host" }, keys, /--model NAME/],
    ["a base URL that is none", { baseUrl: "localhost:11434", model: "m" }, keys, /localhost:11434 is no web address/],
    ["a base URL of another kind", { baseUrl: "file:///etc", model: "m" }, keys, /no web address/],
    ["no key", { model: "openai/gpt-x" }, {}, /set OPENAI_API_KEY/],
    ["a blank key", { model: "openai/gpt-x" }, { OPENAI_API_KEY: " " }, /set OPENAI_API_KEY/],
    ["a named key that is not there", { model: "openai/gpt-x", apiKeyEnv: "NOPE" }, keys, /NOPE: the environment holds no key/],
    ["a key that cannot be sent", { model: "openai/gpt-x" }, { OPENAI_API_KEY: "sk-a\nsk-b" }, /OPENAI_API_KEY holds characters/],
    ["an unknown wire", { model: "openai/gpt-x", wire: "toString" }, keys, /no wire "toString".*openai-chat/],
  ])("says in one line what to do about %s", (_, choice, env, line) => {
    expect(problem(choice, env)).toMatch(line)
    expect(problem(choice, env)).not.toMatch(/\n|sk-/)
  })

  it.each([
    ["openai-chat", "http://host", "http://host/v1"],
    ["openai-responses", "http://host/v1/responses", "http://host/v1"],
    ["anthropic", "http://host/", "http://host/v1"],
    ["anthropic", "http://host/anthropic/v1/messages", "http://host/anthropic/v1"],
    ["gemini", "http://host", "http://host/v1beta"],
    ["gemini", "http://host/v1beta/models/g-3:streamGenerateContent?x=1", "http://host/v1beta?x=1"],
    ["ollama", "http://host:11434", "http://host:11434/api"],
    ["ollama", "http://host:11434/v1", "http://host:11434/api"],
    ["ollama", "http://host:11434/api/chat", "http://host:11434/api"],
  ])("takes the wire %s by name and reads the base URL %s as %s", (wire, baseUrl, tidy) => {
    expect(target({ model: "m", baseUrl, wire })).toMatchObject({ wire, baseUrl: tidy })
  })

  it("speaks a vendor's own wire, or another one that is named, at the right address", () => {
    expect(target({ model: "anthropic/claude" }, { ANTHROPIC_API_KEY: "sk-a" })).toMatchObject({
      wire: "anthropic",
      baseUrl: "https://api.anthropic.com/v1",
      key: { variable: "ANTHROPIC_API_KEY" },
    })
    expect(target({ model: "openai/gpt", wire: "openai-responses" }, keys)).toMatchObject({
      wire: "openai-responses",
      baseUrl: "https://api.openai.com/v1",
    })
    expect(target({ model: "ollama/qwen", wire: "ollama" })).toMatchObject({ baseUrl: "http://127.0.0.1:11434/api" })
  })
})

describe("connectModel", () => {
  it("names the model as people do and says how its server ends", () => {
    const model = connectModel(target({ model: "ollama/qwen" }))
    expect(model).toMatchObject({ id: "ollama/qwen", endsSilently: false })
  })
})
