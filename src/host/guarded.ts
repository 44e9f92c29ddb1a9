/**
 * The host a call receives: only the paths it was admitted for, judged by where they really lead, not by how they are
 * written. The host beneath asks here before it opens something and verifies afterwards what it opened.
 */
import { relative, sep } from "node:path"
import { type Host, HostError } from "../types/host.ts"
import { canAdmit } from "./admission.ts"

export interface Admitted {
  /** Folders with everything beneath them. Where they lead is settled when the guard is made. */
  roots: readonly string[]
  /** Real paths (as `realPath` gave them when they were judged) of single files or folders, without what is beneath. */
  paths?: readonly string[]
}

export function guardedHost(host: Host, { roots, paths = [] }: Admitted): Host {
  return guardHost(host, roots)(paths)
}

/** The same for many calls: where the roots lead is looked up once. What is hidden in the first root cannot be opened either. */
export function guardHost(
  host: Host,
  roots: readonly string[],
  isHidden = (_path: string) => false,
): (paths: readonly string[]) => Host {
  if (!canAdmit(host)) throw new Error("This host cannot be guarded: it does not ask before it opens.")
  const resolving = Promise.all(roots.map((root) => host.realPath(root)))
  resolving.catch(() => {}) // told to whoever asks first
  return (paths) => {
    const guarded = host.admitting(async (asked, real) => {
      const [workspace = "", ...others] = await resolving
      if (real !== workspace && isBeneath(workspace, real) && isHidden(relative(workspace, real).split(sep).join("/"))) {
        throw new HostError("no-access", `${asked} is kept from you by the project's ignore file`, asked)
      }
      if (paths.includes(real) || [workspace, ...others].some((root) => isBeneath(root, real))) return
      const leads = real === asked ? "" : ` leads to ${real}, which`
      throw new HostError("outside", `${asked}${leads} is outside of what this call may touch`, asked)
    })
    return { ...guarded, isHidden }
  }
}

function isBeneath(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}
