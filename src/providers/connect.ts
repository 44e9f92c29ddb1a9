/** From what a person typed to a model that answers: which server, which name, which key, and what is known of it. */
import type { Model, ModelFacts } from "../types/model.ts"
import { readCertificates } from "./certificates.ts"
import { openLine } from "./http.ts"
import { type ModelOverride, modelFacts, overrideFor } from "./models.ts"
import { proxyFor } from "./proxy.ts"
import { type Connection, streamReply } from "./stream-reply.ts"
import type { RequestOptions, Target, Timers, WireName } from "./target.ts"
import { custom, type Vendor, vendors } from "./vendors.ts"
import type { Wire } from "./wire/wire.ts"
import { isWire, wires } from "./wires.ts"

export interface ModelChoice {
  /** `vendor/name`; with a base URL any name, sent as it is. */
  model?: string | undefined
  baseUrl?: string | undefined
  wire?: string | undefined
  /** The variable that holds the key. */
  apiKeyEnv?: string | undefined
  /** A key that was found elsewhere; `variable` says where, for messages. */
  key?: { value: string; variable: string } | undefined
  /** The key comes later, from where the person said. */
  keyFollows?: boolean | undefined
  headers?: Readonly<Record<string, string>> | undefined
  options?: RequestOptions | undefined
  timers?: Partial<Timers> | undefined
  caFile?: string | undefined
}

/** A problem is one line that says what to do. */
type Chosen<T> = ({ ok: true } & T) | { ok: false; problem: string }

export interface Knowledge {
  /** A person's own, by the name of the model. */
  models?: Readonly<Record<string, ModelOverride>>
  /** What the server says of its model. */
  learnt?: Partial<Pick<ModelFacts, "images" | "nativeTools">>
  /** Say so when nobody knows the model. */
  tellsUnknown?: boolean
}

export function connectModel(target: Target, { models = {}, learnt = {}, tellsUnknown = false }: Knowledge = {}): Model {
  const own = overrideFor(models, target)
  const facts: ModelFacts = { ...modelFacts(target.model), ...learnt, ...own }
  const price = target.free && !own.price ? undefined : facts.price
  const isUnknown = !facts.known && own.window === undefined
  const connection: Connection = {
    target: { ...limitsOf(target, facts, own), ...target },
    wire: loadWire(target.wire),
    line: openLine(target),
    ...(price && { price }),
    ...(tellsUnknown && isUnknown && { notices: [unknownModel(target, facts)] }),
  }
  return {
    id: target.id,
    facts,
    endsSilently: target.profile.endsSilently,
    stream: (request, signal, onWait) => streamReply(connection, request, signal, onWait),
  }
}

/** A machine may lack the memory for all that a model could read, so a local server is told a window only by a person. */
function limitsOf(target: Target, facts: ModelFacts, own: ModelOverride): Pick<Target, "window" | "outputLimit"> {
  const window = own.window ?? (facts.known && target.wire !== "ollama" ? facts.window : undefined)
  const most = target.options?.maxOutput
  const outputLimit = facts.output === undefined ? most : Math.min(facts.output, most ?? facts.output)
  return { ...(window !== undefined && { window }), ...(outputLimit !== undefined && { outputLimit }) }
}

function unknownModel({ model, free }: Target, { window, price }: ModelFacts): string {
  const unpriced = price || free ? "" : " and no price"
  const name = JSON.stringify(model)
  return `Nothing is known of the model ${name}: a window of ${window} tokens${unpriced} is assumed. Say it better with models.${name}.window in your settings.`
}

/** Begins at once, while the rest of the task gets ready. A failure is met by the first request, not before. */
function loadWire(name: WireName): Promise<Wire> {
  const loading = wires[name].load()
  loading.catch(() => {})
  return loading
}

export function chooseModel(choice: ModelChoice, env: NodeJS.ProcessEnv): Chosen<{ target: Target }> {
  const named = choice.wire
  if (named !== undefined && !isWire(named)) {
    return problem(`There is no wire "${named}"; choose from ${Object.keys(wires).join(", ")}.`)
  }
  const place = choice.baseUrl === undefined ? vendorOf(choice.model, env) : serverAt(choice.baseUrl, choice.model, env)
  if (!place.ok) return place
  const { vendor, model } = place
  const wire = named ?? (vendor.except?.models.test(model) ? vendor.except.wire : vendor.wire)
  const key = choice.key || choice.keyFollows ? { ok: true as const, key: choice.key } : keyFor(vendor, choice.apiKeyEnv, env)
  if (!key.ok) return key
  const baseUrl = tidyBaseUrl(new URL(place.baseUrl), wire, vendor.root)
  const route = routeTo(baseUrl, choice.caFile, env)
  if (!route.ok) return route
  const { keyHeader, free, start, atOnce } = vendor
  const target: Target = {
    id: choice.baseUrl === undefined ? `${vendor.id}/${model}` : `${custom.id}/${model}`,
    vendor: vendor.name,
    wire,
    model,
    baseUrl,
    headers: { ...vendor.headers, ...choice.headers },
    profile: vendor.profile,
    timers: { ...vendor.timers, ...choice.timers },
    ...(key.key && { key: key.key }),
    ...(keyHeader && { keyHeader }),
    ...(choice.options && { options: choice.options }),
    ...(free && { free }),
    ...(start && { start }),
    ...(atOnce && { atOnce }),
    ...route.route,
  }
  return { ok: true, target }
}

