/**
 * Every expected failure on the model's side becomes a fault here: a status with its body, an error inside a reply, a broken
 * line, a silence. A message is one line naming the endpoint, the cause and the next step; it never holds the key.
 */
import type { Fault, FaultKind } from "../types/fault.ts"
import { parseJson } from "./parse-json.ts"
import type { ProxyServer } from "./proxy.ts"
import type { Target } from "./target.ts"

export interface Refusal {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Its beginning. */
  body: string
}

/** What a server says when it complains, wherever that stood. */
export interface Complaint {
  status?: number
  /** Machine words: codes and types. */
  code: string
  message: string
}

export type Wait = "headers" | "first-token" | "between-chunks"

const RETRYABLE: ReadonlySet<FaultKind> = new Set(["rate-limit", "overloaded", "server", "network", "timeout", "cut-off"])
const LONGEST_QUOTE = 300

/** First match wins. Words are looked for in codes, types and message together. */
const rules: readonly { kind: FaultKind; statuses: readonly number[]; words: RegExp | undefined }[] = [
  {
    kind: "auth",
    statuses: [401],
    words: /invalid.?api.?key|incorrect api key|api key not valid|authentication_error|no auth credentials/,
  },
  {
    kind: "context-overflow",
    statuses: [413],
    words:
      /context.?(length|window|size|limit)|maximum context|prompt is too long|input is too long|too many (input )?tokens|reduce the length|token count.{0,60}exceeds|no user query found/,
  },
  { kind: "content-filter", statuses: [], words: /content.?filter|content.?policy|content management policy|moderation|flagged/ },
  {
    kind: "quota",
    statuses: [402],
    words: /insufficient.?(quota|credit|balance|fund)|current quota|billing|out of credits|key limit exceeded|spend(ing)? limit/,
  },
  { kind: "rate-limit", statuses: [429], words: /rate.?limit|too many requests|resource.?exhausted/ },
  { kind: "overloaded", statuses: [503, 529], words: /overloaded|at capacity|insufficient.?system.?resource|loading model/ },
  {
    kind: "model-not-found",
    statuses: [],
    words:
      /model.?not.?found|unknown model|not a valid model|no endpoints found|not_found_error model:|models?\b.{0,120}(not found|not exist)/,
  },
  { kind: "auth", statuses: [403], words: /permission.?denied/ },
  { kind: "timeout", statuses: [408, 504], words: undefined },
  { kind: "bad-request", statuses: [400, 404, 405, 415, 422], words: /invalid.?request/ },
]

/** An answer with a status other than 2xx. */
export function classifyRefusal(target: Target, refusal: Refusal): Fault {
  const { status, body } = refusal
  if (status >= 300 && status < 400) {
    const to = placeOf(String(refusal.headers["location"] ?? ""))
    const next = "Redirects are not followed; give the right --base-url."
    return { ...notAModel(target, `answers with a redirect${to && ` to ${to}`}`, next), status }
  }
  if (status === 407 && target.proxy) return { ...classifyProxy(target, target.proxy, "STATUS_407"), status }
  const page = looksLikeMarkup(body)
  const complaint = page ? undefined : (complaintIn(parseJson(body)) ?? { code: "", message: body })
  const asked = retryAfter(refusal)
  let kind = kindOf({ code: complaint?.code ?? "", message: complaint?.message ?? "", status })
  if (kind === "quota" && asked !== undefined) kind = "rate-limit" // whoever says when to come back is not out of money
  if (kind === "bad-request" && (page || status === 404 || status === 405)) {
    return { ...notAModel(target, `does not take chat requests there${quote(target, complaint?.message ?? "", status)}`), status }
  }
  const fault = { ...complain(target, kind, complaint?.message ?? "", status), status }
  return asked === undefined ? fault : { ...fault, retryAfterMs: asked }
}

/** An error that arrived inside a reply with status 200. */
export function classifyComplaint(target: Target, complaint: Complaint): Fault {
  const kind = kindOf(complaint)
  const fault = complain(target, kind, complaint.message || complaint.code, complaint.status)
  const asked = kind === "rate-limit" ? saidWait(complaint.message) : undefined
  return {
    ...fault,
    ...(complaint.status !== undefined && { status: complaint.status }),
    ...(asked !== undefined && { retryAfterMs: asked }),
  }
}

