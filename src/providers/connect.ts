/** From what a person typed to a model that answers: which server, which name, which key. */
import type { Model } from "../types/model.ts"
import { openLine } from "./http.ts"
import { type Connection, streamReply } from "./stream-reply.ts"
import type { Target, WireName } from "./target.ts"
import { custom, type Vendor, vendors } from "./vendors.ts"
import { openaiChat } from "./wire/openai-chat.ts"
import type { Wire } from "./wire/wire.ts"

export interface ModelChoice {
  /** `vendor/name`; with a base URL any name, sent as it is. */
  model?: string | undefined
  baseUrl?: string | undefined
  wire?: string | undefined
  /** The variable that holds the key. */
  apiKeyEnv?: string | undefined
  /** A key that was found elsewhere; `variable` says where, for messages. */
  key?: { value: string; variable: string } | undefined
}

/** A problem is one line that says what to do. */
type Chosen<T> = ({ ok: true } & T) | { ok: false; problem: string }

const wires: Readonly<Record<WireName, Wire>> = { "openai-chat": openaiChat }

export function connectModel(target: Target): Model {
  const connection: Connection = { target, wire: wires[target.wire], line: openLine() }
  return {
    id: target.id,
    endsSilently: target.profile.endsSilently,
    stream: (request, signal) => streamReply(connection, request, signal),
  }
}

export function chooseModel(choice: ModelChoice, env: NodeJS.ProcessEnv): Chosen<{ target: Target }> {
  const wire = choice.wire ?? "openai-chat"
  if (!isWire(wire)) return problem(`There is no wire "${wire}"; choose from ${Object.keys(wires).join(", ")}.`)
  const place = choice.baseUrl === undefined ? vendorOf(choice.model) : serverAt(choice.baseUrl, choice.model)
  if (!place.ok) return place
  const { vendor, model, baseUrl } = place
  const key = choice.key ? { ok: true as const, key: choice.key } : keyFor(vendor, choice.apiKeyEnv, env)
  if (!key.ok) return key
  const target: Target = {
    id: choice.baseUrl === undefined ? `${vendor.id}/${model}` : `${custom.id}/${model}`,
    vendor: vendor.name,
    wire: choice.wire === undefined ? vendor.wire : wire,
    model,
    baseUrl,
    headers: vendor.headers ?? {},
    profile: vendor.profile,
    timers: vendor.timers,
  }
  if (key.key) target.key = key.key
  if (vendor.start) target.start = vendor.start
  return { ok: true, target }
}

type Place = { vendor: Omit<Vendor, "baseUrl">; model: string; baseUrl: string }

function vendorOf(choice: string | undefined): Chosen<Place> {
  const known = vendors.map((vendor) => vendor.id).join(", ")
  if (!choice) {
    return problem(`No model is chosen: give --model vendor/name (vendors: ${known}), or --base-url URL with --model NAME.`)
  }
  const slash = choice.indexOf("/")
  const id = choice.slice(0, Math.max(0, slash)).toLowerCase()
  const model = choice.slice(slash + 1).trim()
  const vendor = vendors.find((candidate) => candidate.id === id)
  if (vendor && model) return { ok: true, vendor, model, baseUrl: vendor.baseUrl }
  if (vendor) return problem(`--model ${choice} names no model: write ${id}/NAME.`)
  const what = slash < 0 ? `--model ${choice} names no vendor` : `--model ${choice}: the vendor "${id}" is not known`
  return problem(`${what}; write vendor/name (vendors: ${known}), or say where it is with --base-url URL.`)
}

/** A server by its address. It counts as a vendor's own, with that vendor's key and profile, only if the origin is the vendor's. */
function serverAt(address: string, model: string | undefined): Chosen<Place> {
  const baseUrl = tidyBaseUrl(address)
  if (!baseUrl) return problem(`--base-url ${address} is no web address: write it like http://127.0.0.1:11434/v1.`)
  if (!model?.trim()) return problem("Which model? Give its name, as the server knows it, with --model NAME.")
  const { origin } = new URL(baseUrl)
  const vendor = vendors.find((candidate) => new URL(candidate.baseUrl).origin === origin) ?? custom
  return { ok: true, vendor: { ...vendor, keyRequired: false }, model: model.trim(), baseUrl }
}

/** `http://host`, `http://host/v1/` and `http://host/v1/chat/completions` all mean `http://host/v1`. */
function tidyBaseUrl(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "")
  if (url.pathname === "/") url.pathname = "/v1"
  url.hash = ""
  return url.href
}

/** A key is sent only where it belongs: to its vendor's own address, or where the person says so by naming the variable. */
function keyFor(
  vendor: Omit<Vendor, "baseUrl">,
  named: string | undefined,
  env: NodeJS.ProcessEnv,
): Chosen<{ key: Target["key"] }> {
  const candidates = named === undefined ? vendor.keyVariables : [named]
  const variable = candidates.find((name) => env[name]?.trim())
  if (variable === undefined) {
    if (named !== undefined) return problem(`--api-key-env ${named}: the environment holds no key under that name.`)
    if (!vendor.keyRequired) return { ok: true, key: undefined }
    return problem(`${vendor.name} needs a key: set ${candidates.join(" or ")}, or name another variable with --api-key-env.`)
  }
  const value = env[variable]?.trim() ?? ""
  if (!/^[\x21-\x7e]+$/.test(value)) return problem(`The key in ${variable} holds characters that no key has; set it again.`)
  return { ok: true, key: { value, variable } }
}

function isWire(name: string): name is WireName {
  return Object.hasOwn(wires, name)
}

function problem(line: string): { ok: false; problem: string } {
  return { ok: false, problem: line }
}
