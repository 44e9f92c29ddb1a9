/** From settings to the models of a task: the one in use, those of modes, those that take over. */
import { chooseModel, connectModel, type ModelChoice } from "../providers/connect.ts"
import { lateModel } from "../providers/late-model.ts"
import { type ChainProfile, modelChain } from "../providers/model-chain.ts"
import { type Paces, paces } from "../providers/pace.ts"
import type { Target, Timers } from "../providers/target.ts"
import { vendors } from "../providers/vendors.ts"
import { readKey } from "../settings/keys.ts"
import type { Origin } from "../settings/layer.ts"
import type { LoadedSettings } from "../settings/load.ts"
import { nearNames } from "../text/near-names.ts"
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
export async function chooseModels(
  { settings, origins }: Loaded,
  env: NodeJS.ProcessEnv,
  pace: Paces = paces(),
): Promise<ChosenModels> {
  const first = profileInUse(settings, origins)
  const own = profileOf(settings, first)
  if (!own) throw new UsageError(`${noProfile(first, settings)} Choose one with --profile NAME, or give --model.`)
  const place = { settings, env, pace }
  const { profile, key } = await openFirst(own, place)
  const opened = new Map([[first, profile]])
  const models = modelChain({
    first,
    open: (name) => opened.get(name) ?? openLater(name, place),
    byMode: settings.modeProfiles,
  })
  const others = new Set([...(own.fallback ?? []), ...Object.values(settings.modeProfiles)])
  const warnings = [...others].flatMap((name) => problemOf(name, settings, env) ?? [])
  return { models, limits: { ...settings.limits, ...own.limits }, warnings, keys: keysIn(env, settings, key) }
}

/** Variables that hold a key by the person's own choice. */
export function keyVariables({ apiKeyEnv, profiles, imageModel }: Settings): string[] {
  const names = [apiKeyEnv, imageModel.apiKeyEnv, ...Object.values(profiles).map((profile) => profile.apiKeyEnv)]
  return names.filter((name) => name !== undefined)
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

interface Place {
  settings: Settings
  env: NodeJS.ProcessEnv
  /** One for all models of the process. */
  pace: Paces
}

/** Its key is fetched now, so that what is wrong with it is said before anything begins. */
async function openFirst(profile: ProfileSettings, place: Place): Promise<{ profile: ChainProfile; key: string | undefined }> {
  const { settings, env } = place
  const key = await fetchKey(connectionOf(profile, settings), env)
  if (key && "problem" in key) throw new UsageError(key.problem)
  const chosen = chooseModel({ ...choiceOf(profile, settings), key }, env)
  if (!chosen.ok) throw new UsageError(chosen.problem)
  const model = open(chosen.target, place)
  await model.ready?.(new AbortController().signal) // how calls travel in the task is decided by it
  return { profile: { model, fallback: profile.fallback ?? [] }, key: chosen.target.key?.value }
}

function keysIn(env: NodeJS.ProcessEnv, settings: Settings, key: string | undefined): string[] {
  const names = [...vendors.flatMap((vendor) => vendor.keyVariables), ...keyVariables(settings)]
  return [key, ...names.map((name) => env[name]?.trim())].flatMap((value) => value || [])
}

/** A profile, or a model as people name it. Only a key from the environment is at hand; any other is fetched when it is needed. */
function openLater(name: string, place: Place): ChainProfile | undefined {
  const { settings, env } = place
  const chosen = planned(name, settings, env)
  if (!chosen.ok) return undefined
  const { target, profile } = chosen
  const source = connectionOf(profile, settings)
  const model = open(target, place, needsFetching(source) ? () => fetchKey(source, env) : undefined)
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

/** At once where all is known; else its key, and what an Ollama server says of its model (O3), are fetched when it is first used. */
function open(target: Target, { settings, pace }: Place, fetch?: () => ReturnType<typeof fetchKey>): Model {
  const connect = (whole: Target, learnt: Learnt = {}): Model => {
    const model = connectModel(whole, { models: settings.models, tellsUnknown: true, learnt })
    return pace.keep(model, { server: new URL(whole.baseUrl).origin, key: whole.key?.value, atOnce: whole.atOnce })
  }
  if (!fetch && target.wire !== "ollama") return connect(target)
  return lateModel(connect(target), async () => {
    const key = await fetch?.()
    if (key && "problem" in key) return { kind: "auth", message: key.problem, retryable: false }
    const whole = { ...target, ...(key && { key }) }
    return connect(whole, await askServer(whole))
  })
}

type Learnt = Partial<Pick<Model["facts"], "images" | "nativeTools">>

/** A model that cannot call tools must be talked to otherwise. */
async function askServer(target: Target): Promise<Learnt> {
  if (target.wire !== "ollama") return {}
  const { probeOllama } = await import("../providers/wire/ollama/probe.ts")
  const said = await probeOllama(target, new AbortController().signal)
  return said ? { nativeTools: said.tools, images: said.images } : {}
}
