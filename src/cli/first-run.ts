/** The first start without a model: which keys and local servers are there, and a choice that is remembered. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { vendors } from "../providers/vendors.ts"
import type { SetUp } from "../ui/terminal/options.ts"

const PROBE_MS = 400
const MOST_MODELS = 6

/** A model to begin with, where a key was found. People choose another with --model or in their settings. */
const FIRST_MODELS: Record<string, string> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-5",
  google: "gemini-2.5-pro",
  openrouter: "anthropic/claude-sonnet-4.5",
  deepseek: "deepseek-chat",
  mistral: "devstral-medium-latest",
  xai: "grok-4",
  moonshot: "kimi-k2-0905-preview",
  zai: "glm-4.6",
}

/** Servers people run themselves, and where they list their models. */
const LOCAL_SERVERS = [
  { vendor: "ollama", url: "http://127.0.0.1:11434/api/tags" },
  { vendor: "lmstudio", url: "http://127.0.0.1:1234/v1/models" },
  { vendor: "llamacpp", url: "http://127.0.0.1:8080/v1/models" },
]

interface Found {
  model: string
  label: string
  detail: string
}

export async function firstRun(home: string, env: NodeJS.ProcessEnv, demo: () => Promise<number>): Promise<SetUp> {
  const found = [...keysIn(env), ...(await Promise.all(LOCAL_SERVERS.map(modelsAt))).flat()]
  return {
    found: found.map(({ detail }) => detail),
    choices: [
      ...found.map(({ model, label, detail }) => ({ value: model, label, detail })),
      { value: "", label: "See the demo", detail: "a scripted model repairs a sample project, no key needed" },
    ],
    async choose(model) {
      if (model === "") return demo()
      env["JOEY_MODEL"] = model // for this start; the next one reads it from the settings
      remember(home, model)
      return undefined
    },
  }
}

function keysIn(env: NodeJS.ProcessEnv): Found[] {
  return vendors.flatMap(({ id, name, keyVariables, keyRequired }) => {
    const variable = keyRequired && keyVariables.find((one) => env[one]?.trim())
    const model = FIRST_MODELS[id]
    return variable && model ? [{ model: `${id}/${model}`, label: `${name}: ${model}`, detail: `${variable} is set` }] : []
  })
}

async function modelsAt({ vendor, url }: { vendor: string; url: string }): Promise<Found[]> {
  const names = modelNames(await fetchJson(url)).slice(0, MOST_MODELS)
  const name = vendors.find(({ id }) => id === vendor)?.name ?? vendor
  return names.map((model) => ({
    model: `${vendor}/${model}`,
    label: `${name}: ${model}`,
    detail: `${name} runs on this machine`,
  }))
}

/** Ollama lists `models` with a name, the others `data` with an id. */
function modelNames(listed: unknown): string[] {
  const body = typeof listed === "object" && listed !== null ? listed : {}
  const list = "models" in body ? body.models : "data" in body ? body.data : []
  if (!Array.isArray(list)) return []
  return list.flatMap((one: { name?: unknown; id?: unknown } | null) => {
    const name = one?.name ?? one?.id
    return typeof name === "string" ? [name] : []
  })
}

/** undefined when nothing sensible answers at once. */
function fetchJson(url: string): Promise<unknown> {
  return new Promise((resolve) => {
    const asked = request(url, { timeout: PROBE_MS }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => {
        text += piece
        if (text.length > 1_000_000) response.destroy()
      })
      response.on("close", () => resolve(parse(text)))
    })
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => resolve(undefined))
    asked.end()
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A settings file with comments is the person's own and stays as it is: then the choice holds for this start only. */
function remember(home: string, model: string): void {
  const file = join(home, "settings.json")
  const settings = existing(file)
  if (settings === undefined) return
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify({ ...settings, model }, null, 2)}\n`, { mode: 0o600 })
}

/** {} when there is none; undefined when it is not plain JSON (comments would be lost). */
function existing(file: string): object | undefined {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    return {}
  }
  const settings = parse(text)
  return typeof settings === "object" && settings !== null && !Array.isArray(settings) ? settings : undefined
}
