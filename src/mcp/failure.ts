/** What went wrong with a server, in one line that a person or a model can act on. */
import { oneLine } from "../text/fence.ts"
import { truncate } from "../text/truncate.ts"
import { cleanText } from "./result.ts"

export type FailureKind = "timeout" | "closed" | "sign-in" | "session-lost" | "cancelled" | "unreachable" | "refused" | "other"

export interface Failure {
  kind: FailureKind
  /** Goes on from the server's name: "does not answer". */
  words: string
}

/** Classified by what errors carry, not by the class: the package is loaded late. */
export function failureOf(error: unknown): Failure {
  const { code, status, name, message } = factsOf(error)
  if (name === "HostError") return { kind: "unreachable", words: message }
  if (name === "AbortError") return { kind: "cancelled", words: "was cancelled" }
  if (name === "UnauthorizedError" || status === 401 || code === "CLIENT_HTTP_AUTHENTICATION") {
    return { kind: "sign-in", words: "wants you to sign in" }
  }
  if (name === "InsufficientScopeError") return { kind: "sign-in", words: "wants you to sign in with more rights" }
  if (code === "REQUEST_TIMEOUT") return { kind: "timeout", words: "did not answer in time" }
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return { kind: "closed", words: "closed the connection" }
  if (code === "INVALID_RESULT" || code === "UNSUPPORTED_RESULT_TYPE") {
    return { kind: "refused", words: "sent a result that does not follow the protocol" }
  }
  // Some servers say so with 400 when they were started anew.
  if (status === 404 || (status === 400 && /\bsession\b/i.test(message)))
    return { kind: "session-lost", words: `knows nothing at this address, or not this session any more (${status})` }
  if (status !== undefined) return { kind: "refused", words: `answered with status ${status}: ${short(message)}` }
  const system = systemCode(error)
  if (system) return { kind: "unreachable", words: `cannot be reached (${system})` }
  return { kind: typeof code === "number" ? "refused" : "other", words: `says: ${short(deepest(error) ?? message)}` }
}

function factsOf(error: unknown): { code?: unknown; status?: number; name: string; message: string } {
  if (!(error instanceof Error)) return { name: "", message: String(error) }
  const code = "code" in error ? error.code : undefined
  const data = "data" in error && typeof error.data === "object" && error.data !== null ? error.data : {}
  const own = "status" in error ? error.status : "status" in data ? data.status : undefined
  return { code, ...(typeof own === "number" && { status: own }), name: error.name, message: error.message }
}

/** `ECONNREFUSED` and its like may stand in the cause of a cause. */
function systemCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  if ("code" in error && typeof error.code === "string" && SYSTEM.test(error.code)) return error.code
  return systemCode(error instanceof AggregateError ? error.errors[0] : error.cause, depth + 1)
}

const SYSTEM = /^(?:E[A-Z]+|ERR_TLS\w*|CERT_\w+|\w+_CERT\w*|UND_ERR_\w+)$/

/** What really went wrong often stands in the cause: "fetch failed" helps nobody. */
function deepest(error: unknown): string | undefined {
  let message: string | undefined
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) message = at.message || message
  return message
}

function short(message: string): string {
  return truncate(oneLine(cleanText(message)), 300)
}