function routeTo(
  baseUrl: string,
  caFile: string | undefined,
  env: NodeJS.ProcessEnv,
): Chosen<{ route: Pick<Target, "proxy" | "caFile"> }> {
  const through = proxyFor(baseUrl, env)
  if ("problem" in through) return problem(through.problem)
  if (caFile && readCertificates(caFile).length === 0) {
    return problem(`caFile ${caFile} holds no certificate that can be read; name a file in PEM form.`)
  }
  const certificates = caFile || env["SSL_CERT_FILE"]?.trim()
  const isSecure = baseUrl.startsWith("https:")
  return { ok: true, route: { ...through, ...(isSecure && certificates && { caFile: certificates }) } }
}

type Place = { vendor: Omit<Vendor, "baseUrl">; model: string; baseUrl: string }

function vendorOf(choice: string | undefined, env: NodeJS.ProcessEnv): Chosen<Place> {
  const known = vendors.map((vendor) => vendor.id).join(", ")
  if (!choice) {
    return problem(`No model is chosen: give --model vendor/name (vendors: ${known}), or --base-url URL with --model NAME.`)
  }
  const slash = choice.indexOf("/")
  const id = choice.slice(0, Math.max(0, slash)).toLowerCase()
  const model = choice.slice(slash + 1).trim()
  const vendor = vendors.find((candidate) => candidate.id === id)
  if (vendor && model) {
    const baseUrl = addressOf(vendor, env)
    if (baseUrl) return { ok: true, vendor, model, baseUrl }
    return problem(`Where is ${vendor.name}? Set ${vendor.addressVariable} to its address, or give it with --base-url URL.`)
  }
  if (vendor) return problem(`--model ${choice} names no model: write ${id}/NAME.`)
  const what = slash < 0 ? `--model ${choice} names no vendor` : `--model ${choice}: the vendor "${id}" is not known`
  return problem(`${what}; write vendor/name (vendors: ${known}), or say where it is with --base-url URL.`)
}

/** Where people keep an address themselves, they write it as its server likes it: `0.0.0.0`, `host`, `host:11434`. */
function addressOf({ addressVariable, baseUrl }: Vendor, env: NodeJS.ProcessEnv): string {
  const named = addressVariable && env[addressVariable]?.trim()
  if (!named) return baseUrl
  const hasScheme = /^https?:\/\//i.test(named)
  const url = webAddress(hasScheme ? named : `http://${named}`)
  if (!url) return baseUrl
  if (!hasScheme && url.port === "" && baseUrl !== "") url.port = new URL(baseUrl).port
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1"
  return url.href
}

/** A server by its address. It counts as a vendor's own, with that vendor's key and profile, only if the origin is the vendor's. */
function serverAt(address: string, model: string | undefined, env: NodeJS.ProcessEnv): Chosen<Place> {
  const url = webAddress(address)
  if (!url) return problem(`--base-url ${address} is no web address: write it like http://127.0.0.1:11434/v1.`)
  if (!model?.trim()) return problem("Which model? Give its name, as the server knows it, with --model NAME.")
  const own = vendors.find((candidate) => webAddress(addressOf(candidate, env))?.origin === url.origin)
  const alike = vendors.find(({ hosts }) => hosts?.test(url.hostname))
  const vendor = own ?? (alike ? { ...alike, keyVariables: [] } : custom)
  return { ok: true, vendor: { ...vendor, keyRequired: false }, model: model.trim(), baseUrl: url.href }
}

function webAddress(address: string): URL | undefined {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined
}

/** `http://host`, `http://host/v1/` and `http://host/v1/chat/completions` all mean `http://host/v1`. */
function tidyBaseUrl(url: URL, wire: WireName, own: string | undefined): string {
  const { root, tails } = wires[wire]
  url.pathname = url.pathname.replace(/\/+$/, "").replace(tails, "")
  if (url.pathname === "/") url.pathname = own ?? root
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

function problem(line: string): { ok: false; problem: string } {
  return { ok: false, problem: line }
}
