/** The vendors Joey knows, as data. Adding one is one entry. */
import type { Profile, Timers, WireName } from "./target.ts"

export interface Vendor {
  /** What stands before the slash in `vendor/name`. */
  id: string
  name: string
  wire: WireName
  /** Models that are spoken to on another wire. */
  except?: { models: RegExp; wire: WireName }
  /** Empty: only the person knows the address. */
  baseUrl: string
  /** The variable in which people keep the server's address. */
  addressVariable?: string
  /** The path of an address that names none, where it is not the wire's own. */
  root?: string
  /** Other hosts that are run the same way; its key does not go there by itself. */
  hosts?: RegExp
  /** Variables that may hold its key, the first one set wins. */
  keyVariables: readonly string[]
  keyRequired: boolean
  /** The header that holds the key, where it is not the wire's own. */
  keyHeader?: string
  headers?: Readonly<Record<string, string>>
  timers: Timers
  profile: Profile
  /** It runs on people's own machines: what a model costs elsewhere does not count. */
  free?: boolean
  /** Requests it takes at once, where that is few. */
  atOnce?: number
  /** What to do when nothing answers. */
  start?: string
}

const minutes = (count: number): number => count * 60_000

/** Servers on the network: they answer soon, then may think for long. */
const remote: Timers = { headersMs: minutes(3), firstTokenMs: minutes(10), betweenChunksMs: minutes(5) }
/** Servers on this machine: loading a model and reading a long prompt both happen before the head of the response. */
const local: Timers = { headersMs: minutes(15), firstTokenMs: minutes(15), betweenChunksMs: minutes(5) }
/** Hardware made for speed: silence there is a fault. */
const fast: Timers = { headersMs: minutes(2), firstTokenMs: minutes(3), betweenChunksMs: minutes(1) }

const plain: Profile = { endsSilently: false, thinkTags: "none", callIds: /^\S{1,64}$/, omit: [] }
const localProfile: Profile = { ...plain, thinkTags: "paired", thinking: "effort" }
const openaiProfile: Profile = {
  ...plain,
  callIds: /^\S{1,40}$/,
  thinking: "effort",
  systemRole: "developer",
  outputField: "max_completion_tokens",
}
/** What is not named like a model of OpenAI's own. */
const foreign = { models: /^(?!gpt-(?!oss)|o\d|codex|chatgpt|computer-use|ft:)/i, wire: "openai-chat" } as const

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

/** A vendor with chat completions on the network that wants a key. */
function remoteChat(
  id: string,
  name: string,
  baseUrl: string,
  keyVariables: readonly string[],
  more: Partial<Vendor> = {},
): Vendor {
  return { id, name, wire: "openai-chat", baseUrl, keyVariables, keyRequired: true, timers: remote, profile: plain, ...more }
}

/** A server with chat completions on this machine. */
function localChat(id: string, name: string, port: number, keyVariables: readonly string[], more: Partial<Vendor>): Vendor {
  return { ...custom, id, name, baseUrl: `http://127.0.0.1:${port}/v1`, keyVariables, ...more }
}

