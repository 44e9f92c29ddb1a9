/**
 * The seam between a guard, which knows what is admitted, and the host beneath it, which knows where a path really leads.
 * The host asks before it opens anything, and makes sure afterwards that what it opened is what was admitted.
 */
import type { Host } from "../types/host.ts"

/** Returns when `real` is admitted; throws a HostError "outside" when it is not. */
export type Admit = (asked: string, real: string) => Promise<void>

export interface AdmittingHost extends Host {
  /** The same host, asking `admit` about every path it touches, besides those who are asked already. */
  admitting(admit: Admit): AdmittingHost
}

export function canAdmit(host: Host): host is AdmittingHost {
  return "admitting" in host
}

export function bothAdmit(first: Admit | undefined, second: Admit): Admit {
  if (first === undefined) return second
  return async (asked, real) => {
    await first(asked, real)
    await second(asked, real)
  }
}
