/** May this call run? Effect, paths and settings → allow, ask or deny, always with the reason a person is shown. Pure. */
import type { Judged, TouchedPath, Verdict } from "../types/stations.ts"
import type { PathRules } from "./path-rules.ts"

/** `ask` asks before everything, `default` lets reads run, `yes` lets everything run that stays inside the workspace. */
export type ApprovalPreset = "ask" | "default" | "yes"

export interface ApprovalSettings extends PathRules {
  preset: ApprovalPreset
  /** What the person said "always" to in this task. */
  grants: ReadonlySet<string>
}

export function judge(call: Judged, settings: ApprovalSettings): Verdict {
  const { preset, grants, isIgnored, isProtected } = settings
  const ignored = call.paths.filter((path) => path.relative !== "" && isIgnored(path.relative))
  if (ignored.length > 0) return { verdict: "deny", reason: `${list(ignored)} is kept from you by the project's ignore file` }
  const always = alwaysOf(call, settings)
  if (call.group === "modes") return judgeModeChange(call, settings, always)
  if (call.effect === "none") return { verdict: "allow", reason: "it changes nothing and reads nothing" }
  const outside = call.paths.filter((path) => path.outside)
  if (grants.has(always.grant)) return { verdict: "allow", reason: `you allowed ${always.covers}` }
  if (outside.length > 0) return { verdict: "ask", reason: `${list(outside)} is outside the workspace`, always }
  if (call.effect !== "read") {
    const guarded = call.paths.filter((path) => isProtected(path.relative))
    if (guarded.length > 0) return { verdict: "ask", reason: `${list(guarded)} steers git or Joey itself`, always }
  }
  if (preset === "yes") return { verdict: "allow", reason: "everything inside the workspace is allowed (--yes)" }
  if (preset === "ask") return { verdict: "ask", reason: "everything is asked (--ask)", always }
  if (call.effect === "read") return { verdict: "allow", reason: "reading inside the workspace is allowed" }
  return { verdict: "ask", reason: ASKED_BY_DEFAULT[call.effect], always }
}

/** Another mode may allow more: the person decides, unless everything is allowed. */
function judgeModeChange({ tool }: Judged, { preset, grants }: ApprovalSettings, always: Always): Verdict {
  if (preset === "yes") return { verdict: "allow", reason: "everything inside the workspace is allowed (--yes)" }
  if (grants.has(always.grant)) return { verdict: "allow", reason: `you allowed ${always.covers}` }
  return { verdict: "ask", reason: `${tool} changes what the agent may do`, always }
}

interface Always {
  covers: string
  grant: string
}

const ASKED_BY_DEFAULT = {
  write: "it changes files",
  execute: "it runs a command",
  network: "it reaches out to the network",
} as const

/** "Always" covers a tool for the task; for commands, and for anything outside or protected, this very call only. */
function alwaysOf({ tool, effect, paths, digest }: Judged, { isProtected }: PathRules): Always {
  const narrow = effect === "execute" || effect === "network" || paths.some((path) => path.outside || isProtected(path.relative))
  return narrow
    ? { covers: "exactly this call for the rest of the task", grant: `call:${digest}` }
    : { covers: `${tool} inside the workspace for the rest of the task`, grant: `tool:${tool}:${effect}` }
}

function list(paths: TouchedPath[]): string {
  return paths.map(({ path, real }) => (real.endsWith(path) ? path : `${path} (${real})`)).join(", ")
}
