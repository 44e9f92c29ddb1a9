/** From settings to the models of a task: the one in use, those of modes, those that take over. */
import { chooseModel, connectModel, type ModelChoice } from "../providers/connect.ts"
import { type ChainProfile, modelChain } from "../providers/model-chain.ts"
import type { Target, Timers } from "../providers/target.ts"
import { vendors } from "../providers/vendors.ts"
import { readKey } from "../settings/keys.ts"
import type { Origin } from "../settings/layer.ts"
import type { LoadedSettings } from "../settings/load.ts"
import { nearNames } from "../text/near-names.ts"
import type { Fault } from "../types/fault.ts"
import type { Model, Models } from "../types/model.ts"
import type { LimitSettings, ProfileSettings, Settings } from "../types/settings.ts"
import { UsageError } from "./arguments.ts"

export interface ChosenModels {
  models: Models
  /** Those of the profile, over those of the settings. */
  limits: Partial<LimitSettings>
  /** What is wrong with profiles that are not needed yet. */
  warnings: string[]
  /** Every key we hold by now. */
  keys: string[]
}

type Loaded = Pick<LoadedSettings, "settings" | "origins">

/** Stands for what the settings say outside of all profiles. */
const UNNAMED = ""

/** Throws UsageError when the first model cannot be used; any other is only warned about. */
export async function chooseModels({ settings, origins }: Loaded, env: NodeJS.ProcessEnv): Promise<ChosenModels> {
  const first = profileInUse(settings, origins)
  const own = profileOf(settings, first)
  if (!own) throw new UsageError(`${noProfile(first, settings)} Choose one with --profile NAME, or give --model.`)
  const { profile, key } = await openFirst(own, settings, env)
  const opened = new Map([[first, profile]])
  const models = modelChain({
    first,
    open: (name) => opened.get(name) ?? openLater(name, settings, env),
    byMode: settings.modeProfiles,
  })
  const others = new Set([...(own.fallback ?? []), ...Object.values(settings.modeProfiles)])
  const warnings = [...others].flatMap((name) => problemOf(name, settings, env) ?? [])
  return { models, limits: { ...settings.limits, ...own.limits }, warnings, keys: keysIn(env, settings, key) }
}

/** Variables that hold a key by the person's own choice. */
export function keyVariables({ apiKeyEnv, profiles }: Settings): string[] {
  return [apiKeyEnv, ...Object.values(profiles).map((profile) => profile.apiKeyEnv)].filter((name) => name !== undefined)
}

const STRENGTH: readonly Origin["from"][] = ["default", "file", "environment", "flag"]

/** A model that is named nearer to the person than the profile is meant instead of it. */
function profileInUse({ profile }: Settings, origins: LoadedSettings["origins"]): string {
  if (profile === undefined) return UNNAMED
  const strength = (name: string) => {
    const origin = origins[name]
    if (!origin) return -1
    const isProject = origin.from === "file" && origin.scope === "project"
    return STRENGTH.indexOf(origin.from) + (isProject ? 0.5 : 0)
  }
  const named = Math.max(strength("model"), strength("baseUrl"))
  if (named === strength("profile") && origins["profile"]?.from === "flag") {
    throw new UsageError("--profile names the model; give it without --model and --base-url, or leave it out.")
  }
  return named > strength("profile") ? UNNAMED : profile
}