/** The connection could not be made, or broke; `waitedMs` is how long nothing had come by then. */
export function classifyBreak(target: Target, error: NodeJS.ErrnoException, begun: boolean, waitedMs = 0): Fault {
  const code = error.code ?? ""
  if (begun) return fault(target, "cut-off", "broke the connection in the middle of the reply", cutNext(waitedMs))
  const proxy = proxyAtFault(target, error)
  if (proxy) return classifyProxy(target, proxy, code)
  if (code.startsWith("HPE_")) return notAModel(target, `does not speak HTTP (${code})`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    const next = "If the certificate is yours, name its authority with the setting caFile or in NODE_EXTRA_CA_CERTS."
    return { ...fault(target, "network", `shows a certificate that cannot be trusted (${code})`, next), retryable: false }
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) {
    return { ...fault(target, "network", "does not speak TLS", "Try http:// in --base-url."), retryable: false }
  }
  const start = target.start ?? "Is the server running, and is --base-url right?"
  if (code === "ECONNREFUSED") return fault(target, "network", "cannot be reached: nothing listens there", start)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return fault(target, "network", "cannot be reached: its name cannot be resolved", "Check the network and --base-url.")
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    const after = waitedMs >= LONG_WAIT_MS ? ` after ${inSeconds(waitedMs)}` : ""
    return fault(target, "network", `closed the connection without an answer${after}`, cutNext(waitedMs))
  }
  const cause = `cannot be reached: ${code || oneLine(target, error.message)}`
  return fault(target, "network", cause, "Check the network and --base-url.")
}

/** Who is cut after so long was probably not cut by the server. */
const LONG_WAIT_MS = 20_000

function cutNext(waitedMs: number): string | undefined {
  if (waitedMs < LONG_WAIT_MS) return undefined
  return `Something on the way may end what is silent for ${inSeconds(waitedMs)}; raise its limit, or ask the model for less thinking.`
}

/** Without TLS in between, whoever cannot be connected to is the proxy. */
function proxyAtFault({ proxy, baseUrl }: Target, error: object): ProxyServer | undefined {
  if ("proxy" in error) return proxy
  const code = "code" in error ? String(error.code) : ""
  const isPlain = baseUrl.startsWith("http:")
  return isPlain && /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(code) ? proxy : undefined
}

function classifyProxy(target: Target, { address, variable }: ProxyServer, code: string): Fault {
  const status = Number(/^STATUS_(\d+)/.exec(code)?.[1] ?? Number.NaN)
  const named = `cannot be reached: the proxy ${address}`
  if (status === 407) {
    const next = `Write them in ${variable}, like http://NAME:PASSWORD@host:port.`
    return { ...fault(target, "network", `${named} wants a name and a password, or other ones (407)`, next), retryable: false }
  }
  const other = `Check ${variable}, or leave this server out with NO_PROXY.`
  if (status >= 400) {
    const refused = fault(target, "network", `${named} refuses to connect to it (${status})`, other)
    return { ...refused, retryable: status >= 500 }
  }
  const why = {
    ECONNREFUSED: "does not listen",
    ENOTFOUND: "has a name that cannot be resolved",
    EAI_AGAIN: "has a name that cannot be resolved",
    ETIMEDOUT: "does not answer",
  }[code]
  return fault(target, "network", `${named} ${why ?? `failed (${code})`}`, other)
}

function inSeconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`
}

export function classifySilence(target: Target, wait: Wait, waitedMs: number): Fault {
  const seconds = inSeconds(waitedMs)
  const cause = {
    headers: `did not answer within ${seconds}`,
    "first-token": `sent no token for ${seconds}`,
    "between-chunks": `fell silent for ${seconds} in the middle of the reply`,
  }
  return fault(target, "timeout", cause[wait])
}

/** A part of the reply cannot be read: what it said is lost, so nothing of the reply may run. */
export function classifyDamage(target: Target): Fault {
  return fault(target, "cut-off", "sent a reply that was damaged on its way")
}

/** The reply says that it calls a tool, and holds no call: what was meant is lost (M7). */
export function classifyMissingCall(target: Target): Fault {
  return fault(target, "cut-off", "announced a tool call and sent none")
}

/** The reply itself ran into the end of the context window. */
export function classifyOverflow(target: Target): Fault {
  return complain(target, "context-overflow", "the reply did not fit behind it", undefined)
}

/** The server could not read what its model wrote as a call; another try often comes out right. */
export function classifyUnreadableCall(target: Target, reason: string): Fault {
  return fault(target, "cut-off", `could not read a call that its model wrote (${oneLine(target, reason)})`)
}

export function notAModel(target: Target, cause: string, next?: string): Fault {
  const advice = `Check --base-url and --wire: there should be an API that speaks ${target.wire}.`
  return fault(target, "not-a-model", cause, next ?? advice)
}

/** Finds the complaint in a parsed body or frame; undefined when it holds none. */
export function complaintIn(value: unknown): Complaint | undefined {
  const holder = record(Array.isArray(value) ? value[0] : value)
  if (!holder) return undefined
  if (typeof holder["error"] === "string" && holder["error"] !== "") {
    return { code: text(holder["code"]), message: text(holder["message"]) || holder["error"], ...numeric(holder) }
  }
  const error = record(holder["error"])
  if (error && Object.keys(error).length > 0) return complaintFrom(error)
  const bare = holder["object"] === "error" || holder["type"] === "error" || holder["code"] !== undefined
  if (bare && typeof holder["message"] === "string") return complaintFrom(holder)
  const detail = holder["detail"]
  if (typeof detail === "string") return { code: "", message: detail }
  // FastAPI, which repeats the whole request beside each message.
  if (Array.isArray(detail)) return { code: "", message: detail.map((entry) => text(record(entry)?.["msg"])).join("; ") }
  return undefined
}

export function looksLikeMarkup(body: string): boolean {
  return body.trimStart().startsWith("<")
}

function complaintFrom(error: Record<string, unknown>): Complaint {
  const metadata = record(error["metadata"])
  const code = [error["code"], error["type"], error["status"], metadata?.["error_type"]].map(text).filter(Boolean).join(" ")
  const said = text(error["message"])
  const raw = metadata?.["raw"]
  const upstream = typeof raw === "string" ? raw : raw === undefined ? "" : JSON.stringify(raw)
  return { code, message: upstream ? `${said}: ${upstream}` : said || text(error["detail"]), ...numeric(error) }
}

function numeric(error: Record<string, unknown>): { status?: number } {
  const code = Number(text(error["code"]) || text(error["status"]))
  return code >= 400 && code < 600 ? { status: code } : {}
}

function kindOf({ status, code, message }: Complaint): FaultKind {
  if (status === 401) return "auth"
  const words = `${code} ${message}`.slice(0, 4000).toLowerCase()
  const said = rules.find((rule) => rule.words?.test(words))
  if (said && said.kind !== "bad-request") return said.kind
  const known = rules.find((rule) => status !== undefined && rule.statuses.includes(status))
  if (known) return known.kind
  if (status !== undefined && status >= 500) return "server"
  return said || (status !== undefined && status >= 400) ? "bad-request" : "server"
}

function complain(target: Target, kind: FaultKind, message: string, status: number | undefined): Fault {
  const said = quote(target, message, status)
  const { key } = target
  switch (kind) {
    case "auth":
      return key
        ? fault(target, kind, `refused the key${said}`, `Check the key in ${key.variable}.`)
        : fault(target, kind, `wants a key${said}`, "Name the variable that holds it with --api-key-env.")
    case "quota":
      return fault(target, kind, `says that the account has no credit left${said}`, "Add credit, or choose another model.")
    case "rate-limit":
      return fault(target, kind, `limits the rate of requests${said}`, "Wait a little, or choose another model.")
    case "overloaded":
      return fault(target, kind, `is overloaded${said}`, "Try again later, or choose another model.")
    case "context-overflow":
      return fault(target, kind, `says that the conversation is too long for ${target.model}${said}`)
    case "model-not-found":
      return fault(target, kind, `does not know the model "${target.model}"${said}`, "Check the name given with --model.")
    case "content-filter":
      return fault(target, kind, `refused the content${said}`)
    case "bad-request":
      if (/not support tools/.test(message)) {
        return fault(target, kind, `says that ${target.model} cannot call tools${said}`, "Choose a model that can.")
      }
      return fault(target, kind, `refused the request${said}`)
    case "timeout":
      return fault(target, kind, `gave up waiting for its model${said}`)
    default:
      return fault(target, kind, `failed${said}`, "Try again later.")
  }
}

function quote(target: Target, message: string, status: number | undefined): string {
  const note = [status, oneLine(target, message)].filter(Boolean).join(": ")
  return note && ` (${note})`
}

function fault(target: Target, kind: FaultKind, cause: string, next?: string): Fault {
  const through = target.proxy && !cause.includes("the proxy ") ? `, through the proxy ${target.proxy.address},` : ""
  const message = `${target.vendor} at ${placeOf(target.baseUrl)}${through} ${cause}.${next ? ` ${next}` : ""}`
  return { kind, message, retryable: RETRYABLE.has(kind) }
}

/** A server's words on one line, short, and without the key: some servers quote what they were sent. */
function oneLine(target: Target, words: string): string {
  let line = words.slice(0, 4000)
  if (target.key) line = line.replaceAll(target.key.value, "…")
  line = line
    .replace(/\b(sk|key|pk)-[\w*.-]{6,}/g, "…")
    .replace(/[\s\u0000-\u001f\u007f]+/g, " ")
    .trim()
    .replace(/\.$/, "")
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line
}

/** An address without its credentials and query. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return address.replace(/[?#].*$/s, "")
  const url = new URL(address)
  return url.origin + url.pathname.replace(/\/$/, "")
}

/** Milliseconds, from the headers or from the place where Google puts it. */
function retryAfter({ headers, body }: Refusal): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const asked = headers["retry-after"]
  if (typeof asked === "string" && asked !== "") {
    const wait = /^[\d.]+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now()
    if (!Number.isNaN(wait)) return Math.max(0, Math.round(wait))
  }
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(body)?.[1]
  return delay === undefined ? undefined : Math.round(Number(delay) * 1000)
}

/** `Please try again in 1.5s`: inside a reply there are no headers to say it. */
function saidWait(message: string): number | undefined {
  const [, count, unit] = /try again in ([\d.]{1,9})\s?(ms|s|m)\b/i.exec(message) ?? []
  if (count === undefined) return undefined
  const wait = Number(count) * (unit === "ms" ? 1 : unit === "m" ? 60_000 : 1000)
  return Number.isFinite(wait) ? Math.round(wait) : undefined
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : ""
}
