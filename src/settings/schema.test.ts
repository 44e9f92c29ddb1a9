/** Holds the schema, the type and the defaults together. The compiler holds `everything` to the type. */
import { describe, expect, it } from "vitest"
import { checkSchema } from "../json/check-schema.ts"
import { DEFAULT_LIMITS } from "../policy/limits.ts"
import { DEFAULT_REPETITION } from "../policy/repetition.ts"
import type { Json, JsonSchema } from "../types/json.ts"
import type { LimitSettings, ModelSettings, ModePrompt, ProfileSettings, Settings } from "../types/settings.ts"
import { defaults } from "./defaults.ts"
import schema from "./schema.json" with { type: "json" }

type Whole<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]-?: Whole<T[Key]> } : T

const limits: LimitSettings = { turns: 1, mistakes: 1, requests: 1, tokens: 1, minutes: 1.5, cost: 0.5, dayCost: 5, cuts: 1 }
const model: Whole<ModelSettings> = {
  window: 2000,
  output: 1,
  images: true,
  price: { input: 1, output: 1, cached: 0 },
  edits: "blocks",
  nativeTools: false,
}
const profile: Whole<Omit<ProfileSettings, "headers">> = {
  model: "openai/x",
  baseUrl: "http://127.0.0.1:1/v1",
  wire: "openai-chat",
  apiKeyEnv: "NAME",
  apiKeyFile: "~/key",
  apiKeyCommand: "pass show key",
  temperature: 0,
  reasoningEffort: "low",
  maxOutput: 1,
  timeouts: { headers: 1, firstToken: 1, betweenChunks: 1 },
  limits,
  fallback: ["other"],
  condense: { threshold: 0.5, model: "fast", prompt: "Sum up." },
}

/** Every member there can be. */
const everything: Required<Settings> & { limits: LimitSettings; customModePrompts: Record<string, Required<ModePrompt>> } = {
  ...defaults,
  caFile: "~/ca.pem",
  profile: "fast",
  models: { m: model },
  profiles: { fast: profile },
  model: "openai/x",
  baseUrl: "http://127.0.0.1:1/v1",
  wire: "openai-chat",
  apiKeyEnv: "NAME",
  apiKeyFile: "~/key",
  apiKeyCommand: "pass show key",
  language: "Deutsch",
  shell: "zsh",
  imageModel: { model: "openai/x", baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: "NAME", api: "chat" },
  customInstructions: "Be brief.",
  limits,
  condense: { threshold: 0.5, model: "fast", prompt: "Sum up." },
  customModePrompts: { code: { roleDefinition: "a", whenToUse: "b", customInstructions: "c" } },
  experiments: { preventFocusDisruption: true, imageGeneration: true, runSlashCommand: true, customTools: true },
}

const { $schema: _, ...settings } = schema.properties

describe("the schema of settings", () => {
  it("has exactly the members of the type", () => {
    expect(checkSchema(everything, schema)).toEqual([])
    expect(namesOf({ type: "object", properties: settings })).toEqual(pathsOf(everything).sort())
  })

  it("states the defaults that hold", () => {
    expect(checkSchema(defaults, schema)).toEqual([])
    const stated = { ...defaultsOf({ type: "object", properties: settings }), experiments: {} }
    expect(stated).toEqual(defaults)
  })

  it("agrees with the defaults of the policy", () => {
    const finite = Object.entries(DEFAULT_LIMITS).filter(([, limit]) => Number.isFinite(limit))
    expect(defaults.limits).toEqual(Object.fromEntries(finite))
    expect(defaults.repetition).toEqual(DEFAULT_REPETITION)
  })

  it("gives every member a title and a description, and examples that pass", () => {
    const visit = (shape: JsonSchema, path: string): void => {
      for (const [name, member] of Object.entries(shape.properties ?? {})) {
        const at = `${path}${name}`
        expect(member["title"], at).toBeTypeOf("string")
        expect(member.description, at).toMatch(/[.]$/)
        for (const example of [member["examples"] ?? []].flat()) expect(checkSchema(example, member), at).toEqual([])
        visit(member, `${at}.`)
      }
    }
    visit(schema, "")
  })

  it("S55: knows the experiments of Roo Code", () => {
    const known = ["customTools", "imageGeneration", "preventFocusDisruption", "runSlashCommand"]
    expect(Object.keys(schema.properties.experiments.properties).sort()).toEqual(known)
  })
})

/** `a.b` for every member; `a.*.b` where any name goes. */
function namesOf({ properties = {}, additionalProperties }: JsonSchema, path = ""): string[] {
  const own = Object.entries(properties).flatMap(([name, member]) => {
    const below = member.type === "object" ? namesOf(member, `${path}${name}.`) : [`${path}${name}`]
    return below
  })
  const any = typeof additionalProperties === "object" ? namesOf(additionalProperties, `${path}*.`) : []
  return [...own, ...any].sort()
}

function pathsOf(value: object, path = ""): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}${["customModePrompts.", "models.", "profiles."].includes(path) ? "*" : name}`
    return typeof member === "object" && !Array.isArray(member) ? pathsOf(member, `${at}.`) : [at]
  })
}

function defaultsOf({ properties = {} }: JsonSchema): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]): [string, Json][] => {
      if (member.default !== undefined) return [[name, member.default]]
      return member.properties ? [[name, defaultsOf(member)]] : []
    }),
  )
}
