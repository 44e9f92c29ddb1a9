/** The vendors Joey knows, as data. Adding one is one entry. */
import type { Profile, Timers, WireName } from "./target.ts"

export interface Vendor {
  /** What stands before the slash in `vendor/name`. */
  id: string
  name: string
  wire: WireName
  baseUrl: string
  /** Variables that may hold its key, the first one set wins. */
  keyVariables: readonly string[]
  keyRequired: boolean
  headers?: Readonly<Record<string, string>>
  timers: Timers
  profile: Profile
  /** What to do when nothing answers. */
  start?: string
}

const minutes = (count: number): number => count * 60_000

/** Servers on the network: they answer soon, then may think for long. */
const remote: Timers = { headersMs: minutes(3), firstTokenMs: minutes(10), betweenChunksMs: minutes(5) }
/** Servers on this machine: loading a model and reading a long prompt both happen before the head of the response. */
const local: Timers = { headersMs: minutes(15), firstTokenMs: minutes(15), betweenChunksMs: minutes(5) }

const plain: Profile = { endsSilently: false, thinkTags: "none", callIds: /^\S{1,64}$/, omit: [] }
const localProfile: Profile = { ...plain, thinkTags: "paired" }

export const vendors: readonly Vendor[] = [
  {
    id: "openai",
    name: "OpenAI",
    wire: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    keyRequired: true,
    timers: remote,
    profile: { ...plain, callIds: /^\S{1,40}$/ },
  },
  {
    id: "openrouter",
    name: "OpenRouter",
    wire: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    keyRequired: true,
    headers: { "x-title": "Joey" },
    timers: remote,
    profile: plain,
  },
  {
    id: "ollama",
    name: "Ollama",
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    keyVariables: ["OLLAMA_API_KEY"],
    keyRequired: false,
    timers: local,
    profile: localProfile,
    start: "Start it with `ollama serve`.",
  },
  {
    id: "lmstudio",
    name: "LM Studio",
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:1234/v1",
    keyVariables: ["LM_API_TOKEN"],
    keyRequired: false,
    timers: local,
    profile: localProfile,
    start: "Start its server with `lms server start`.",
  },
  {
    id: "llamacpp",
    name: "llama.cpp",
    wire: "openai-chat",
    baseUrl: "http://127.0.0.1:8080/v1",
    keyVariables: ["LLAMA_API_KEY"],
    keyRequired: false,
    timers: local,
    profile: localProfile,
    start: "Start it with `llama-server --jinja -m MODEL.gguf`.",
  },
]

/** A server known only by its address. */
export const custom: Omit<Vendor, "baseUrl"> = {
  id: "custom",
  name: "The server",
  wire: "openai-chat",
  keyVariables: [],
  keyRequired: false,
  timers: local,
  profile: localProfile,
}
