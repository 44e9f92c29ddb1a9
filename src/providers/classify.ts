/**
 * Every expected failure on the model's side becomes a fault here: a status with its body, an error inside a reply, a broken
 * line, a silence. A message is one line naming the endpoint, the cause and the next step; it never holds the key.
 */
import type { Fault, FaultKind } from "../types/fault.ts"
import { parseJson } from "./parse-json.ts"
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
  { kind: "auth", statuses: [401], words: /invalid.?api.?key|incorrect api key|authentication_error|no auth credentials/ },
  {
    kind: "context-overflow",
    statuses: [413],
    words:
      /context.?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|reduce the length/,
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
    words: /model.?not.?found|unknown model|not a valid model|no endpoints found|model\b.{0,120}(not found|not exist)/,
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
  return complaint.status === undefined ? fault : { ...fault, status: complaint.status }
}

/** The connection could not be made, or broke. */
export function classifyBreak(target: Target, error: NodeJS.ErrnoException, begun: boolean): Fault {
  const code = error.code ?? ""
  if (begun) return fault(target, "cut-off", "broke the connection in the middle of the reply")
  if (code.startsWith("HPE_")) return notAModel(target, `does not speak HTTP (${code})`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    const next = "If the certificate is yours, name its authority in NODE_EXTRA_CA_CERTS."
    return { ...fault(target, "network", `shows a certificate that cannot be trusted (${code})`, next), retryable: false }
  }
  if (code === "EPROTO") {
    return { ...fault(target, "network", "does not speak TLS", "Try http:// in --base-url."), retryable: false }
  }
  const start = target.start ?? "Is the server running, and is --base-url right?"
  if (code === "ECONNREFUSED") return fault(target, "network", "cannot be reached: nothing listens there", start)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return fault(target, "network", "cannot be reached: its name cannot be resolved", "Check the network and --base-url.")
  }
  if (code === "ECONNRESET" || code === "EPIPE") return fault(target, "network", "closed the connection without an answer")
  const cause = `cannot be reached: ${code || oneLine(target, error.message)}`
  return fault(target, "network", cause, "Check the network and --base-url.")
}

export function classifySilence(target: Target, wait: Wait, waitedMs: number): Fault {
  const seconds = waitedMs < 1000 ? `${waitedMs} ms` : `${Math.round(waitedMs / 1000)} s`
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

export function notAModel(target: Target, cause: string, next?: string): Fault {
  const advice = "Check --base-url: it should lead to an OpenAI-compatible API and usually ends in /v1."
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
  const message = `${target.vendor} at ${placeOf(target.baseUrl)} ${cause}.${next ? ` ${next}` : ""}`
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

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : ""
}