export const vendors: readonly Vendor[] = [
  {
    ...remoteChat("anthropic", "Anthropic", "https://api.anthropic.com/v1", ["ANTHROPIC_API_KEY"]),
    wire: "anthropic",
  },
  {
    ...remoteChat("openai", "OpenAI", "https://api.openai.com/v1", ["OPENAI_API_KEY"], { profile: openaiProfile }),
    wire: "openai-responses",
    except: foreign,
  },
  {
    ...remoteChat("azure", "Azure OpenAI", "", ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"], { profile: openaiProfile }),
    wire: "openai-responses",
    except: foreign,
    addressVariable: "AZURE_OPENAI_ENDPOINT",
    root: "/openai/v1",
    hosts: /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.com$/,
    keyHeader: "api-key",
  },
  {
    ...remoteChat("google", "Google", "https://generativelanguage.googleapis.com/v1beta", ["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    wire: "gemini",
  },
  remoteChat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ["OPENROUTER_API_KEY"], {
    headers: { "x-title": "Joey" },
    // With it, usage says what was paid.
    profile: { ...plain, thinking: "object", fields: { usage: { include: true } } },
  }),
  remoteChat("deepseek", "DeepSeek", "https://api.deepseek.com/v1", ["DEEPSEEK_API_KEY"], {
    profile: { ...plain, thinking: "switch", reasoningField: "reasoning_content" },
  }),
  remoteChat("mistral", "Mistral", "https://api.mistral.ai/v1", ["MISTRAL_API_KEY"], {
    // The wire of Mistral knows neither the field for usage nor ids of other lengths (I18).
    profile: {
      ...plain,
      callIds: /^[A-Za-z0-9]{9}$/,
      omit: ["stream_options"],
      namedResults: true,
      assistantAfterResults: true,
    },
  }),
  remoteChat("groq", "Groq", "https://api.groq.com/openai/v1", ["GROQ_API_KEY"], {
    timers: fast,
    profile: { ...plain, thinkTags: "paired", thinking: "effort", outputField: "max_completion_tokens" },
  }),
  remoteChat("xai", "xAI", "https://api.x.ai/v1", ["XAI_API_KEY"], { profile: { ...plain, thinking: "effort" } }),
  remoteChat("moonshot", "Moonshot", "https://api.moonshot.ai/v1", ["MOONSHOT_API_KEY", "KIMI_API_KEY"], {
    profile: { ...plain, thinking: "switch", reasoningField: "reasoning_content" },
  }),
  remoteChat("zai", "Z.ai", "https://api.z.ai/api/paas/v4", ["ZAI_API_KEY", "ZHIPUAI_API_KEY"], {
    profile: { ...plain, thinking: "switch", fields: { tool_stream: true } },
  }),
  remoteChat("minimax", "MiniMax", "https://api.minimax.io/v1", ["MINIMAX_API_KEY"], {
    // Thinking comes in a field of its own then; without it, in tags at the head of the text.
    profile: { ...plain, thinkTags: "paired", fields: { reasoning_split: true } },
  }),
  remoteChat("qwen", "Qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", ["DASHSCOPE_API_KEY", "QWEN_API_KEY"], {
    profile: { ...plain, thinking: "flag" },
  }),
  remoteChat("together", "Together", "https://api.together.xyz/v1", ["TOGETHER_API_KEY"], {
    profile: { ...plain, thinkTags: "paired", thinking: "effort" },
  }),
  remoteChat("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", ["FIREWORKS_API_KEY"], {
    profile: { ...plain, thinkTags: "paired", thinking: "effort" },
  }),
  remoteChat("cerebras", "Cerebras", "https://api.cerebras.ai/v1", ["CEREBRAS_API_KEY"], {
    timers: fast,
    profile: { ...plain, thinkTags: "paired", thinking: "effort", outputField: "max_completion_tokens" },
  }),
  localChat("ollama", "Ollama", 11434, ["OLLAMA_API_KEY"], {
    wire: "ollama",
    baseUrl: "http://127.0.0.1:11434/api",
    addressVariable: "OLLAMA_HOST",
    free: true,
    atOnce: 4,
    start: "Start it with `ollama serve`.",
  }),
  localChat("lmstudio", "LM Studio", 1234, ["LM_API_TOKEN"], {
    free: true,
    atOnce: 4,
    start: "Start its server with `lms server start`.",
  }),
  localChat("llamacpp", "llama.cpp", 8080, ["LLAMA_API_KEY"], {
    profile: { ...localProfile, thinking: "template" },
    free: true,
    atOnce: 4,
    start: "Start it with `llama-server --jinja -m MODEL.gguf`.",
  }),
  localChat("vllm", "vLLM", 8000, ["VLLM_API_KEY"], {
    profile: { ...localProfile, thinking: "template" },
    free: true,
    start: "Start it with `vllm serve MODEL --enable-auto-tool-choice`.",
  }),
  localChat("litellm", "LiteLLM", 4000, ["LITELLM_API_KEY", "LITELLM_MASTER_KEY"], {
    start: "Start it with `litellm --config FILE`.",
  }),
]
