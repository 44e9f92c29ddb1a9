/**
 * Roo's exported settings as settings of ours. Keys are never taken over: they are named by an environment variable. What loosens approvals
 * is not taken over either. Whatever has no counterpart is told. Pure.
 */
import type { Json, JsonObject } from "../types/json.ts"
import { type Fields, isFields, isObject, textIn } from "./roo-message.ts"

export interface RooSettings {
  settings: JsonObject
  /** What the person should know, a line each. */
  notes: string[]
}

/** The variable a vendor's key is read from by itself. */
export type KeyVariable = (vendor: string) => string | undefined

interface Vendor {
  ours: string
  /** Where Roo keeps the model's name, the address and the key, when not in the usual fields. */
  model?: string
  address?: string
  key?: string
}

const VENDORS: Record<string, Vendor> = {
  anthropic: { ours: "anthropic", address: "anthropicBaseUrl", key: "apiKey" },
  "openai-native": { ours: "openai", address: "openAiNativeBaseUrl", key: "openAiNativeApiKey" },
  openai: { ours: "", model: "openAiModelId", address: "openAiBaseUrl", key: "openAiApiKey" },
  gemini: { ours: "google", address: "googleGeminiBaseUrl", key: "geminiApiKey" },
  openrouter: { ours: "openrouter", model: "openRouterModelId", address: "openRouterBaseUrl", key: "openRouterApiKey" },
  deepseek: { ours: "deepseek", address: "deepSeekBaseUrl", key: "deepSeekApiKey" },
  mistral: { ours: "mistral", key: "mistralApiKey" },
  groq: { ours: "groq", key: "groqApiKey" },
  xai: { ours: "xai", key: "xaiApiKey" },
  moonshot: { ours: "moonshot", address: "moonshotBaseUrl", key: "moonshotApiKey" },
  zai: { ours: "zai", key: "zaiApiKey" },
  minimax: { ours: "minimax", address: "minimaxBaseUrl", key: "minimaxApiKey" },
  fireworks: { ours: "fireworks", key: "fireworksApiKey" },
  cerebras: { ours: "cerebras", key: "cerebrasApiKey" },
  ollama: { ours: "ollama", model: "ollamaModelId", address: "ollamaBaseUrl", key: "ollamaApiKey" },
  lmstudio: { ours: "lmstudio", model: "lmStudioModelId", address: "lmStudioBaseUrl" },
  litellm: { ours: "litellm", model: "litellmModelId", address: "litellmBaseUrl", key: "litellmApiKey" },
}

/** undefined when it is no such file. */
export function settingsFromRoo(exported: unknown, keyVariable: KeyVariable): RooSettings | undefined {
  if (!isFields(exported)) return undefined
  const { providerProfiles, globalSettings } = exported
  if (!isFields(providerProfiles) && !isFields(globalSettings)) return undefined
  const notes: string[] = []
  const settings = {
    ...profilesOf(isFields(providerProfiles) ? providerProfiles : {}, keyVariable, notes),
    ...generalOf(isFields(globalSettings) ? globalSettings : {}, notes),
  }
  return { settings, notes }
}

function profilesOf(stored: Fields, keyVariable: KeyVariable, notes: string[]): JsonObject {
  const configs = isFields(stored["apiConfigs"]) ? stored["apiConfigs"] : {}
  const made: [string, JsonObject][] = []
  const names = new Map<string, string>()
  for (const [name, config] of Object.entries(configs)) {
    const profile = isFields(config) ? profileOf(name, config, keyVariable, notes) : undefined
    if (!profile || !isFields(config)) continue
    made.push([name, profile])
    names.set(textIn(config["id"]), name)
  }
  const profiles = Object.fromEntries(made)
  const modes = isFields(stored["modeApiConfigs"]) ? Object.entries(stored["modeApiConfigs"]) : []
  const modeProfiles = Object.fromEntries(modes.flatMap(([mode, id]) => entry(mode, names.get(textIn(id)))))
  const current = textIn(stored["currentApiConfigName"])
  return {
    ...(Object.keys(profiles).length > 0 && { profiles }),
    ...(Object.hasOwn(profiles, current) && { profile: current }),
    ...(Object.keys(modeProfiles).length > 0 && { modeProfiles }),
  }
}

