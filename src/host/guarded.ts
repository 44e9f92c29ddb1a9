/**
 * The host a call receives: only the paths it was admitted for, judged by where they really lead, not by how they are
 * written. The host beneath asks here before it opens something and verifies afterwards what it opened.
 */
import { relative, sep } from "node:path"
import { isBeneath } from "../text/path-forms.ts"
import { type Host, HostError } from "../types/host.ts"
import { canAdmit } from "./admission.ts"
import { onOneLine } from "./host-error.ts"

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
      const [workspace, ...others] = await resolving
      const inside = workspace !== undefined && isBeneath(workspace, real, host.platform)
      if (inside && real !== workspace && inAnyForm(relative(workspace, real).split(sep).join("/"), isHidden)) {
        throw new HostError("no-access", `${onOneLine(asked)} is kept from you by the project's ignore file`, asked)
      }
      if (inside || paths.includes(real) || others.some((root) => isBeneath(root, real, host.platform))) return
      const leads = real === asked ? "" : ` leads to ${onOneLine(real)}, which`
      throw new HostError("outside", `${onOneLine(asked)}${leads} is outside of what this call may touch`, asked)
    })
    return { ...guarded, isHidden }
  }
}

/** A letter can be written as one character or as two; disks differ in which they keep, and so do the people who write ignore files. */
function inAnyForm(path: string, isHidden: (path: string) => boolean): boolean {
  if (isHidden(path)) return true
  const [composed, decomposed] = [path.normalize("NFC"), path.normalize("NFD")]
  return (composed !== path && isHidden(composed)) || (decomposed !== path && isHidden(decomposed))
}
