/**
 * An expected failure on the model's side, as a value. Faults are classified once, at the wire; nothing later looks at
 * status codes or message texts again.
 */

export type FaultKind =
  | "auth" // key missing, wrong or without rights
  | "quota" // the account is out of money or credit
  | "rate-limit"
  | "overloaded"
  | "server" // 5xx, or an error frame without a better class
  | "network" // cannot connect, or the connection broke before any reply
  | "timeout" // one of the three timers
  | "cut-off" // the reply ended without a terminal and is not whole
  | "context-overflow"
  | "model-not-found"
  | "bad-request"
  | "content-filter"
  | "not-a-model" // the endpoint answers, but not as a model does (HTML, a redirect, other JSON)
  | "storage" // the task's own log cannot be written
  | "defect" // a bug in Joey; the log has the stack

export interface Fault {
  kind: FaultKind
  /** One line for people: what happened, and where it helps, what to do. */
  message: string
  /** The same request may succeed later. */
  retryable: boolean
  /** What the server asked for. */
  retryAfterMs?: number
  status?: number
  /** For the log: a stack, or what the server sent. Never shown as such. */
  detail?: string
}

/** A fault that no station can go on from: it passes every other catch and ends the task's run. */
export class FaultError extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault.message)
    this.name = "FaultError"
    this.fault = fault
  }
}