function entry<Value>(name: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[name, value]]
}

function profileOf(name: string, config: Fields, keyVariable: KeyVariable, notes: string[]): JsonObject | undefined {
  const provider = textIn(config["apiProvider"])
  const vendor = Object.hasOwn(VENDORS, provider) ? VENDORS[provider] : undefined
  const model = textIn(config[vendor?.model ?? "apiModelId"])
  if (!vendor || model === "") {
    notes.push(
      `profile ${name}: ${vendor ? "it names no model" : `there is no counterpart of "${provider || "no provider"}"`}; left out`,
    )
    return undefined
  }
  const address = textIn(config[vendor.address ?? ""])
  const { modelTemperature: temperature, modelMaxTokens: most, reasoningEffort } = config
  return {
    model: vendor.ours === "" ? model : `${vendor.ours}/${model}`,
    ...(address !== "" && { baseUrl: address }),
    ...keyOf(name, config, vendor, keyVariable, notes),
    ...(typeof temperature === "number" && { temperature }),
    ...(typeof most === "number" && most > 0 && { maxOutput: most }),
    ...(EFFORTS.includes(textIn(reasoningEffort)) && { reasoningEffort: textIn(reasoningEffort) }),
  }
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"]

/** The key itself stays where it is. */
function keyOf(name: string, config: Fields, { ours, key }: Vendor, keyVariable: KeyVariable, notes: string[]): JsonObject {
  if (key === undefined || textIn(config[key]) === "") return {}
  const usual = keyVariable(ours)
  const variable =
    usual ??
    `${name
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")}_API_KEY`.replace(/^(?=\d|_)/, "ROO_")
  notes.push(`profile ${name}: its key was not taken over; put it into ${variable}`)
  return usual === undefined ? { apiKeyEnv: variable } : {}
}

function generalOf(stored: Fields, notes: string[]): JsonObject {
  const { customInstructions, mode, autoCondenseContextPercent: percent, allowedMaxRequests, allowedMaxCost } = stored
  const limits = { ...positive("requests", allowedMaxRequests), ...positive("cost", allowedMaxCost) }
  const allowed = textsIn(stored["allowedCommands"]).filter((command) => command !== "*")
  const denied = textsIn(stored["deniedCommands"])
  if (Object.keys(stored).some((name) => name.startsWith("alwaysAllow") && stored[name] === true)) {
    notes.push("what Roo approved by itself was not taken over; autoApprove in the settings decides that here")
  }
  if (Array.isArray(stored["customModes"]) && stored["customModes"].length > 0) {
    notes.push("custom modes: keep them in .roomodes, or as files in ~/.joey/modes; they are read from there")
  }
  const prompts = promptsOf(stored["customModePrompts"])
  return {
    ...(textIn(customInstructions).trim() !== "" && { customInstructions: textIn(customInstructions) }),
    ...(textIn(mode) !== "" && { mode: textIn(mode) }),
    ...(typeof percent === "number" && percent >= 5 && percent < 100 && { condense: { threshold: percent / 100 } }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(allowed.length > 0 && { allowedCommands: allowed }),
    ...(denied.length > 0 && { deniedCommands: denied }),
    ...(Object.keys(prompts).length > 0 && { customModePrompts: prompts }),
  }
}

function positive(name: string, value: unknown): JsonObject {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? { [name]: value } : {}
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === "string" && text.trim() !== "") : []
}

const PROMPT_FIELDS = ["roleDefinition", "whenToUse", "customInstructions"]

function promptsOf(value: unknown): JsonObject {
  const modes = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(modes.flatMap(([mode, prompt]) => entry(mode, promptOf(prompt))))
}

function promptOf(prompt: Json): JsonObject | undefined {
  const fields = isObject(prompt)
    ? Object.entries(prompt).filter(([name, text]) => PROMPT_FIELDS.includes(name) && textIn(text) !== "")
    : []
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}