function profileOf({ profiles }: Settings, name: string): ProfileSettings | undefined {
  if (name === UNNAMED) return {}
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

function noProfile(name: string, { profiles }: Settings): string {
  const names = Object.keys(profiles)
  const [near] = nearNames(name, names)
  const there = names.length > 0 ? `; there are ${names.join(", ")}` : "; none is set"
  return `There is no profile "${name}"${near ? ` (${near}?)` : ""}${there}.`
}

/** A profile that names a model or a server stands alone: a key outside of it was meant for another place. */
function connectionOf(profile: ProfileSettings, settings: Settings): ProfileSettings {
  return profile.model !== undefined || profile.baseUrl !== undefined ? profile : settings
}

function choiceOf(profile: ProfileSettings, settings: Settings): ModelChoice {
  const { model, baseUrl, wire, apiKeyEnv } = connectionOf(profile, settings)
  const { temperature, reasoningEffort, maxOutput, headers, timeouts } = profile
  return {
    model,
    baseUrl,
    wire,
    apiKeyEnv,
    headers,
    caFile: settings.caFile,
    timers: timersOf(timeouts),
    options: {
      ...(temperature !== undefined && { temperature }),
      ...(reasoningEffort !== undefined && { reasoningEffort }),
      ...(maxOutput !== undefined && { maxOutput }),
    },
  }
}

function timersOf({ headers, firstToken, betweenChunks }: NonNullable<ProfileSettings["timeouts"]> = {}): Partial<Timers> {
  const ms = (seconds: number) => Math.round(seconds * 1000)
  return {
    ...(headers !== undefined && { headersMs: ms(headers) }),
    ...(firstToken !== undefined && { firstTokenMs: ms(firstToken) }),
    ...(betweenChunks !== undefined && { betweenChunksMs: ms(betweenChunks) }),
  }
}

/** Its key is fetched now, so that what is wrong with it is said before anything begins. */
async function openFirst(
  profile: ProfileSettings,
  settings: Settings,
  env: NodeJS.ProcessEnv,
): Promise<{ profile: ChainProfile; key: string | undefined }> {
  const key = await fetchKey(connectionOf(profile, settings), env)
  if (key && "problem" in key) throw new UsageError(key.problem)
  const chosen = chooseModel({ ...choiceOf(profile, settings), key }, env)
  if (!chosen.ok) throw new UsageError(chosen.problem)
  const learnt = await askServer(chosen.target)
  const model = connectModel(chosen.target, { models: settings.models, tellsUnknown: true, learnt })
  return { profile: { model, fallback: profile.fallback ?? [] }, key: chosen.target.key?.value }
}

function keysIn(env: NodeJS.ProcessEnv, settings: Settings, key: string | undefined): string[] {
  const names = [...vendors.flatMap((vendor) => vendor.keyVariables), ...keyVariables(settings)]
  return [key, ...names.map((name) => env[name]?.trim())].flatMap((value) => value || [])
}

/** A model that cannot call tools must be talked to otherwise, from the first request on (O3). */
async function askServer(target: Target): Promise<Partial<Pick<Model["facts"], "images" | "nativeTools">>> {
  if (target.wire !== "ollama") return {}
  const { probeOllama } = await import("../providers/wire/ollama/probe.ts")
  const said = await probeOllama(target, new AbortController().signal)
  return said ? { nativeTools: said.tools, images: said.images } : {}
}

/** A profile, or a model as people name it. Only a key from the environment is at hand; any other is fetched when it is needed. */
function openLater(name: string, settings: Settings, env: NodeJS.ProcessEnv): ChainProfile | undefined {
  const chosen = planned(name, settings, env)
  if (!chosen.ok) return undefined
  const { target, profile } = chosen
  const knowledge = { models: settings.models, tellsUnknown: true }
  const source = connectionOf(profile, settings)
  const model = needsFetching(source)
    ? connectLater(target, knowledge, () => fetchKey(source, env))
    : connectModel(target, knowledge)
  return { model, fallback: profile.fallback ?? [] }
}

type Planned = { ok: true; target: Target; profile: ProfileSettings } | { ok: false; problem: string }

function planned(name: string, settings: Settings, env: NodeJS.ProcessEnv): Planned {
  const profile = profileOf(settings, name) ?? (name.includes("/") ? { model: name } : undefined)
  if (!profile) return { ok: false, problem: noProfile(name, settings) }
  const keyFollows = needsFetching(connectionOf(profile, settings))
  const chosen = chooseModel({ ...choiceOf(profile, settings), keyFollows }, env)
  return chosen.ok ? { ...chosen, profile } : chosen
}

function problemOf(name: string, settings: Settings, env: NodeJS.ProcessEnv): string | undefined {
  const chosen = planned(name, settings, env)
  return chosen.ok ? undefined : `the profile "${name}" cannot be used: ${chosen.problem}`
}

function needsFetching({ apiKeyFile, apiKeyCommand }: ProfileSettings): boolean {
  return Boolean(apiKeyFile || apiKeyCommand)
}

async function fetchKey(source: ProfileSettings, env: NodeJS.ProcessEnv): Promise<Target["key"] | { problem: string }> {
  if (!needsFetching(source)) return undefined
  const read = await readKey(source, { env })
  if (!read.ok) return { problem: read.problem }
  return read.key && { value: read.key.value, variable: read.key.from }
}

type Knowledge = Parameters<typeof connectModel>[1]

function connectLater(target: Target, knowledge: Knowledge, fetch: () => ReturnType<typeof fetchKey>): Model {
  const { id, facts, endsSilently } = connectModel(target, knowledge)
  let connecting: Promise<Model | Fault> | undefined
  async function connect(): Promise<Model | Fault> {
    const key = await fetch()
    if (key && "problem" in key) return { kind: "auth", message: key.problem, retryable: false }
    return connectModel({ ...target, ...(key && { key }) }, knowledge)
  }
  return {
    id,
    facts,
    endsSilently,
    async *stream(...asked) {
      connecting ??= connect()
      const model = await connecting
      if ("stream" in model) yield* model.stream(...asked)
      else yield [{ type: "fail", fault: model }]
    },
  }
}
